#include "core/allocator/log_of_snapshot.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/allocator/category_guess.h"
#include "core/allocator/profiler_steps.h"
#include "core/allocator/snapshot_figures.h"
#include "core/allocator/stack_origin.h"
#include "core/base/huge_page_allocator.h"
#include "core/base/letters.h"

namespace ts::allocator {
namespace {

// Sizes from a file are limited so that sums cannot overflow.
constexpr std::int64_t kMostLoggedBytes = std::int64_t{1} << 60;
std::int64_t nanoseconds(std::int64_t time_us) {
  constexpr std::int64_t kPerMicrosecond = 1000;
  constexpr std::int64_t kMost = std::int64_t{1} << 52;  // the year 2112
  return std::clamp<std::int64_t>(time_us, 0, kMost) * kPerMicrosecond;
}
template <std::size_t N>
std::optional<std::size_t> place_of(const std::array<std::string_view, N>& names,
                                    std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

// Bytes that an event takes from the device, or gives back.
std::int64_t change_of_reserved(const TraceEntry& entry) {
  const std::int64_t size = std::clamp(entry.size, -kMostLoggedBytes, kMostLoggedBytes);
  switch (entry.action) {
    case TraceAction::segment_alloc:
    case TraceAction::segment_map:
      return size;
    case TraceAction::segment_free:
    case TraceAction::segment_unmap:
      return -size;
    default:
      return 0;
  }
}

// Begin or end of a phase, from the annotations.
struct PhaseMark {
  std::int64_t time_us = 0;
  base::Phase phase = base::Phase::idle;
  bool begins = false;
};

// "Optimizer.step#AdamW.step" is the optimizer, "## backward ##" a backward; unset for other names.
std::optional<base::Phase> phase_of_annotation(std::string_view name) {
  if (const auto phase = place_of(base::kPhaseNames, name)) return static_cast<base::Phase>(*phase);
  const std::string lower = base::lower(name);
  const auto has = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
  if (has("zero_grad")) return std::nullopt;
  if (has("optimizer.step") || has("optimizer_step")) return base::Phase::optimizer;
  if (has("backward")) return base::Phase::backward;
  if (has("forward")) return base::Phase::forward;
  return std::nullopt;
}

// The share of the bytes at the peak whose category is known.
double known_share(const memory::AllocationLog& log) {
  if (log.peak_bytes() == 0) return 0;
  const memory::CategoryBytes bytes = log.by_category_after(log.peak_event());
  const auto unknown = bytes[static_cast<std::size_t>(memory::Category::unknown)];
  return 1 - static_cast<double>(unknown) / static_cast<double>(log.peak_bytes());
}

class LogBuilder {
 public:
  LogBuilder(const Snapshot& snapshot, std::size_t device)
      : snapshot_(snapshot),
        device_(static_cast<std::int64_t>(device)),
        timed_(has_times(snapshot)),
        origins_(snapshot),
        steps_(profiler_steps(snapshot, device_)) {
    if (device < snapshot.device_traces.size()) trace_ = snapshot.device_traces[device];
  }

  SnapshotLog run() {
    const PeakAndEnd reserved = reserved_bytes(snapshot_, static_cast<std::size_t>(device_));
    held_ = reserved.end;
    for (const TraceEntry& entry : trace_)
      held_ = std::clamp(held_ - change_of_reserved(entry), -kMostLoggedBytes, kMostLoggedBytes);
    if (reserved.peak > 0) note_reserved(trace_.empty() ? 0 : trace_.front().time_us);
    result_.peak_reserved = reserved.peak;
    result_.end_reserved = reserved.end;
    const std::int64_t begin = trace_.empty() ? 0 : trace_.front().time_us;
    const std::vector<EarlierBlock> earlier =
        earlier_blocks(snapshot_, static_cast<std::size_t>(device_));
    make_room(earlier.size());
    for (const EarlierBlock& block : earlier) {
      ++result_.blocks_before;
      // The place of the free says nothing about the purpose of the block, so it gives no module or
      // phase.
      alloc(begin, block.address, block.size, block.stack, memory::Category::unknown);
      if (block.stack == memory::kNone && block.freed != memory::kNone) {
        result_.free_stacks.emplace(static_cast<memory::BlockIndex>(result_.stacks.size() - 1),
                                    block.freed);
      }
    }
    result_.bytes_before = result_.log.current_bytes();
    const std::vector<PhaseMark> marks = phase_marks();
    std::size_t next = 0;
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      for (; next < marks.size() && marks[next].time_us <= trace_[i].time_us; ++next) {
        mark_phase(marks[next], i);
      }
      play(trace_[i]);
    }
    for (; next < marks.size(); ++next) mark_phase(marks[next], trace_.size());
    if (!has_categories_) guess();
    if (!steps_.empty()) number_steps();
    return std::move(result_);
  }

 private:
  // The time of the next event.
  [[nodiscard]] std::int64_t log_time(std::int64_t time_us) const {
    return timed_ ? nanoseconds(time_us) : std::ssize(result_.log.events());
  }
  // For the trace and so many blocks before it.
  void make_room(std::size_t earlier);
  void guess();
  void number_steps();
  void begin_in_step(memory::PhaseSpan& span) const;
  [[nodiscard]] memory::EventIndex event_after(std::int64_t time_us) const;
  [[nodiscard]] std::vector<PhaseMark> phase_marks() const;
  void mark_phase(const PhaseMark& mark, std::size_t next_event);
  void play(const TraceEntry& entry);
  void note_reserved(std::int64_t time_us);
  void alloc(std::int64_t time_us, std::uint64_t address, std::int64_t size, StackIndex stack,
             memory::Category category, std::uint32_t entry = memory::kNone);
  memory::Category category_of(const TraceEntry& entry);
  [[nodiscard]] std::int32_t step_from(std::size_t event);
  void append(const memory::Record& record, std::uint32_t entry);

  const Snapshot& snapshot_;
  std::int64_t device_;
  bool timed_;
  std::span<const TraceEntry> trace_;
  StackOrigins origins_;
  std::int64_t held_ = 0;  // bytes that the allocator holds of the device
  std::vector<ProfilerStep> steps_;
  std::unordered_map<base::StringId, memory::Category> categories_;
  bool has_categories_ = false;  // an entry of the trace has one
  bool guessed_phases_ = false;  // else they are annotated
  SnapshotLog result_;
};

void LogBuilder::make_room(std::size_t earlier) {
  const auto is_alloc = [](const TraceEntry& entry) { return entry.action == TraceAction::alloc; };
  const auto allocations =
      earlier + static_cast<std::size_t>(std::ranges::count_if(trace_, is_alloc));
  result_.log.reserve(allocations);
  base::reserve_in_huge_pages(result_.stacks, allocations);
  base::reserve_in_huge_pages(result_.entries, allocations);
  base::reserve_in_huge_pages(result_.event_entries, earlier + trace_.size());
}

void LogBuilder::guess() {
  // By stack, and at last for blocks without one.
  std::vector<BlockEvidence> kinds(snapshot_.stacks.stack_count() + 1);
  for (const StackIndex stack : result_.stacks) {
    BlockEvidence& kind = kinds[std::min<std::size_t>(stack, kinds.size() - 1)];
    if (stack == memory::kNone || kind.stack == stack) continue;
    const StackOrigin& origin = origins_.of(stack);
    kind = {.phase = origin.phase,
            .python = origin.python,
            .in_module = origin.in_module,
            .makes_module = origin.makes_module,
            .workspace = origin.workspace,
            .stack = stack};
  }
  const memory::EvidenceList evidence(kinds, result_.stacks,
                                      static_cast<std::size_t>(result_.blocks_before));
  CategoryGuess guess = guess_categories(result_.log, evidence);
  const auto known = [](memory::Category category) {
    return category != memory::Category::unknown;
  };
  if (std::ranges::none_of(guess.categories, known)) return;
  const auto phases = result_.log.phases();
  guessed_phases_ = !guess.phases.empty();
  if (!guessed_phases_) guess.phases.assign(phases.begin(), phases.end());
  result_.log.decide(guess.categories, std::move(guess.phases));
  result_.guessed_share = known_share(result_.log);
}

// The first event at or after a time.
memory::EventIndex LogBuilder::event_after(std::int64_t time_us) const {
  const memory::EventIndex before = result_.log.event_at(nanoseconds(time_us) - 1);
  return before == memory::kNone ? 0 : before + 1;
}

namespace {

// A guessed forward after the optimizer of a step, with which the step ends, is none: blocks that
// are there for the next step, or for what is printed.
void leave_out_rests(std::vector<memory::PhaseSpan>& spans) {
  std::vector<memory::PhaseSpan> kept;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const bool last = i + 1 == spans.size() || spans[i + 1].step != spans[i].step;
    const bool after_optimizer =
        i > 0 && spans[i - 1].phase == base::Phase::optimizer && spans[i - 1].step == spans[i].step;
    if (spans[i].phase != base::Phase::forward || !last || !after_optimizer)
      kept.push_back(spans[i]);
  }
  spans = std::move(kept);
}

}  // namespace

// The phases get the numbers of the annotated steps that they begin in. A step without phases is
// one, of which only the number is known.
void LogBuilder::number_steps() {
  constexpr std::int64_t kPerMicrosecond = 1000;
  std::vector<memory::PhaseSpan> spans(result_.log.phases().begin(), result_.log.phases().end());
  for (memory::PhaseSpan& span : spans) {
    if (guessed_phases_) begin_in_step(span);
    const std::int32_t step = step_at(steps_, span.begin_ns / kPerMicrosecond);
    if (step >= 0) span.step = step;
  }
  if (guessed_phases_) leave_out_rests(spans);
  for (const ProfilerStep& step : steps_) {
    if (std::ranges::find(spans, step.number, &memory::PhaseSpan::step) != spans.end()) continue;
    memory::PhaseSpan span;
    span.phase = base::Phase::idle;
    span.step = step.number;
    span.first_event = event_after(step.begin_us);
    span.end_event = event_after(step.end_us);
    span.begin_ns = nanoseconds(step.begin_us);
    span.end_ns = nanoseconds(step.end_us);
    if (span.end_event > span.first_event) spans.push_back(span);
  }
  std::ranges::stable_sort(spans, {}, &memory::PhaseSpan::first_event);
  std::vector<memory::Category> categories;
  for (const memory::Block& block : result_.log.blocks()) categories.push_back(block.category);
  result_.log.decide(categories, std::move(spans));
}

// A guessed phase begins with the first block that may be its own: what a script takes between its
// optimizer and the end of the step is not the next forward.
void LogBuilder::begin_in_step(memory::PhaseSpan& span) const {
  for (const ProfilerStep& step : steps_) {
    const std::int64_t border = nanoseconds(step.begin_us);
    const memory::EventIndex first = event_after(step.begin_us);
    if (border <= span.begin_ns || border >= span.end_ns || first >= span.end_event) continue;
    if (2 * (first - span.first_event) > span.end_event - span.first_event) return;
    span.first_event = first;
    span.begin_ns = border;
    return;
  }
}

// Phases do not nest in a log: of annotations inside one another the innermost counts.
std::vector<PhaseMark> LogBuilder::phase_marks() const {
  struct Mark {
    std::int64_t time_us = 0;
    base::StringId name = base::kNoString;
    base::Phase phase = base::Phase::idle;
    bool begins = false;
  };
  std::vector<Mark> all;
  for (const ExternalAnnotation& annotation : snapshot_.external_annotations) {
    if (annotation.device != device_) continue;
    const auto phase = phase_of_annotation(snapshot_.text(annotation.name));
    if (!phase) continue;
    all.push_back(
        {annotation.time_us, annotation.name, *phase, snapshot_.text(annotation.stage) == "START"});
  }
  std::ranges::stable_sort(all, {}, &Mark::time_us);
  std::vector<PhaseMark> marks;
  std::vector<Mark> open;
  for (const Mark& mark : all) {
    if (!mark.begins) {
      const auto found = std::ranges::find(open, mark.name, &Mark::name);
      if (found == open.end()) continue;
      const bool innermost = found + 1 == open.end();
      open.erase(found);
      if (!innermost) continue;
      marks.push_back({mark.time_us, mark.phase, false});
    } else {
      open.push_back(mark);
    }
    if (!open.empty()) marks.push_back({mark.time_us, open.back().phase, true});
  }
  return marks;
}

// The step given by the allocations of the phase.
std::int32_t LogBuilder::step_from(std::size_t event) {
  constexpr std::size_t kLook = 64;
  const std::size_t end = std::min(trace_.size(), event + kLook);
  for (; event < end; ++event) {
    if (trace_[event].action != TraceAction::alloc) continue;
    return origins_.of(trace_[event].stack).step;
  }
  return -1;
}

void LogBuilder::mark_phase(const PhaseMark& mark, std::size_t next_event) {
  memory::Record record;
  record.time_ns = log_time(mark.time_us);
  record.action = mark.begins ? memory::Action::phase_begin : memory::Action::phase_end;
  record.phase = mark.phase;
  if (mark.begins) record.step = step_from(next_event);
  if (mark.begins && record.step < 0) record.step = step_at(steps_, mark.time_us);
  result_.log.append(record);
}

void LogBuilder::note_reserved(std::int64_t time_us) {
  memory::Record record;
  record.time_ns = log_time(time_us);
  record.action = memory::Action::snapshot;
  record.size = std::clamp<std::int64_t>(held_, 0, kMostLoggedBytes);
  result_.log.append(record);
}

void LogBuilder::append(const memory::Record& record, std::uint32_t entry) {
  result_.log.append(record);
  result_.event_entries.resize(result_.log.events().size(), entry);
}

void LogBuilder::play(const TraceEntry& entry) {
  if (const std::int64_t change = change_of_reserved(entry); change != 0) {
    held_ = std::clamp(held_ + change, -kMostLoggedBytes, kMostLoggedBytes);
    note_reserved(entry.time_us);
    return;
  }
  const auto number = static_cast<std::uint32_t>(&entry - trace_.data());
  if (entry.action == TraceAction::alloc) {
    alloc(entry.time_us, entry.address, entry.size, entry.stack, category_of(entry), number);
    return;
  }
  memory::Record record;
  record.time_ns = log_time(entry.time_us);
  record.address = entry.address;
  record.size = entry.size;
  if (entry.action == TraceAction::free_completed) {
    record.action = memory::Action::free_completed;
  } else if (entry.action == TraceAction::oom) {
    record.action = memory::Action::oom;
    record.size = std::clamp<std::int64_t>(entry.size, 0, kMostLoggedBytes);
    const StackOrigin& origin = origins_.of(entry.stack);
    record.op = origin.op;
    record.module = origin.module;
  } else {
    return;
  }
  append(record, number);
}

void LogBuilder::alloc(std::int64_t time_us, std::uint64_t address, std::int64_t size,
                       StackIndex stack, memory::Category category, std::uint32_t entry_number) {
  const StackOrigin& origin = origins_.of(stack);
  memory::Record record;
  record.time_ns = log_time(time_us);
  record.address = address;
  record.size = std::clamp<std::int64_t>(size, 0, kMostLoggedBytes - result_.log.current_bytes());
  record.op = origin.op;
  record.module = origin.module;
  record.phase = origin.phase;
  record.step = origin.step >= 0 ? origin.step : step_at(steps_, time_us);
  append(record, entry_number == memory::kNone ? 0 : entry_number);
  result_.stacks.push_back(stack);
  result_.entries.push_back(entry_number);
  // Decided at once: the category rules for our own runs do not apply here.
  record.action = memory::Action::owner;
  record.category = category;
  result_.log.append(record);
}

memory::Category LogBuilder::category_of(const TraceEntry& entry) {
  const base::StringId id = snapshot_.notes[entry.notes].category;
  if (id == base::kNoString) return memory::Category::unknown;
  has_categories_ = true;
  const auto [place, fresh] = categories_.try_emplace(id, memory::Category::unknown);
  if (fresh) {
    if (const auto found = place_of(memory::kCategoryNames, snapshot_.text(id))) {
      place->second = static_cast<memory::Category>(*found);
    }
  }
  return place->second;
}

}  // namespace

SnapshotLog log_of_snapshot(const Snapshot& snapshot, std::size_t device) {
  return LogBuilder(snapshot, device).run();
}

}  // namespace ts::allocator
