#include "core/run/hunt_map.h"

#include <algorithm>
#include <cmath>

#include "core/run/spec_values.h"
#include "core/run/sweep_order.h"

namespace ts::run {

std::vector<std::int64_t> spread_values(const HuntAxis& axis, std::size_t most) {
  std::vector<std::int64_t> values;
  const double low = std::log(static_cast<double>(axis.low));
  const double high = std::log(static_cast<double>(axis.high));
  for (std::size_t i = 0; i < most; ++i) {
    const double part = most > 1 ? static_cast<double>(i) / static_cast<double>(most - 1) : 0;
    const std::int64_t value = std::clamp<std::int64_t>(
        std::llround(std::exp(std::lerp(low, high, part))), axis.low, axis.high);
    if (values.empty() || value > values.back()) values.push_back(value);
  }
  return values;
}

HuntMap::HuntMap(WorkloadSpec base, const HuntAxis& x, const HuntAxis& y,
                 std::size_t cells_per_axis)
    : base_(std::move(base)),
      x_(x),
      y_(y),
      x_values_(spread_values(x, cells_per_axis)),
      y_values_(spread_values(y, cells_per_axis)),
      cells_(x_values_.size() * y_values_.size()),
      under_tight_(cells_.size()),
      over_tight_(cells_.size()),
      rows_(coarse_to_fine(y_values_.size())),
      all_(coarse_to_fine(x_values_.size(), y_values_.size())) {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (!validate(spec_of(i)).empty()) cells_[i].state = CellState::impossible;
  }
}

WorkloadSpec HuntMap::spec_of(std::size_t index) const {
  WorkloadSpec spec = base_;
  // Both values are in their ranges.
  static_cast<void>(set_number(spec, x_.field, x_values_[index % x_values_.size()]));
  static_cast<void>(set_number(spec, y_.field, y_values_[index / x_values_.size()]));
  return spec;
}

std::optional<std::size_t> HuntMap::index_of(const WorkloadSpec& spec) const {
  const auto place = [&](const std::vector<std::int64_t>& values, Field field) {
    return static_cast<std::size_t>(
        std::find(values.begin(), values.end(), number_of(spec, field)) - values.begin());
  };
  const std::size_t i = place(x_values_, x_.field), j = place(y_values_, y_.field);
  if (i == x_values_.size() || j == y_values_.size()) return std::nullopt;
  const std::size_t index = j * x_values_.size() + i;
  return spec_of(index) == spec ? std::optional(index) : std::nullopt;
}

std::optional<double> HuntCell::peak_error() const {
  if (!run || !run->fits || !predicted_peak || run->peak <= 0) return std::nullopt;
  return static_cast<double>(*predicted_peak - run->peak) / static_cast<double>(run->peak);
}

void HuntMap::confirm(std::size_t index, const HuntCell::Run& run) {
  cells_[index].run = run;
  std::erase(confirmed_, index);
  confirmed_.push_back(index);
}

std::vector<std::size_t> frontier_cells(const HuntMap& map) {
  std::vector<std::size_t> cells;
  const std::size_t width = map.x_values().size();
  const auto known = [&map](std::size_t index) {
    const CellState state = map.cell(index).state;
    return state == CellState::probed || state == CellState::inferred;
  };
  for (const std::size_t row : coarse_to_fine(map.y_values().size())) {
    std::optional<std::size_t> fits, oom;
    for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
      if (!known(i)) continue;
      const bool over = map.cell(i).fit == Fit::oom;
      if (!over) fits = i;
      if (over && !oom) oom = i;
    }
    if (fits) cells.push_back(*fits);
    if (oom) cells.push_back(*oom);
  }
  return cells;
}

