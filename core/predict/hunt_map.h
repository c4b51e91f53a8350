#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/message.h"
#include "core/predict/hunt.h"

namespace ts::predict {

// State of a cell: nothing is known; its values are not a possible combination; inferred from its
// neighbours; probed.
enum class CellState : std::uint8_t { unknown, impossible, inferred, probed };

struct HuntCell {
  CellState state = CellState::unknown;
  Fit fit = Fit::fits;  // of inferred and probed cells
  // Bytes needed, bounded by the probed cells around it; equal once it is probed itself.
  std::int64_t at_least = 0;
  std::optional<std::int64_t> at_most;
  base::Message reason;                        // of the probe
  std::optional<std::int64_t> predicted_peak;  // of the probe, see ProbeAnswer
  // A real run of this cell: whether it had enough memory, and its peak in bytes.
  struct Run {
    bool fits = true;
    std::int64_t peak = 0;
  };
  std::optional<Run> run;
  [[nodiscard]] bool answered() const {
    return state == CellState::inferred || state == CellState::probed;
  }
  // True if a real run ended otherwise than predicted.
  [[nodiscard]] bool contradicted() const { return run && run->fits == (fit == Fit::oom); }
  // The relative error of the predicted peak against the run; unset if one is missing.
  [[nodiscard]] std::optional<double> peak_error() const;
};

// The plane of two sizes, divided into fits and out of memory. Memory grows along both, so a cell
// fits if one that is larger in both fits, and does not if one that is smaller in both does not:
// only the cells along the frontier are probed. It has no thread and makes no probe: next() returns
// the cell to probe, and tell() takes the result.
class HuntMap {
 public:
  // The steps of map_values() on each axis, at most `cells_per_axis`, and the sizes of the base.
  HuntMap(spec::WorkloadSpec base, const HuntAxis& x, const HuntAxis& y,
          std::size_t cells_per_axis);

  [[nodiscard]] const spec::WorkloadSpec& base() const { return base_; }
  [[nodiscard]] const HuntAxis& x() const { return x_; }
  [[nodiscard]] const HuntAxis& y() const { return y_; }
  [[nodiscard]] const std::vector<std::int64_t>& x_values() const { return x_values_; }
  [[nodiscard]] const std::vector<std::int64_t>& y_values() const { return y_values_; }
  [[nodiscard]] std::size_t size() const { return cells_.size(); }
  // By index: row by row, x fastest.
  [[nodiscard]] const HuntCell& cell(std::size_t index) const { return cells_[index]; }
  [[nodiscard]] const HuntCell& cell(std::size_t i, std::size_t j) const {
    return cells_[j * x_values_.size() + i];
  }
  [[nodiscard]] spec::WorkloadSpec spec_of(std::size_t index) const;
  // The index of the cell of a spec, if there is one.
  [[nodiscard]] std::optional<std::size_t> index_of(const spec::WorkloadSpec& spec) const;

  // The cell to probe next until everything is known, from corners and coarse rows to fine ones.
  [[nodiscard]] std::optional<std::size_t> next() const;
  // The inferred cell to probe next, coarse to fine, when every cell is to be known exactly.
  [[nodiscard]] std::optional<std::size_t> next_inferred() const;
  void tell(std::size_t index, ProbeAnswer answer);
  // Copies the probes of the same settings at the same sizes, for the same memory.
  void learn(const HuntMap& earlier);
  void confirm(std::size_t index, const HuntCell::Run& run);

  // Probed cells in the order of probing.
  [[nodiscard]] const std::vector<std::size_t>& log() const { return log_; }
  // Cells that had a real run, in the order of the runs.
  [[nodiscard]] const std::vector<std::size_t>& confirmed() const { return confirmed_; }
  [[nodiscard]] std::size_t count(CellState state) const;
  // For each y value the largest x value that is known to fit.
  [[nodiscard]] std::vector<std::optional<std::int64_t>> frontier() const;

 private:
  void infer(std::size_t index, const HuntCell& probed, bool below, bool above);

  spec::WorkloadSpec base_;
  HuntAxis x_, y_;
  std::vector<std::int64_t> x_values_, y_values_;
  std::vector<HuntCell> cells_;
  // Cells with a probed tight cell on their large side, and on their small side.
  std::vector<bool> under_tight_, over_tight_;
  std::vector<std::size_t> rows_, all_;  // coarse to fine
  std::vector<std::size_t> log_, confirmed_;
};

// The cells on both sides of the frontier, row by row from coarse to fine: the largest that fits
// and the smallest that does not. Cells whose side is not known are left out.
std::vector<std::size_t> frontier_cells(const HuntMap& map);

// Cells of a map on each axis, if its range has that many values.
inline constexpr std::size_t kMapSide = 20;

// The steps of an axis, ascending: powers of two and the numbers halfway between them, or quarters,
// eighths and so on if the range is short, or powers of two, of four and so on if it is long. Both
// ends of the range and `own`, if inside, are included; at most `most` values for `most` >= 4.
std::vector<std::int64_t> map_values(const HuntAxis& axis, std::size_t most, std::int64_t own = 0);

// The cells to probe: those that the frontier needs, or all.
enum class MapDepth : std::uint8_t { frontier, every_cell };

// Probes until all is known, or until cancelled: then the known cells stay. `on_cell` is called
// with the index of every probed cell. The first probe that fails ends it with its error.
base::Result<void> fill(HuntMap& map, MapDepth depth, const Probe& probe,
                        const std::function<void(std::size_t)>& on_cell,
                        const base::CancelToken& cancel);

}  // namespace ts::predict
