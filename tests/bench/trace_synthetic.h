#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/base/string_table.h"
#include "core/trace/trace_store.h"

namespace ts::trace::bench {

// A recorded run made up for measuring: two threads and a stream, four depths each, operators from
// 0.2 us to 0.2 ms with gaps between them, every fourth linked to its backward.
struct Synthetic {
  base::StringTable strings;
  TraceStore store;
};

inline constexpr std::uint16_t kDepths = 4;
inline constexpr std::uint16_t kTracks = 3;

// Names of what happens, and the slices of one lane, made ahead so that only the store is timed.
class SyntheticLane {
 public:
  explicit SyntheticLane(base::StringTable& strings) {
    for (const char* name : {"aten::mm", "aten::bmm", "aten::_softmax", "aten::mul", "aten::add_",
                             "aten::gelu", "aten::copy_", "aten::rms_norm", "aten::linear"}) {
      names_.push_back(strings.intern(name));
    }
    for (int layer = 0; layer < 48; ++layer) {
      modules_.push_back(strings.intern("blocks." + std::to_string(layer) + ".attn"));
    }
    detail_ = strings.intern("[4, 12, 2048, 64] bf16");
  }

  Slice next() {
    // Five octaves, then ten: what a pass looks like from afar.
    const std::int64_t duration = 200LL << (random_() % 10);
    const std::uint64_t kind = random_() % names_.size();
    Slice slice{.begin_ns = time_ns_, .duration_ns = duration};
    slice.name = names_[kind];
    slice.module = modules_[count_ / 40 % modules_.size()];
    slice.detail = detail_;
    slice.slice_class = static_cast<SliceClass>(kind);
    time_ns_ += duration + static_cast<std::int64_t>(random_() % 400);
    ++count_;
    return slice;
  }

 private:
  std::minstd_rand random_{17};
  std::vector<base::StringId> names_;
  std::vector<base::StringId> modules_;
  base::StringId detail_ = base::kNoString;
  std::int64_t time_ns_ = 0;
  std::uint64_t count_ = 0;
};

inline void add_tracks(TraceStore& store) {
  store.add_track({.kind = TrackKind::cpu_thread, .name = "worker"});
  store.add_track({.kind = TrackKind::autograd_thread, .name = "autograd"});
  store.add_track({.kind = TrackKind::gpu_stream, .name = "stream 7"});
}

// `slices` spread over all lanes.
inline void fill(Synthetic& trace, std::int64_t slices) {
  add_tracks(trace.store);
  const std::int64_t each = slices / (kTracks * kDepths);
  for (TrackId track = 0; track < kTracks; ++track) {
    for (std::uint16_t depth = 0; depth < kDepths; ++depth) {
      SyntheticLane lane(trace.strings);
      for (std::int64_t i = 0; i < each; ++i) {
        Slice slice = lane.next();
        if (track < 2 && i % 4 == 0)
          slice.flow = static_cast<std::uint32_t>(i * kDepths + depth + 1);
        trace.store.append(track, depth, slice);
      }
    }
  }
}

}  // namespace ts::trace::bench
