#include <fmt/format.h>

#include <type_traits>

#include "tests/snapshot/random_snapshot.h"

namespace ts::snapshot::testing {
namespace {

class Words {
 public:
  explicit Words(const allocator::Snapshot& snapshot) : snapshot_(snapshot) {}

  std::string all() {
    for (const auto& segment : snapshot_.segments) add(segment);
    for (const auto& trace : snapshot_.device_traces) {
      words_ += "device\n";
      for (const auto& entry : trace) add(entry);
    }
    for (const auto& one : snapshot_.external_annotations) {
      words_ += fmt::format("annotation {} {} {} {}\n", text(one.name), text(one.stage), one.device,
                            one.time_us);
    }
    for (const auto& setting : snapshot_.allocator_settings) add(setting);
    return words_;
  }

 private:
  std::string text(base::StringId id) { return fmt::format("'{}'", snapshot_.text(id)); }

  std::string stack(allocator::StackIndex index) {
    if (index == memory::kNone) return "no stack";
    std::string words = "[";
    for (const allocator::FrameIndex each : snapshot_.stacks.stack(index)) {
      const allocator::Frame& frame = snapshot_.stacks.frame(each);
      words += fmt::format("({} {} {} {} {} {} {})", text(frame.name), text(frame.filename),
                           frame.line, text(frame.fx_node_op), text(frame.fx_node_name),
                           text(frame.fx_node_target), text(frame.fx_original_trace));
    }
    return words + "]";
  }

  void add(const allocator::SnapshotSegment& one) {
    words_ += fmt::format("segment {} {} {} {} {} {} {} ({}, {}) {} {} {}\n", one.device,
                          one.address, one.total_size, one.allocated_size, one.active_size,
                          one.requested_size, one.stream, one.pool.first, one.pool.second,
                          one.small_pool, one.expandable, stack(one.stack));
    for (const auto& block : one.blocks) {
      words_ += fmt::format("  block {} {} {} {} {}\n", block.address, block.size, block.requested,
                            static_cast<int>(block.state), stack(block.stack));
      if (block.history == memory::kNone) continue;
      words_ += "  history\n";
      for (const auto& past : snapshot_.histories[block.history]) {
        words_ += past.address ? fmt::format("    at {}", *past.address) : "    at none";
        if (past.requested) words_ += fmt::format(" asked {}", *past.requested);
        words_ += fmt::format(" {}\n", stack(past.stack));
      }
    }
  }

  void add(const allocator::TraceEntry& one) {
    const allocator::EntryNotes& notes = snapshot_.notes[one.notes];
    words_ += fmt::format("  {} {} {} {} {} {} {} {} {} {}", snapshot_.action_name(one),
                          one.address, one.size, one.time_us, notes.stream, stack(one.stack),
                          text(notes.compile_context), text(notes.user_metadata),
                          text(notes.category), stack(notes.forward_frames));
    if (notes.pool) words_ += fmt::format(" ({}, {})", notes.pool->first, notes.pool->second);
    if (notes.metadata != memory::kNone) {
      for (const auto& [name, value] : snapshot_.metadata[notes.metadata].entries)
        words_ += fmt::format(" {}={}:{}", text(name), value.index(), as_text(value));
    }
    if (notes.oom_address) words_ += fmt::format(" at {}", *notes.oom_address);
    words_ += '\n';
  }

  std::string as_text(const allocator::MetadataDict::Value& value) {
    return std::visit(
        [this](const auto& one) -> std::string {
          using T = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<T, std::monostate>)
            return "nothing";
          else if constexpr (std::is_same_v<T, base::StringId>)
            return text(one);
          else
            return fmt::format("{}", one);
        },
        value);
  }

  void add(const allocator::SnapshotSetting& one) {
    words_ += "setting " + text(one.name);
    std::visit(
        [this](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, base::StringId>) {
            words_ += " text " + text(value);
          } else if constexpr (std::is_same_v<T, allocator::SnapshotSetting::Divisions>) {
            for (const auto& [name, count] : value) {
              words_ += fmt::format(" {}={}", text(name), count);
            }
          } else {
            words_ += fmt::format(" {} {}", typeid(T).name(), value);
          }
        },
        one.value);
    words_ += '\n';
  }

  const allocator::Snapshot& snapshot_;
  std::string words_;
};

}  // namespace

std::string as_text(const allocator::Snapshot& snapshot) {
  return Words(snapshot).all();
}

}  // namespace ts::snapshot::testing
