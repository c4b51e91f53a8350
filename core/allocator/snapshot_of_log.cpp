#include "core/allocator/snapshot_of_log.h"

#include "core/allocator/snapshot_figures.h"

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/allocator/snapshot_recorder.h"
#include "core/allocator/stack_origin.h"
#include "core/memory/interner.h"

namespace ts::allocator {
namespace {

constexpr std::int64_t kNanosecondsInMicrosecond = 1000;

// The origin of an allocation.
struct Origin {
  base::StringId op = base::kNoString;
  base::StringId module = base::kNoString;
  std::int32_t step = -1;
  base::Phase phase = base::Phase::setup;
  friend bool operator==(const Origin&, const Origin&) = default;
};
struct OriginHash {
  std::size_t operator()(const Origin& origin) const {
    const std::size_t names = memory::mix_hash(origin.op, origin.module);
    return memory::mix_hash(names, (static_cast<std::uint64_t>(origin.step) << 8U) |
                                       static_cast<std::uint64_t>(origin.phase));
  }
};

class SnapshotBuilder {
 public:
  SnapshotBuilder(const memory::AllocationLog& log, const base::StringTable& strings,
                  const SnapshotOfLogOptions& options)
      : log_(log),
        strings_(strings),
        options_(options),
        recorder_(options.settings, options.device),
        addresses_(log.blocks().size()) {}

  Snapshot run() {
    recorder_.set_segment_notes(notes("unknown"));
    for (memory::EventIndex event = 0; event < log_.events().size(); ++event) add(event);
    for (const memory::PhaseSpan& span : log_.phases()) annotate(span);
    return recorder_.finish();
  }

 private:
  void add(memory::EventIndex index);
  void add_oom(memory::EventIndex index, SnapshotRecorder::Mark mark);
  void annotate(const memory::PhaseSpan& span);
  StackIndex stack(const Origin& origin);
  NotesIndex notes(std::string_view category);
  FrameIndex frame(std::string_view name, std::string_view kind, std::int64_t line);

  base::StringId text(std::string_view text) { return recorder_.snapshot().strings->intern(text); }
  [[nodiscard]] std::int64_t unix_us(std::int64_t time_ns) const {
    return (time_ns + options_.unix_offset_ns) / kNanosecondsInMicrosecond;
  }
  static Origin origin_of(const memory::Block& block) {
    return {block.op, block.module, block.step, block.phase};
  }

  const memory::AllocationLog& log_;
  const base::StringTable& strings_;
  const SnapshotOfLogOptions& options_;
  SnapshotRecorder recorder_;
  std::vector<std::optional<std::uint64_t>> addresses_;  // by block, while it lives
  std::unordered_map<Origin, StackIndex, OriginHash> stacks_;
};

FrameIndex SnapshotBuilder::frame(std::string_view name, std::string_view kind, std::int64_t line) {
  Frame frame;
  frame.name = text(name);
  frame.filename = text(kind);
  frame.line = line;
  return recorder_.snapshot().stacks.add_frame(frame);
}

StackIndex SnapshotBuilder::stack(const Origin& origin) {
  const auto [place, fresh] = stacks_.try_emplace(origin, memory::kNone);
  if (!fresh) return place->second;
  std::vector<FrameIndex> frames;
  if (origin.op != base::kNoString)
    frames.push_back(frame(strings_.view(origin.op), "operator", 0));
  const auto [module, line] = parts_of_place(strings_.view(origin.module));
  if (line.number > 0) frames.push_back(frame("", line.file, line.number));
  // "blocks.3.attn" is in "blocks.3", which is in "blocks".
  for (std::string_view path = module; !path.empty();) {
    frames.push_back(frame(path, "module", 0));
    const auto dot = path.rfind('.');
    path = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
  }
  frames.push_back(frame(base::phase_name(origin.phase), "phase", 0));
  if (origin.step >= 0) frames.push_back(frame("step", "step", origin.step));
  return place->second = recorder_.snapshot().stacks.add_stack(frames);
}

NotesIndex SnapshotBuilder::notes(std::string_view category) {
  EntryNotes notes;
  notes.compile_context = text("N/A");  // PyTorch's word for none
  if (!category.empty()) notes.category = text(category);
  if (!options_.user_metadata.empty()) notes.user_metadata = text(options_.user_metadata);
  return recorder_.snapshot().notes.add(notes);
}

void SnapshotBuilder::add_oom(memory::EventIndex index, SnapshotRecorder::Mark mark) {
  const auto refused = log_.out_of_memory();
  std::int64_t bytes = 0;  // the log keeps the first refusal only
  if (refused && refused->event == index) {
    bytes = refused->bytes_asked;
    Origin origin{refused->op, refused->module};
    for (const memory::PhaseSpan& span : log_.phases()) {
      if (span.first_event > index) break;
      origin.phase = span.phase;
      origin.step = span.step;
    }
    mark.stack = stack(origin);
  }
  mark.notes = notes({});
  const std::int64_t taken = log_.events()[index].total_after;
  recorder_.oom(bytes, options_.memory_limit - taken, mark);
}

void SnapshotBuilder::add(memory::EventIndex index) {
  const memory::Event& event = log_.events()[index];
  SnapshotRecorder::Mark mark;
  mark.time_us = unix_us(event.time_ns);
  if (event.action == memory::Action::oom) return add_oom(index, mark);
  // A free of an unknown or an empty block: PyTorch records neither.
  if (event.block == memory::kNone || log_.blocks()[event.block].size == 0) return;
  const memory::Block& block = log_.blocks()[event.block];
  mark.stack = stack(origin_of(block));
  auto& address = addresses_[event.block];
  if (event.action == memory::Action::alloc) {
    mark.notes = notes(memory::category_name(block.category));
    address = recorder_.alloc(block.size, mark);
  } else if (address) {
    mark.notes = notes({});
    recorder_.free(*address, mark);
    address.reset();
  }
}

void SnapshotBuilder::annotate(const memory::PhaseSpan& span) {
  auto& annotations = recorder_.snapshot().external_annotations;
  annotations.push_back(
      {text(base::phase_name(span.phase)), text("START"), 0, unix_us(span.begin_ns)});
  if (span.end_event == memory::kNone) return;  // still open
  annotations.push_back({text(base::phase_name(span.phase)), text("END"), 0, unix_us(span.end_ns)});
}

}  // namespace

Snapshot snapshot_of(const memory::AllocationLog& log, const base::StringTable& strings,
                     const SnapshotOfLogOptions& options) {
  Snapshot snapshot = SnapshotBuilder(log, strings, options).run();
  SnapshotSetting& modelled = snapshot.allocator_settings.emplace_back();
  modelled.name = snapshot.strings->intern(kModelledSegments);
  modelled.value = true;
  return snapshot;
}

namespace {

constexpr std::string_view kPredictedFor = "predicted for ";
constexpr std::string_view kNotRecorded = ", not recorded";

}  // namespace

std::string predicted_note(std::string_view card) {
  return std::string(kPredictedFor).append(card).append(kNotRecorded);
}

bool has_predicted_note(const Snapshot& snapshot) {
  for (const auto& trace : snapshot.device_traces) {
    if (trace.empty()) continue;
    const std::string_view note = snapshot.text(snapshot.notes[trace.front().notes].user_metadata);
    return note.starts_with(kPredictedFor) && note.ends_with(kNotRecorded);
  }
  return false;
}

bool has_clock(const Snapshot& snapshot) {
  return has_times(snapshot) && !has_predicted_note(snapshot);
}

}  // namespace ts::allocator
