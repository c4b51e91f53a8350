#include "core/memory/log_comparison.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace ts::memory {
namespace {

// The best alignment of a phase is searched for up to this number of differences.
constexpr int kMostEdits = 600;

struct Side {
  const AllocationLog& log;

  [[nodiscard]] const Event& event(EventIndex index) const { return log.events()[index]; }
  [[nodiscard]] const Block* block(EventIndex index) const {
    const BlockIndex block = event(index).block;
    return block == kNone ? nullptr : &log.blocks()[block];
  }
};

bool same_event(const Side& a, EventIndex i, const Side& b, EventIndex j) {
  if (a.event(i).action != b.event(j).action) return false;
  const Block* const one = a.block(i);
  const Block* const other = b.block(j);
  if (one == nullptr || other == nullptr) return one == other;
  return one->size == other->size && one->op == other->op;
}

// A pair of positions in two sequences; -1: none.
struct Pairing {
  int a = -1;
  int b = -1;
};

// The alignment of two sequences of lengths n and m with the fewest unpaired elements, in order;
// unset when it needs more than kMostEdits.
template <class Same>
std::optional<std::vector<Pairing>> align(int n, int m, Same same) {
  const int most = std::min(n + m, kMostEdits);
  const int offset = most + 1;
  std::vector<int> reach(static_cast<std::size_t>(2 * most + 3), 0);
  const auto at = [offset](std::vector<int>& v, int k) -> int& {
    return v[static_cast<std::size_t>(k + offset)];
  };
  std::vector<std::vector<int>> trail;
  int found = -1;
  for (int d = 0; d <= most && found < 0; ++d) {
    trail.push_back(reach);
    for (int k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && at(reach, k - 1) < at(reach, k + 1));
      int x = down ? at(reach, k + 1) : at(reach, k - 1) + 1;
      while (x < n && x - k < m && x - k >= 0 && same(x, x - k)) ++x;
      at(reach, k) = x;
      if (x >= n && x - k >= m) {
        found = d;
        break;
      }
    }
  }
  if (found < 0) return std::nullopt;
  std::vector<Pairing> steps;
  int x = n, y = m;
  for (int d = found; d > 0; --d) {
    std::vector<int>& before = trail[static_cast<std::size_t>(d)];
    const int k = x - y;
    const bool down = k == -d || (k != d && at(before, k - 1) < at(before, k + 1));
    const int from_k = down ? k + 1 : k - 1;
    const int from_x = at(before, from_k), from_y = from_x - from_k;
    while (x > from_x && y > from_y && x > 0 && y > 0) steps.push_back({--x, --y});
    if (down) {
      steps.push_back({-1, --y});
    } else {
      steps.push_back({--x, -1});
    }
  }
  while (x > 0 && y > 0) steps.push_back({--x, --y});
  std::reverse(steps.begin(), steps.end());
  return steps;
}

// The number of events at the beginning of both that agree.
int equal_at_the_beginning(const Side& a, const EventSpan& of_a, const Side& b,
                           const EventSpan& of_b) {
  const int shorter = std::min(of_a.length(), of_b.length());
  int count = 0;
  while (count < shorter && same_event(a, of_a.first + static_cast<EventIndex>(count), b,
                                       of_b.first + static_cast<EventIndex>(count)))
    ++count;
  return count;
}

class Comparison {
 public:
  Comparison(const AllocationLog& predicted, const AllocationLog& measured,
             const base::StringTable& strings)
      : predicted_{predicted}, measured_{measured}, strings_(strings) {}

