#include "core/predict/hunt_map.h"

#include <algorithm>

#include "core/base/coarse_to_fine.h"
#include "core/spec/spec_values.h"

namespace ts::predict {

namespace {

constexpr std::size_t kFewSteps = 10;  // fewer use a finer step

// Every octave split into `parts` equal steps.
std::vector<std::int64_t> octave_parts(const HuntAxis& axis, std::int64_t parts) {
  std::vector<std::int64_t> values;
  for (std::int64_t octave = 1; octave <= axis.high; octave *= 2) {
    const std::int64_t step = std::max<std::int64_t>(1, octave / parts);
    for (std::int64_t value = octave; value < 2 * octave; value += step) {
      if (value >= axis.low && value <= axis.high) values.push_back(value);
    }
    if (octave > INT64_MAX / 4) break;
  }
  return values;
}

// Every `apart`th power of two.
std::vector<std::int64_t> powers_apart(const HuntAxis& axis, std::size_t apart) {
  const std::vector<std::int64_t> powers = octave_parts(axis, 1);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < powers.size(); i += apart) values.push_back(powers[i]);
  return values;
}

void insert(std::vector<std::int64_t>& values, std::int64_t value) {
  const auto place = std::lower_bound(values.begin(), values.end(), value);
  if (place == values.end() || *place != value) values.insert(place, value);
}

std::vector<std::int64_t> whole_values(const HuntAxis& axis, std::size_t most, std::int64_t own) {
  const auto with_own = [&](std::vector<std::int64_t> values) {
    for (const std::int64_t end : {axis.low, axis.high}) insert(values, end);
    if (own >= axis.low && own <= axis.high) insert(values, own);
    return values;
  };
  std::vector<std::int64_t> best;
  for (std::int64_t parts = 2; parts <= axis.high; parts *= 2) {
    std::vector<std::int64_t> values = with_own(octave_parts(axis, parts));
    if (values.size() > most) break;
    best = std::move(values);
    if (best.size() >= kFewSteps) break;
  }
  if (!best.empty()) return best;
  std::size_t apart = 1;
  best = with_own(powers_apart(axis, apart));
  // The ends and the axis's own value are at most three of them.
  while (best.size() > most && apart < 64) best = with_own(powers_apart(axis, ++apart));
  return best;
}

}  // namespace

std::vector<std::int64_t> map_values(const HuntAxis& axis, std::size_t most, std::int64_t own) {
  std::vector<std::int64_t> values = whole_values(axis, most, own);
  for (std::int64_t& value : values) value -= (value - axis.low) % axis.step;
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

HuntMap::HuntMap(spec::WorkloadSpec base, const HuntAxis& x, const HuntAxis& y,
                 std::size_t cells_per_axis)
    : base_(std::move(base)),
      x_(x),
      y_(y),
      x_values_(map_values(x, cells_per_axis, spec::number_of(base_, x.field))),
      y_values_(map_values(y, cells_per_axis, spec::number_of(base_, y.field))),
      cells_(x_values_.size() * y_values_.size()),
      under_tight_(cells_.size()),
      over_tight_(cells_.size()),
      rows_(base::coarse_to_fine(y_values_.size())),
      all_(base::coarse_to_fine(x_values_.size(), y_values_.size())) {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (!spec::validate(spec_of(i)).empty()) cells_[i].state = CellState::impossible;
  }
}

spec::WorkloadSpec HuntMap::spec_of(std::size_t index) const {
  spec::WorkloadSpec spec = base_;
  // Both values are in their ranges, so no error is possible.
  static_cast<void>(spec::set_number(spec, x_.field, x_values_[index % x_values_.size()]));
  static_cast<void>(spec::set_number(spec, y_.field, y_values_[index / x_values_.size()]));
  return spec;
}

std::optional<std::size_t> HuntMap::index_of(const spec::WorkloadSpec& spec) const {
  const auto place = [&](const std::vector<std::int64_t>& values, spec::Field field) {
    return static_cast<std::size_t>(
        std::find(values.begin(), values.end(), spec::number_of(spec, field)) - values.begin());
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
  for (const std::size_t row : base::coarse_to_fine(map.y_values().size())) {
    std::optional<std::size_t> fits, oom;
    for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
      if (!map.cell(i).answered()) continue;
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
  // If the largest fits, everything fits; if the smallest does not, nothing does.
  for (const std::size_t corner : {cells_.size() - 1, std::size_t{0}}) {
    if (unknown(corner)) return corner;
  }
  const std::size_t width = x_values_.size();
  for (const std::size_t row : rows_) {
    // The middle of the longest unknown part of the row.
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
  const auto found = std::ranges::find_if(
      all_, [this](std::size_t index) { return cells_[index].state == CellState::inferred; });
  return found == all_.end() ? std::nullopt : std::optional(*found);
}

void HuntMap::tell(std::size_t index, ProbeAnswer answer) {
  HuntCell& probed = cells_[index];
  probed.state = CellState::probed;
  probed.fit = answer.fit;
  probed.at_least = answer.needed;
  probed.at_most = answer.needed;
  probed.reason = std::move(answer.reason);
  probed.predicted_peak = answer.peak;
  log_.push_back(index);
  const std::size_t width = x_values_.size();
  const std::size_t i = index % width, j = index / width;
  for (std::size_t other = 0; other < cells_.size(); ++other) {
    const std::size_t x = other % width, y = other / width;
    infer(other, probed, x <= i && y <= j, x >= i && y >= j);
  }
}

void HuntMap::learn(const HuntMap& earlier) {
  for (const std::size_t index : earlier.log()) {
    const auto here = index_of(earlier.spec_of(index));
    if (!here || cells_[*here].state == CellState::probed) continue;
    const HuntCell& cell = earlier.cell(index);
    tell(*here, {cell.fit, cell.at_least, cell.reason, cell.predicted_peak});
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
      if (one.answered() && one.fit != Fit::oom) edge[j] = x_values_[i];
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
    TS_TRY(auto answer, probe(map.spec_of(*index)));
    map.tell(*index, std::move(answer));
    if (on_cell) on_cell(*index);
  }
  return {};
}

}  // namespace ts::predict
