#include "core/allocator/category_guess.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <unordered_map>

#include "core/base/check.h"
#include "core/memory/forward_guess.h"
#include "core/memory/state_guess.h"

namespace ts::allocator {
namespace {

using base::Phase;
using memory::Block;
using memory::BlockIndex;
using memory::Category;
using memory::EventIndex;
using memory::kNone;

// A stretch of events in one phase; idle: before the first step, or not known. An optimizer may be
// without events.
struct Stretch {
  Phase phase = Phase::idle;
  EventIndex first = 0;
  EventIndex end = 0;
  std::optional<std::int64_t> begin_ns = {};  // where it is annotated; else that of its first event
  EventIndex module = kNone;                  // the first allocation in a module
};

class Guesser {
 public:
  Guesser(const memory::AllocationLog& log, const EvidenceList& evidence)
      : log_(log), events_(log.events()), blocks_(log.blocks()), evidence_(evidence) {
    TS_CHECK(evidence.size() == blocks_.size());
    for (const memory::PhaseSpan& span : log.phases()) annotated_ |= span.phase == Phase::backward;
    spans_.assign(log.phases().begin(), log.phases().end());
  }

  CategoryGuess run() {
    CategoryGuess guess;
    guess.categories.assign(blocks_.size(), Category::unknown);
    if (blocks_.empty()) return guess;
    if (!stretches_of_evidence()) stretches_of_lifetimes();
    number_backwards();
    find_modules();
    if (backwards_.empty()) {
      if (forwards_only_) guess.categories = memory::guess_of_forwards(log_, evidence_);
      if (stacks_only_) guess.categories = memory::guess_of_stacks(log_, evidence_);
      return guess;
    }
    for (BlockIndex i = 0; i < blocks_.size(); ++i) guess.categories[i] = category_of(i);
    kept_.optimizer = saw_optimizer();
    memory::part_kept(log_, evidence_, kept_, guess.categories);
    if (!annotated_) guess.phases = phases();
    return guess;
  }

 private:
  [[nodiscard]] EventIndex end_of(const Block& block) const {
    return block.free_event == kNone ? static_cast<EventIndex>(events_.size()) : block.free_event;
  }
  [[nodiscard]] Phase phase_by_evidence(BlockIndex index, bool bare_is_backward) const;
  bool stretches_of_evidence();
  void stretches_of_lifetimes();
  void append(const Stretch& stretch);
  void number_backwards();
  [[nodiscard]] const Stretch& stretch_at(EventIndex event) const;
  [[nodiscard]] std::size_t backwards_begun_by(EventIndex event) const;
  [[nodiscard]] Category category_of(BlockIndex index);
  [[nodiscard]] Category category_of_forward(BlockIndex index, const Stretch& stretch);
  [[nodiscard]] bool saw_optimizer() const;
  void find_modules();
  [[nodiscard]] bool is_input(BlockIndex index, const Stretch& stretch) const;
  [[nodiscard]] Category category_of_kept(BlockIndex index, const Stretch& stretch);
  [[nodiscard]] std::int64_t begin_of(std::size_t stretch) const;
  [[nodiscard]] std::vector<memory::PhaseSpan> phases() const;

