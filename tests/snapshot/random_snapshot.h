#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/allocator/snapshot.h"

namespace ts::snapshot::testing {

// A snapshot with every field of the format set to something, the far ends of numbers and texts
// with quotes and other scripts included. It makes no sense as a recording.
class RandomSnapshot {
 public:
  explicit RandomSnapshot(std::uint32_t seed) : random_(seed) {}

  allocator::Snapshot make(int size) {
    for (int i = 0; i < size; ++i) stack();
    for (int i = 0; i < size / 2; ++i) snapshot_.segments.push_back(segment());
    snapshot_.device_traces.resize(below(4));
    for (auto& trace : snapshot_.device_traces) {
      for (int i = 0; i < size; ++i) trace.push_back(entry());
    }
    for (int i = 0; i < size / 4; ++i) {
      snapshot_.external_annotations.push_back({text(), text(), number(), number()});
    }
    settings();
    return snapshot_;
  }

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  std::int64_t number() {
    constexpr std::int64_t kEnds[] = {0,
                                      1,
                                      -1,
                                      127,
                                      128,
                                      255,
                                      256,
                                      65535,
                                      65536,
                                      std::numeric_limits<std::int32_t>::max(),
                                      std::numeric_limits<std::int32_t>::min(),
                                      std::int64_t{1} << 31,
                                      std::int64_t{1} << 59,
                                      -(std::int64_t{1} << 59) - 1,
                                      std::numeric_limits<std::int64_t>::max(),
                                      std::numeric_limits<std::int64_t>::min()};
    if (below(3) == 0) return kEnds[below(std::size(kEnds))];
    return static_cast<std::int64_t>(random_()) >> below(64);
  }
  // Readers refuse others.
  std::int64_t size() { return number() & std::numeric_limits<std::int64_t>::max(); }
  std::int64_t time() {
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    return number() % (kMost + 1);
  }
  std::uint64_t address() { return random_() >> below(64); }

  base::StringId text() {
    static const std::string kTexts[] = {"",     "N/A",           "aten::bmm",    "a \"quote\" \\",
                                         "层.3", "line\nbreak\t", "\x01 control", "blocks.3.attn"};
    if (below(4) == 0) return snapshot_.strings->intern(std::string(below(600), 'x'));
    return snapshot_.strings->intern(kTexts[below(std::size(kTexts))]);
  }

  allocator::StackIndex stack() {
    if (below(5) == 0) return memory::kNone;
    std::vector<allocator::FrameIndex> frames(below(6));
    for (auto& index : frames) {
      allocator::Frame frame{text(), text(), number()};
      if (below(4) == 0) {
        frame.fx_node_op = text();
        frame.fx_node_name = text();
        frame.fx_node_target = text();
        frame.fx_original_trace = text();
      }
      index = snapshot_.stacks.add_frame(frame);
    }
    return snapshot_.stacks.add_stack(frames);
  }

  allocator::SnapshotSegment segment() {
    allocator::SnapshotSegment segment{number(), address(),     size(),        size(),
                                       size(),   size(),        number(),      {},
                                       stack(),  below(2) == 0, below(2) == 0, {}};
    segment.pool = {number(), number()};
    for (std::uint64_t i = below(5); i > 0; --i) {
      segment.blocks.push_back(
          {address(), size(), size(), stack(), static_cast<allocator::BlockState>(below(3))});
      if (below(4) == 0) segment.blocks.back().history = history(segment.blocks.back());
    }
    return segment;
  }

  // The newest allocation is the block's.
  allocator::HistoryIndex history(const allocator::SnapshotBlock& block) {
    allocator::PastAllocations past(below(4));
    for (allocator::PastAllocation& one : past) {
      if (below(3) > 0) one.address = address();
      if (below(3) > 0) one.requested = size();
      one.stack = stack();
    }
    if (!past.empty()) past.front() = {address(), block.requested, block.stack};
    snapshot_.histories.push_back(std::move(past));
    return static_cast<allocator::HistoryIndex>(snapshot_.histories.size() - 1);
  }

  allocator::TraceEntry entry() {
    allocator::EntryNotes notes;
    notes.stream = number();
    notes.compile_context = text();
    notes.user_metadata = text();
    if (below(6) == 0) add_metadata(notes);
    if (below(2) == 0) notes.category = text();
    if (below(3) == 0) notes.pool = allocator::PoolId{number(), number()};
    if (below(8) == 0) notes.forward_frames = names();
    allocator::TraceEntry entry{
        address(), size(),
        time(),    stack(),
        0,         static_cast<allocator::TraceAction>(below(allocator::kTraceActionCount))};
    if (entry.action == allocator::TraceAction::other) {
      notes.other_action = snapshot_.strings->intern("later");
    }
    entry.notes = snapshot_.notes.add(notes) & allocator::kMostNotes;
    return entry;
  }

  // A dictionary, whose words are a text, too.
  void add_metadata(allocator::EntryNotes& notes) {
    allocator::MetadataDict dict;
    const base::StringId name = snapshot_.strings->intern("name");
    const base::StringId other = snapshot_.strings->intern("a");
    switch (below(4)) {
      case 0:
        notes.user_metadata = snapshot_.strings->intern("");
        break;
      case 1:
        dict.entries = {{name, std::int64_t{-5}}, {other, true}};
        notes.user_metadata = snapshot_.strings->intern("name: -5, a: true");
        break;
      case 2:
        dict.entries = {{other, std::monostate()}, {name, 2.5}};
        notes.user_metadata = snapshot_.strings->intern("a: none, name: 2.5");
        break;
      default:
        dict.entries = {{name, other}};
        notes.user_metadata = snapshot_.strings->intern("name: a");
    }
    notes.metadata = snapshot_.metadata.add(dict);
  }

  allocator::StackIndex names() {
    std::vector<allocator::FrameIndex> frames(below(4));
    for (auto& frame : frames) frame = snapshot_.stacks.add_frame({text()});
    return snapshot_.stacks.add_stack(frames);
  }

  void settings() {
    const auto add = [this](const char* name, auto value) {
      allocator::SnapshotSetting& setting = snapshot_.allocator_settings.emplace_back();
      setting.name = snapshot_.strings->intern(name);
      setting.value = value;
    };
    add("PYTORCH_CUDA_ALLOC_CONF", text());
    add("max_split_size", number());
    add("garbage_collection_threshold", 0.8125);
    add("a_whole_real", 2.0);
    add("expandable_segments", below(2) == 0);
    allocator::SnapshotSetting::Divisions divisions;
    for (int step = 0; step < 16; ++step) {
      divisions.emplace_back(snapshot_.strings->intern(std::to_string(1 << step)), number());
    }
    add("roundup_power2_divisions", divisions);
  }

  std::mt19937_64 random_;
  allocator::Snapshot snapshot_;
};

// A snapshot in words, texts and stacks in full: equal for equal snapshots, however they are kept.
std::string as_text(const allocator::Snapshot& snapshot);

}  // namespace ts::snapshot::testing
