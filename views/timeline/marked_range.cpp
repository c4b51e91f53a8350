#include "views/timeline/marked_range.h"

#include <algorithm>
#include <vector>

namespace ts::views {
namespace {

constexpr std::int32_t kColumns = 16384;

bool is_operator(trace::SliceClass slice_class) {
  return slice_class >= trace::SliceClass::matmul;
}

// Length of the union of intervals, each weighted with its covered part.
double covered(std::vector<trace::VisibleSlice>& boxes, base::TimeRange range) {
  std::ranges::sort(boxes, {}, &trace::VisibleSlice::begin_ns);
  double sum = 0;
  std::int64_t reached = range.begin;
  for (const trace::VisibleSlice& box : boxes) {
    const std::int64_t begin = std::max(box.begin_ns, reached);
    const std::int64_t end = std::min(box.end_ns, range.end);
    if (end <= begin) continue;
    sum += static_cast<double>(end - begin) * static_cast<double>(box.busy);
    reached = end;
  }
  return sum;
}

}  // namespace

MarkedFacts facts_of_range(const trace::TraceStore& store, base::TimeRange range) {
  MarkedFacts facts;
  if (range.empty()) return facts;
  std::vector<trace::VisibleSlice> lane;
  std::vector<trace::VisibleSlice> operators;
  const auto tracks = store.tracks();
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    if (tracks[t].kind == trace::TrackKind::phases) continue;
    const auto track = static_cast<trace::TrackId>(t);
    for (std::uint16_t depth = 0; depth < store.depth_count(track); ++depth) {
      store.query(track, depth, range, kColumns, lane);
      for (const trace::VisibleSlice& box : lane) {
        if (!is_operator(box.slice_class)) continue;
        facts.slices += box.count;
        if (box.count > 1) facts.exact = false;
        operators.push_back(box);
      }
    }
  }
  facts.busy = std::min(1.0, covered(operators, range) / static_cast<double>(range.length()));
  return facts;
}

}  // namespace ts::views