  const memory::AllocationLog& log_;
  std::span<const memory::Event> events_;
  std::span<const Block> blocks_;
  const EvidenceList& evidence_;
  bool annotated_ = false;
  std::vector<memory::PhaseSpan> spans_;
  bool forwards_only_ = false;         // Python allocated everything: there is no backward
  bool stacks_only_ = false;           // nothing was allocated in the recording
  std::vector<Stretch> stretches_;     // without gaps
  std::vector<EventIndex> backwards_;  // where they begin
  memory::KeptBlocks kept_;
};

Phase Guesser::phase_by_evidence(BlockIndex index, bool bare_is_backward) const {
  const BlockEvidence known = evidence_[index];
  if (known.earlier) return Phase::idle;
  if (known.phase != Phase::idle) return known.phase == Phase::loss ? Phase::forward : known.phase;
  const EventIndex event = blocks_[index].alloc_event;
  const auto after = std::ranges::upper_bound(spans_, event, {}, &memory::PhaseSpan::first_event);
  if (after != spans_.begin() && event < (after - 1)->end_event &&
      (after - 1)->phase != Phase::idle)
    return (after - 1)->phase == Phase::loss ? Phase::forward : (after - 1)->phase;
  if (bare_is_backward && !known.python) return Phase::backward;
  return Phase::forward;
}

// False: nothing tells whether there is a backward.
bool Guesser::stretches_of_evidence() {
  std::size_t with_python = 0;
  std::size_t inside = 0;
  bool optimizer = false;
  bool backward = std::ranges::any_of(
      spans_, [](const memory::PhaseSpan& span) { return span.phase == Phase::backward; });
  bool engine = backward;
  for (std::size_t i = 0; i < evidence_.size(); ++i) {
    const BlockEvidence known = evidence_[i];
    if (known.earlier) continue;
    ++inside;
    with_python += known.python ? 1 : 0;
    backward = backward || known.phase == Phase::backward;
    engine = engine || (known.phase == Phase::backward && !known.python);
    optimizer = optimizer || known.phase == Phase::optimizer;
  }
  stacks_only_ = inside == 0;
  // A backward on CUDA allocates on a thread without Python: here nothing was.
  forwards_only_ = !backward && !optimizer && inside > 0 && with_python == inside;
  if (forwards_only_) return true;
  // Recordings of Python's stacks alone: a forward has them, a backward on CUDA has none but where
  // it calls an operator of Python.
  const bool bare_is_backward =
      !engine && 4 * with_python > inside && 10 * (inside - with_python) > inside;
  if (!backward && !bare_is_backward) return false;
  Stretch now;
  const auto begin = [&](const Stretch& next) {
    if (next.phase == now.phase) return;
    now.end = next.first;
    append(now);
    now = next;
  };
  std::size_t span = 0;
  // A fused optimizer allocates nothing after the first step: only its annotation tells of it.
  const auto begin_optimizers = [&](EventIndex until) {
    for (; span < spans_.size() && spans_[span].first_event <= until; ++span) {
      const memory::PhaseSpan& one = spans_[span];
      if (one.phase == Phase::optimizer)
        begin({.phase = one.phase, .first = one.first_event, .begin_ns = one.begin_ns});
    }
  };
  for (BlockIndex i = 0; i < blocks_.size(); ++i) {
    const EventIndex event = blocks_[i].alloc_event;
    begin_optimizers(event);
    begin({.phase = phase_by_evidence(i, bare_is_backward), .first = event});
  }
  const auto end = static_cast<EventIndex>(events_.size());
  begin_optimizers(end);
  now.end = end;
  append(now);
  return true;
}

// By the bytes of what is freed again in the recording, without what lives shortly, and without
// what is as large as something that stays: gradients are as large as parameters.
void Guesser::stretches_of_lifetimes() {
  const auto count = static_cast<EventIndex>(events_.size());
  const EventIndex shortly = std::max<EventIndex>(16, count / 400);
  std::unordered_map<std::int64_t, int> staying;
  for (const Block& block : blocks_) {
    if (block.free_event == kNone) ++staying[block.size];
  }
  bool without_sizes_that_stay = true;
  // Calls `visit(event, bytes)` with what is held after each event.
  const auto each_held = [&](const auto& visit) {
    std::int64_t held = 0;
    for (EventIndex i = 0; i < count; ++i) {
      const memory::BlockIndex index = events_[i].block;
      if (index != kNone) {
        const Block& block = blocks_[index];
        const bool middling =
            block.free_event != kNone && block.free_event - block.alloc_event > shortly;
        const bool counts = middling && !(without_sizes_that_stay && staying.contains(block.size));
        if (counts) held += i == block.alloc_event ? block.size : -block.size;
      }
      visit(i, held);
    }
  };
  const auto most_held = [&] {
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    each_held([&](EventIndex /*event*/, std::int64_t held) { most = std::max(most, held); });
    return most;
  };
  const std::int64_t peak = log_.peak_bytes();
  std::int64_t most = most_held();
  if (most < peak / 50) {
    without_sizes_that_stay = false;
    most = most_held();
  }
  if (most < peak / 50 || most <= 0) {
    append({.end = count});
    return;
  }
  // Hills of at least a quarter of the highest, from foot to foot.
  const std::int64_t foot = most / 100;
  const std::int64_t hill = most / 4;
  EventIndex done = 0;
  EventIndex begin = 0;
  EventIndex top = 0;
  std::int64_t height = 0;  // of the hill that has begun; 0: none has
  const auto end_hill = [&](EventIndex end) {
    // The time between two steps belongs to the optimizer.
    append({.phase = done == 0 ? Phase::idle : Phase::optimizer, .first = done, .end = begin});
    append({.phase = Phase::forward, .first = begin, .end = top + 1});
    append({.phase = Phase::backward, .first = top + 1, .end = end});
    done = begin = end;
    height = 0;
  };
  each_held([&](EventIndex event, std::int64_t held) {
    if (height > 0 && held <= foot) end_hill(event);
    if (held <= foot) begin = event;
    if (held < hill || held <= height) return;
    height = held;
    top = event;
  });
  if (height > 0) end_hill(count);
  append({.phase = done == 0 ? Phase::idle : Phase::optimizer, .first = done, .end = count});
}

void Guesser::append(const Stretch& stretch) {
  if (stretch.end > stretch.first || stretch.begin_ns) stretches_.push_back(stretch);
}

void Guesser::number_backwards() {
  for (const Stretch& stretch : stretches_) {
    if (stretch.phase == Phase::backward) backwards_.push_back(stretch.first);
  }
}

bool Guesser::saw_optimizer() const {
  const auto steps = [](const auto& one) { return one.phase == Phase::optimizer; };
  return std::ranges::any_of(evidence_.kinds(), steps) || std::ranges::any_of(spans_, steps);
}

void Guesser::find_modules() {
  std::size_t at = 0;
  for (BlockIndex i = 0; i < blocks_.size() && at < stretches_.size(); ++i) {
    if (evidence_[i].earlier || !evidence_[i].in_module) continue;
    while (at + 1 < stretches_.size() && stretches_[at].end <= blocks_[i].alloc_event) ++at;
    if (stretches_[at].module == kNone) stretches_[at].module = blocks_[i].alloc_event;
  }
}

bool Guesser::is_input(BlockIndex index, const Stretch& stretch) const {
  const BlockEvidence known = evidence_[index];
  const Block& block = blocks_[index];
  return stretch.phase == Phase::forward && stretch.module != kNone && known.python &&
         !known.in_module && !known.earlier && block.alloc_event < stretch.module &&
         end_of(block) > stretch.module;
}

const Stretch& Guesser::stretch_at(EventIndex event) const {
  const auto after = std::ranges::upper_bound(stretches_, event, {}, &Stretch::first);
  return after == stretches_.begin() ? stretches_.front() : *(after - 1);
}

std::size_t Guesser::backwards_begun_by(EventIndex event) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(backwards_, event) - backwards_.begin());
}