std::optional<std::size_t> HuntMap::next() const {
  const auto unknown = [this](std::size_t index) {
    return cells_[index].state == CellState::unknown;
  };
  // If the largest fits everything does; if the smallest does not, nothing.
  for (const std::size_t corner : {cells_.size() - 1, std::size_t{0}}) {
    if (unknown(corner)) return corner;
  }
  const std::size_t width = x_values_.size();
  for (const std::size_t row : rows_) {
    // The middle of the longest part of the row that is unknown.
    std::size_t longest = 0, middle = 0;
    for (std::size_t i = 0; i < width;) {
      std::size_t end = i;
      while (end < width && unknown(row * width + end)) ++end;
      if (end - i > longest) {
        longest = end - i;
        middle = i + (end - i) / 2;
      }
      i = end + 1;
    }
    if (longest > 0) return row * width + middle;
  }
  return std::nullopt;
}

std::optional<std::size_t> HuntMap::next_inferred() const {
  const auto found = std::find_if(all_.begin(), all_.end(), [this](std::size_t index) {
    return cells_[index].state == CellState::inferred;
  });
  return found == all_.end() ? std::nullopt : std::optional(*found);
}

void HuntMap::tell(std::size_t index, ProbeAnswer answer) {
  HuntCell& told = cells_[index];
  told.state = CellState::probed;
  told.fit = answer.fit;
  told.at_least = answer.needed;
  told.at_most = answer.needed;
  told.reason = std::move(answer.reason);
  told.predicted_peak = answer.peak;
  log_.push_back(index);
  const std::size_t width = x_values_.size();
  const std::size_t i = index % width, j = index / width;
  for (std::size_t other = 0; other < cells_.size(); ++other) {
    const std::size_t x = other % width, y = other / width;
    infer(other, told, x <= i && y <= j, x >= i && y >= j);
  }
}

// `below`: the cell is at most as large as the probed one on both axes; `above`: at least.
void HuntMap::infer(std::size_t index, const HuntCell& probed, bool below, bool above) {
  HuntCell& cell = cells_[index];
  if (cell.state != CellState::unknown && cell.state != CellState::inferred) return;
  if (above) cell.at_least = std::max(cell.at_least, probed.at_least);
  if (below) {
    cell.at_most = std::min(cell.at_most.value_or(*probed.at_most), *probed.at_most);
  }
  if (probed.fit == Fit::fits_after_flush) {
    if (below) under_tight_[index] = true;
    if (above) over_tight_[index] = true;
  }
  if (cell.state == CellState::inferred) return;
  const bool fits = below && probed.fit == Fit::fits;
  const bool oom = above && probed.fit == Fit::oom;
  const bool tight = under_tight_[index] && over_tight_[index];
  if (!fits && !oom && !tight) return;
  cell.state = CellState::inferred;
  cell.fit = fits ? Fit::fits : oom ? Fit::oom : Fit::fits_after_flush;
}

std::size_t HuntMap::count(CellState state) const {
  return static_cast<std::size_t>(std::count_if(
      cells_.begin(), cells_.end(), [state](const HuntCell& cell) { return cell.state == state; }));
}

std::vector<std::optional<std::int64_t>> HuntMap::frontier() const {
  std::vector<std::optional<std::int64_t>> edge(y_values_.size());
  for (std::size_t j = 0; j < y_values_.size(); ++j) {
    for (std::size_t i = 0; i < x_values_.size(); ++i) {
      const HuntCell& one = cell(i, j);
      const bool known = one.state == CellState::probed || one.state == CellState::inferred;
      if (known && one.fit != Fit::oom) edge[j] = x_values_[i];
    }
  }
  return edge;
}

base::Result<void> fill(HuntMap& map, MapDepth depth, const Probe& probe,
                        const std::function<void(std::size_t)>& on_cell,
                        const base::CancelToken& cancel) {
  while (!cancel.cancelled()) {
    auto index = map.next();
    if (!index && depth == MapDepth::every_cell) index = map.next_inferred();
    if (!index) break;
    auto answer = probe(map.spec_of(*index));
    if (!answer) return tl::unexpected(answer.error());
    map.tell(*index, std::move(*answer));
    if (on_cell) on_cell(*index);
  }
  return {};
}

}  // namespace ts::run
