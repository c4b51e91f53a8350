#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/string_table.h"
#include "core/capture/batch.h"
#include "core/capture/gpu_idle.h"
#include "core/capture/gpu_record.h"

namespace ts::capture {

// The flow between a launch and the work that it started on the device: the number with the highest
// bit set, which autograd's flows (flow_linker.h) never set.
constexpr std::uint32_t flow_of_launch(std::uint32_t correlation) {
  return correlation | 0x8000'0000U;
}

// Turns GPU records in any order into rows of tracks: one track for each stream of each device, one
// for each host thread that called CUDA, one for each that made marks, one for waiting, one for the
// recording overhead, and at the end one for each device with the times without a kernel. A kernel
// gets module and operator of its launch. Records that overlap on one track (nested calls, branches
// of a graph) go to deeper rows. One owner thread.
class GpuTimeline {
 public:
  using AddTrack = std::function<trace::TrackId(trace::Track)>;

  // Records arrive in buffers, separately for host and device: a row waits this long after its end
  // for earlier rows and for its launch.
  static constexpr std::int64_t kWaitNs = 60'000'000;

  GpuTimeline(base::StringTable& strings, AddTrack add_track);

  void take(const GpuRecord& record);

  // Hands over the rows that have waited long enough, or `all` of them, each track ordered by
  // begin. With `all` the idle times are added, and numbers may be reused afterwards.
  void hand_over(bool all, Batch& batch);

  // Records without times, because the device had no room for them or the work had not ended; they
  // are not in the rows.
  [[nodiscard]] std::uint64_t without_time() const { return without_time_; }

 private:
  struct Track {
    trace::TrackId id = 0;
    std::vector<GpuRecord> waiting;
    std::vector<std::int64_t> depth_ends;  // where the last row of each depth ends
  };
  // Kinds of tracks: the device's streams, the host's threads, waiting, recording.
  struct Key {
    GpuKind of = GpuKind::kernel;  // kernel: all work on a stream
    std::uint32_t device = 0;
    std::uint32_t number = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Launch {
    base::StringId op = base::kNoString;
    base::StringId module = base::kNoString;
    bool called = false;   // the call itself was recorded
    bool started = false;  // something on the device carries the flow already
  };

  void take_mark(const GpuRecord& record);
  void wait(const GpuRecord& record);
  void note_for_idle(const GpuRecord& record);
  void add_idle(Batch& batch);
  Track& track_of(const GpuRecord& record);
  void emit(Track& track, const GpuRecord& record, Batch& batch);
  base::StringId detail_of(const GpuRecord& record, const Launch* launch, Batch& batch);

  base::StringTable& strings_;
  AddTrack add_track_;
  std::map<Key, Track> tracks_;
  std::unordered_map<std::uint32_t, Launch> launches_;
  std::unordered_map<std::uint32_t, GpuRecord> open_marks_;  // by range
  std::unordered_set<base::StringId> written_launches_;
  // Kept until the end for the idle times.
  std::vector<DeviceInterval> work_;
  std::vector<HostCall> calls_;
  std::vector<std::int64_t> began_;
  std::map<std::uint32_t, trace::TrackId> idle_tracks_;
  std::int64_t latest_ns_ = 0;
  std::uint64_t without_time_ = 0;
};

}  // namespace ts::capture