Category Guesser::category_of(BlockIndex index) {
  const Block& block = blocks_[index];
  const Stretch& stretch = stretch_at(block.alloc_event);
  const bool outlives = end_of(block) >= stretch.end;
  const BlockEvidence known = evidence_[index];
  if (memory::is_workspace(block, known)) return Category::temporary;
  if (!known.earlier) {
    if (stretch.phase == Phase::backward) {
      return outlives && stretch.end < events_.size() ? Category::gradient
             : outlives && block.free_event == kNone  ? Category::gradient
                                                      : Category::temporary;
    }
    if (stretch.phase == Phase::optimizer)
      return outlives ? Category::optimizer_state : Category::temporary;
  }
  return category_of_forward(index, stretch);
}

// For a block of the forward or of the time before it: both have the same stacks.
Category Guesser::category_of_forward(BlockIndex index, const Stretch& stretch) {
  const Block& block = blocks_[index];
  const std::size_t before = backwards_begun_by(block.alloc_event);
  const std::size_t crossed = backwards_begun_by(end_of(block) - 1) - before;
  const bool stays = block.free_event == kNone;
  const bool early = before == 0 && (evidence_[index].earlier || stretch.phase != Phase::backward);
  if (crossed >= 2 || (stays && early && crossed == backwards_.size())) {
    return category_of_kept(index, stretch);
  }
  if (is_input(index, stretch)) return Category::input;
  if (crossed == 1) {
    // A gradient: an earlier step left it behind, and an optimizer or a forward frees it.
    const bool in_backward = !stays && stretch_at(block.free_event).phase == Phase::backward;
    if (!evidence_[index].earlier || in_backward) return Category::activation;
    if (stretch_at(block.free_event).phase == Phase::optimizer) kept_.replaced.push_back(index);
    return Category::unknown;
  }
  if (evidence_[index].earlier) return Category::unknown;
  if (stays && stretch.phase == Phase::forward) return Category::activation;
  return stretch.phase == Phase::forward ? Category::temporary : Category::unknown;
}

// For a block that lives through the backwards.
Category Guesser::category_of_kept(BlockIndex index, const Stretch& stretch) {
  const BlockEvidence known = evidence_[index];
  if (known.python && !known.makes_module) {
    if (known.in_module) return Category::activation;
    const bool loose = !known.earlier && stretch.module != kNone;
    if (loose && blocks_[index].alloc_event > stretch.module) return Category::activation;
    if (loose) {
      kept_.loose.push_back(index);
      return Category::unknown;
    }
  }
  kept_.persistent.push_back(index);
  return Category::parameter;
}

// After the last stretch: the end of the log.
std::int64_t Guesser::begin_of(std::size_t stretch) const {
  if (stretch == stretches_.size()) return events_.back().time_ns + 1;
  const Stretch& one = stretches_[stretch];
  if (one.begin_ns) return *one.begin_ns;
  return one.first < events_.size() ? events_[one.first].time_ns : events_.back().time_ns + 1;
}

std::vector<memory::PhaseSpan> Guesser::phases() const {
  std::vector<memory::PhaseSpan> spans;
  const bool has_optimizer = std::ranges::any_of(
      stretches_, [](const Stretch& stretch) { return stretch.phase == Phase::optimizer; });
  std::int32_t step = 0;
  bool ended = false;  // a forward begins the next step
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const Stretch& stretch = stretches_[i];
    if (stretch.phase == Phase::forward && ended) {
      ++step;
      ended = false;
    }
    ended = ended || stretch.phase == (has_optimizer ? Phase::optimizer : Phase::backward);
    if (stretch.phase == Phase::idle || stretch.phase == Phase::setup) continue;
    memory::PhaseSpan span;
    span.phase = stretch.phase;
    span.step = step;
    span.first_event = stretch.first;
    span.end_event = stretch.end;
    span.begin_ns = begin_of(i);
    span.end_ns = std::max(begin_of(i + 1), span.begin_ns);
    spans.push_back(span);
  }
  return spans;
}

}  // namespace

CategoryGuess guess_categories(const memory::AllocationLog& log, const EvidenceList& evidence) {
  return Guesser(log, evidence).run();
}

}  // namespace ts::allocator
