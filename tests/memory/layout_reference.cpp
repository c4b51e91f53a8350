#include "tests/memory/layout_reference.h"

#include <algorithm>
#include <set>

namespace ts::memory::testing {

namespace {

ColumnTotal reference_column(const AllocationLog& log, const LayoutRequest& request,
                             std::int32_t column) {
  const auto events = log.events();
  const double width = (request.end - request.begin) / request.columns;
  const double begin = request.begin + width * column;
  const double end = request.begin + width * (column + 1);
  const auto place = [&](std::size_t event) {
    return request.axis == Axis::event
               ? static_cast<double>(event)
               : static_cast<double>(events[event].time_ns - events[0].time_ns);
  };
  ColumnTotal best;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const double until = i + 1 < events.size() ? place(i + 1) : place(i) + 1;
    const bool begins_inside = begin <= place(i) && place(i) < end;
    const bool holds_at_begin = place(i) < begin && begin < until;
    const bool shown = begins_inside || holds_at_begin;
    if (shown && (best.event == kNone || events[i].total_after > best.bytes)) {
      best = {events[i].total_after, static_cast<EventIndex>(i)};
    }
  }
  return best;
}

bool lives(const Block& block, EventIndex event) {
  return block.alloc_event <= event && (block.free_event == kNone || block.free_event > event);
}

std::set<BlockIndex> reference_individuals(const AllocationLog& log, const LayoutRequest& request,
                                           const std::vector<ColumnTotal>& columns) {
  std::vector<BlockIndex> shown;
  for (BlockIndex i = 0; i < log.blocks().size(); ++i) {
    const Block& block = log.blocks()[i];
    const bool thick = block.size > 0 && static_cast<double>(block.size) >= request.bytes_per_pixel;
    const bool seen = std::any_of(columns.begin(), columns.end(), [&](const ColumnTotal& column) {
      return column.event != kNone && lives(block, column.event);
    });
    if (thick && seen) shown.push_back(i);
  }
  std::stable_sort(shown.begin(), shown.end(), [&](BlockIndex a, BlockIndex b) {
    return log.blocks()[a].size > log.blocks()[b].size;
  });
  if (shown.size() > request.detail) shown.resize(request.detail);
  return {shown.begin(), shown.end()};
}

}  // namespace

ReferenceLayout reference_layout(const AllocationLog& log, const LayoutRequest& request) {
  ReferenceLayout out;
  for (std::int32_t column = 0; column < request.columns; ++column) {
    out.columns.push_back(reference_column(log, request, column));
  }
  const std::set<BlockIndex> individuals = reference_individuals(log, request, out.columns);
  // Whole numbers here: half a row up is the next row.
  const auto per_row = static_cast<std::int64_t>(request.bytes_per_pixel);
  const auto row_of = [&](std::int64_t bytes) {
    const std::int64_t over = std::max<std::int64_t>(bytes - request.bottom, 0);
    return static_cast<std::int32_t>(
        std::min<std::int64_t>((2 * over + per_row) / (2 * per_row), request.rows));
  };
  const bool joined = [&] {
    LayoutRequest all = request;
    all.detail = 0xFFFFFFFFU;
    return reference_individuals(log, all, out.columns).size() > individuals.size();
  }();
  for (const ColumnTotal& column : out.columns) {
    auto& cells = out.cells.emplace_back();
    std::int64_t& tracked = out.tracked.emplace_back(-1);
    if (column.event == kNone) continue;
    std::int64_t top = 0;
    const auto put = [&](std::int64_t bytes, BlockIndex block, BlockIndex largest,
                         Category category) {
      const std::int32_t begin = row_of(top);
      const std::int32_t end = row_of(top + bytes);
      if (end > begin) cells.push_back({begin, end, block, largest, category});
      top += bytes;
    };
    for (int i = 0; i < kCategoryCount; ++i) {
      const auto category = static_cast<Category>(i);
      std::int64_t band = 0;
      BlockIndex largest = kNone;
      const auto end_band = [&] {
        put(band, kNone, largest, category);
        band = 0;
        largest = kNone;
      };
      for (BlockIndex block = 0; block < log.blocks().size(); ++block) {
        const Block& candidate = log.blocks()[block];
        if (candidate.category != category || !lives(candidate, column.event)) continue;
        if (block == request.tracked) tracked = top + band;
        if (individuals.contains(block)) {
          end_band();
          put(candidate.size, block, block, category);
          continue;
        }
        if (!joined) {
          put(candidate.size, kNone, block, category);
          continue;
        }
        band += candidate.size;
        if (largest == kNone || candidate.size > log.blocks()[largest].size) largest = block;
      }
      end_band();
    }
  }
  return out;
}

}  // namespace ts::memory::testing