  void phase(EventSpan predicted, EventSpan measured, bool broken_off) {
    const int prefix = equal_at_the_beginning(predicted_, predicted, measured_, measured);
    for (int i = 0; i < prefix; ++i) pair(predicted, i, measured, i);
    predicted.first += static_cast<EventIndex>(prefix);
    measured.first += static_cast<EventIndex>(prefix);
    // Events that the run did not reach are not a difference.
    if (broken_off && measured.length() == 0) return;
    const auto steps = align(predicted.length(), measured.length(),
                             [&](int i, int j) { return same_at(predicted, i, measured, j); });
    if (steps) {
      take(*steps, predicted, measured, broken_off);
      return;
    }
    out.aligned = false;
    const int both = std::min(predicted.length(), measured.length());
    for (int i = 0; i < both; ++i) pair(predicted, i, measured, i);
    if (!broken_off)
      for (int i = both; i < predicted.length(); ++i) pair(predicted, i, measured, -1);
    for (int j = both; j < measured.length(); ++j) pair(predicted, -1, measured, j);
  }

  LogComparison out;

 private:
  [[nodiscard]] bool same_at(const EventSpan& predicted, int i, const EventSpan& measured,
                             int j) const {
    return same_event(predicted_, predicted.first + static_cast<EventIndex>(i), measured_,
                      measured.first + static_cast<EventIndex>(j));
  }

  // Neighbours that replace each other become one pair.
  void take(const std::vector<Pairing>& steps, const EventSpan& predicted,
            const EventSpan& measured, bool broken_off) {
    std::size_t end = steps.size();
    while (broken_off && end > 0 && steps[end - 1].b < 0) --end;
    for (std::size_t i = 0; i < end;) {
      if (steps[i].a >= 0 && steps[i].b >= 0) {
        pair(predicted, steps[i].a, measured, steps[i].b);
        ++i;
        continue;
      }
      std::vector<int> without, extra;  // of predicted, of measured
      for (; i < end && (steps[i].a < 0 || steps[i].b < 0); ++i) {
        if (steps[i].a >= 0) without.push_back(steps[i].a);
        if (steps[i].b >= 0) extra.push_back(steps[i].b);
      }
      const std::size_t both = std::min(without.size(), extra.size());
      for (std::size_t j = 0; j < std::max(without.size(), extra.size()); ++j) {
        const bool kin = j < both && kin_of(predicted, without[j], measured, extra[j]);
        if (kin) {
          pair(predicted, without[j], measured, extra[j]);
          continue;
        }
        if (j < without.size()) pair(predicted, without[j], measured, -1);
        if (j < extra.size()) pair(predicted, -1, measured, extra[j]);
      }
    }
  }

  // The same action by the same operator, or of the same size.
  [[nodiscard]] bool kin_of(const EventSpan& predicted, int i, const EventSpan& measured,
                            int j) const {
    const EventIndex a = predicted.first + static_cast<EventIndex>(i);
    const EventIndex b = measured.first + static_cast<EventIndex>(j);
    if (predicted_.event(a).action != measured_.event(b).action) return false;
    const Block* const one = predicted_.block(a);
    const Block* const other = measured_.block(b);
    return one != nullptr && other != nullptr && (one->op == other->op || one->size == other->size);
  }

  void pair(const EventSpan& predicted, int i, const EventSpan& measured, int j) {
    EventPair one;
    if (i >= 0) one.predicted = predicted.first + static_cast<EventIndex>(i);
    if (j >= 0) one.measured = measured.first + static_cast<EventIndex>(j);
    out.predicted_events += i >= 0 ? 1 : 0;
    out.measured_events += j >= 0 ? 1 : 0;
    if (j < 0) {
      one.agreement = Agreement::only_predicted;
      one.explanation = explanation_of(predicted_.log, one.predicted, strings_);
    } else if (i < 0) {
      one.agreement = Agreement::only_measured;
      one.explanation = explanation_of(measured_.log, one.measured, strings_);
    } else if (!same_event(predicted_, one.predicted, measured_, one.measured)) {
      one.agreement = Agreement::changed;
      one.explanation = explanation_of(measured_.log, one.measured, strings_);
    }
    if (one.agreement != Agreement::same) {
      out.different.push_back(static_cast<std::uint32_t>(out.pairs.size()));
      if (one.explanation == Explanation::none) ++out.unexplained;
    }
    out.pairs.push_back(one);
  }

