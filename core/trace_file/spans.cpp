#include "core/trace_file/spans.h"

#include <algorithm>
#include <iterator>

namespace ts::trace_file {

std::vector<Span> merged(const std::vector<Span>& spans) {
  std::vector<Span> all;
  for (const Span& span : spans) {
    if (all.empty() || span.begin > all.back().end) {
      all.push_back(span);
    } else {
      all.back().end = std::max(all.back().end, span.end);
    }
  }
  return all;
}

std::vector<Span> united(const std::vector<Span>& a, const std::vector<Span>& b) {
  std::vector<Span> both;
  both.reserve(a.size() + b.size());
  std::ranges::merge(a, b, std::back_inserter(both), {}, &Span::begin, &Span::begin);
  return merged(both);
}

std::int64_t length_of(const std::vector<Span>& disjoint) {
  std::int64_t sum = 0;
  for (const Span& span : disjoint) sum += span.end - span.begin;
  return sum;
}

std::int64_t length_within(const std::vector<Span>& disjoint, const Span& within) {
  std::int64_t sum = 0;
  auto span = std::ranges::lower_bound(disjoint, within.begin, {}, &Span::end);
  for (; span != disjoint.end() && span->begin < within.end; ++span) {
    const std::int64_t begin = std::max(span->begin, within.begin);
    sum += std::max<std::int64_t>(std::min(span->end, within.end) - begin, 0);
  }
  return sum;
}

std::int64_t common_time(const std::vector<Span>& a, const std::vector<Span>& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const std::int64_t begin = std::max(a[i].begin, b[k].begin);
    const std::int64_t end = std::min(a[i].end, b[k].end);
    if (end > begin) sum += end - begin;
    if (a[i].end < b[k].end) {
      ++i;
    } else {
      ++k;
    }
  }
  return sum;
}

}  // namespace ts::trace_file
