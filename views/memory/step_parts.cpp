#include "views/memory/step_parts.h"

#include <algorithm>

#include "core/trace/slice_class.h"
#include "views/charts/labels.h"

namespace ts::views {
namespace {

bool is_number(std::string_view part) {
  return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view part_at(std::string_view path, std::size_t begin) {
  return path.substr(begin, path.find('.', begin) - begin);
}

}  // namespace

std::vector<MicroBatch> micro_batches(std::span<const memory::PhaseSpan> phases) {
  std::vector<MicroBatch> all;
  for (const memory::PhaseSpan& span : phases) {
    const bool begins = span.phase == base::Phase::forward;
    const bool follows = span.phase == base::Phase::loss || span.phase == base::Phase::backward;
    const bool same_step = !all.empty() && all.back().step == span.step;
    if (begins) {
      const int number = same_step ? all.back().number + 1 : 1;
      all.push_back({.step = span.step,
                     .number = number,
                     .count = 1,
                     .first_event = span.first_event,
                     .begin_ns = span.begin_ns});
    } else if (!follows || !same_step) {
      continue;
    }
    all.back().end_event = span.end_event;
    all.back().end_ns = span.end_ns;
  }
  for (auto step = all.begin(); step != all.end();) {
    const auto end = std::find_if(step, all.end(),
                                  [&](const MicroBatch& one) { return one.step != step->step; });
    int count = (end - 1)->number;
    if (end == all.end() && step != all.begin()) count = std::max(count, (step - 1)->count);
    std::for_each(step, end, [count](MicroBatch& one) { one.count = count; });
    step = end;
  }
  if (std::ranges::none_of(all, [](const MicroBatch& one) { return one.count > 1; })) return {};
  return all;
}

Color recompute_color(const Theme& theme) {
  return theme.slice[static_cast<std::size_t>(trace::class_of(base::Phase::forward))];
}

const memory::RecomputeSpan* recomputation_at(const memory::AllocationLog& log,
                                              memory::EventIndex event) {
  const auto all = log.recomputations();
  const auto after =
      std::ranges::upper_bound(all, event, {}, [](const auto& span) { return span.first_event; });
  if (after == all.begin() || event >= (after - 1)->end_event) return nullptr;
  return &*(after - 1);
}

std::string common_module(std::string_view first, std::string_view last, const text::Texts& texts) {
  std::size_t begin = 0;  // of the first part that differs
  while (begin < first.size() && begin < last.size()) {
    const std::string_view a = part_at(first, begin);
    const std::string_view b = part_at(last, begin);
    if (a != b) {
      if (!is_number(a) || !is_number(b)) break;
      const std::string from(first.substr(0, begin + a.size()));
      return texts("memory.module_range", {{"first", from}, {"last", std::string(b)}});
    }
    begin += a.size() + 1;
  }
  return std::string(first.substr(0, begin == 0 ? 0 : begin - 1));
}

}  // namespace ts::views