  Side predicted_;
  Side measured_;
  const base::StringTable& strings_;
};

EventIndex end_of_span(const PhaseSpan& span, const AllocationLog& log) {
  return span.end_event == kNone ? static_cast<EventIndex>(log.events().size()) : span.end_event;
}

}  // namespace

LogComparison compare_logs(const AllocationLog& predicted, const AllocationLog& measured,
                           const base::StringTable& strings, bool broken_off) {
  // A step may contain several phases of a kind: match the first with the first, and so on.
  std::map<std::pair<std::int32_t, base::Phase>, std::vector<EventSpan>> known;
  for (const PhaseSpan& span : predicted.phases()) {
    known[{span.step, span.phase}].push_back({span.first_event, end_of_span(span, predicted)});
  }
  std::map<std::pair<std::int32_t, base::Phase>, std::size_t> used;
  Comparison comparison(predicted, measured, strings);
  const auto refused = measured.out_of_memory();
  for (const PhaseSpan& span : measured.phases()) {
    const std::pair key{span.step, span.phase};
    const auto found = known.find(key);
    if (found == known.end() || used[key] >= found->second.size()) continue;
    const EventSpan expected = found->second[used[key]++];
    EventSpan here{span.first_event, end_of_span(span, measured)};
    const bool stopped = broken_off && &span == &measured.phases().back();
    if (stopped && refused && refused->event >= here.first)
      here.end = std::min(here.end, refused->event);
    comparison.phase(expected, here, stopped);
    comparison.out.steps = std::max(comparison.out.steps, span.step + 1);
  }
  return std::move(comparison.out);
}

std::vector<EqualEvents> equal_events(const AllocationLog& predicted, EventSpan of_predicted,
                                      const AllocationLog& measured, EventSpan of_measured) {
  const Side a{predicted};
  const Side b{measured};
  const auto prefix =
      static_cast<EventIndex>(equal_at_the_beginning(a, of_predicted, b, of_measured));
  std::vector<EqualEvents> found = {{of_predicted.first, of_measured.first, prefix}};
  of_predicted.first += prefix;
  of_measured.first += prefix;
  const auto steps = align(of_predicted.length(), of_measured.length(), [&](int i, int j) {
    return same_event(a, of_predicted.first + static_cast<EventIndex>(i), b,
                      of_measured.first + static_cast<EventIndex>(j));
  });
  if (!steps) return found;
  for (const Pairing& step : *steps) {
    if (step.a < 0 || step.b < 0) continue;
    const EventIndex i = of_predicted.first + static_cast<EventIndex>(step.a);
    const EventIndex j = of_measured.first + static_cast<EventIndex>(step.b);
    EqualEvents& last = found.back();
    if (i == last.predicted + last.count && j == last.measured + last.count) {
      ++last.count;
    } else {
      found.push_back({i, j, 1});
    }
  }
  return found;
}

Explanation explanation_of(const AllocationLog& log, EventIndex event,
                           const base::StringTable& strings) {
  const BlockIndex index = log.events()[event].block;
  if (index == kNone) return Explanation::none;
  const Block& block = log.blocks()[index];
  const std::string_view op = strings.view(block.op);
  if (block.phase == base::Phase::backward) {
    const bool pool_thread =
        strings.view(block.module).empty() && (op.empty() || op == "aten::empty");
    if (pool_thread || op == "aten::_scaled_dot_product_flash_attention_for_cpu_backward")
      return Explanation::thread_scratch;
  }
  const bool freed = log.events()[event].action != Action::alloc;
  const bool casts = block.phase == base::Phase::forward || block.phase == base::Phase::loss;
  if (freed && casts && op == "aten::_to_copy") return Explanation::cast_order;
  return Explanation::none;
}

}  // namespace ts::memory
