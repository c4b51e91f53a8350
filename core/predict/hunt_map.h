#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/predict/hunt.h"

namespace ts::predict {

// Of a cell: nothing is known; its values do not go together; it follows from its neighbours; it
// was asked.
enum class CellState : std::uint8_t { unknown, impossible, inferred, probed };

struct HuntCell {
  CellState state = CellState::unknown;
  Fit fit = Fit::fits;  // of inferred and probed cells
  // Bytes needed, from the probed cells around it; equal once it is probed itself.
  std::int64_t at_least = 0;
  std::optional<std::int64_t> at_most;
  base::Message reason;                        // of the probe
  std::optional<std::int64_t> predicted_peak;  // of the probe, see ProbeAnswer
  // A real run of this cell: whether it had enough memory, and the bytes it held at its peak.
  struct Run {
    bool fits = true;
    std::int64_t peak = 0;
  };
  std::optional<Run> run;
  // A real run ended otherwise than predicted.
  [[nodiscard]] bool contradicted() const { return run && run->fits == (fit == Fit::oom); }
  // How far the predicted peak is off that of the run, in parts of it; unset where one is missing.
  [[nodiscard]] std::optional<double> peak_error() const;
};

// The plane of two sizes, between fits and out of memory. Memory grows along both, so a cell fits
// if one that is larger in both does, and does not if one that is smaller in both does not: only
// the cells along the frontier have to be asked. It knows no thread and asks nobody; next() says
// which cell to probe and tell() takes the answer.
class HuntMap {
 public:
  // The steps of map_values() on each axis, at most `cells_per_axis`, and the base's own sizes.
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
  // The cell that a spec is, if it is one.
  [[nodiscard]] std::optional<std::size_t> index_of(const spec::WorkloadSpec& spec) const;

  // The cell to ask next until everything is known, from corners and coarse rows to fine ones.
  [[nodiscard]] std::optional<std::size_t> next() const;
  // The inferred cell to ask next, coarse to fine, when everything is to be known exactly.
  [[nodiscard]] std::optional<std::size_t> next_inferred() const;
  void tell(std::size_t index, ProbeAnswer answer);
  // Takes over what was asked of the same settings at the same sizes, for the same memory.
  void learn(const HuntMap& earlier);
  void confirm(std::size_t index, const HuntCell::Run& run);

  // Probed cells in the order in which they were asked.
  [[nodiscard]] const std::vector<std::size_t>& log() const { return log_; }
  // Cells that were run for real, in that order.
  [[nodiscard]] const std::vector<std::size_t>& confirmed() const { return confirmed_; }
  [[nodiscard]] std::size_t count(CellState state) const;
  // Per y value the largest x value that is known to fit.
  [[nodiscard]] std::vector<std::optional<std::int64_t>> frontier() const;

 private:
  void infer(std::size_t index, const HuntCell& probed, bool below, bool above);

  spec::WorkloadSpec base_;
  HuntAxis x_, y_;
  std::vector<std::int64_t> x_values_, y_values_;
  std::vector<HuntCell> cells_;
  // Cells with a probed tight one on their large side, and on their small side.
  std::vector<bool> under_tight_, over_tight_;
  std::vector<std::size_t> rows_, all_;  // coarse to fine
  std::vector<std::size_t> log_, confirmed_;
};

// The cells on both sides of the frontier, row by row from coarse to fine: the largest that fits
// and the smallest that does not. Cells whose side is not known are left out.
std::vector<std::size_t> frontier_cells(const HuntMap& map);

// Cells of a map on each axis, if its range has as many values.
inline constexpr std::size_t kMapSide = 20;

// The steps of an axis, ascending: powers of two and the numbers halfway between them, or quarters,
// eighths and so on where the range is short, or powers of two, of four and so on where it is long.
// Both ends of the range and `own`, where it lies inside, are among them; at most `most` for most
// of 4 and more.
std::vector<std::int64_t> map_values(const HuntAxis& axis, std::size_t most, std::int64_t own = 0);

// Which cells are asked: those that the frontier needs, or all.
enum class MapDepth : std::uint8_t { frontier, every_cell };

// Asks until all is known, or until cancelled: then what is known stays. `on_cell` is called with
// the index of every probed cell. The first probe that fails ends it with its error.
base::Result<void> fill(HuntMap& map, MapDepth depth, const Probe& probe,
                        const std::function<void(std::size_t)>& on_cell,
                        const base::CancelToken& cancel);

}  // namespace ts::predict
