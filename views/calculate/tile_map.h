#pragma once

#include <optional>

#include "core/stepper/tile_grid.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// The tiles of a kernel as a square map: rows are tiles of Q, columns tiles of K and V; tiles that
// run in one colour, masked ones in another, skipped ones empty. Where tiles are smaller than a few
// pixels, a cell stands for several: masked if they are not alike.
class TileMap {
 public:
  // The map has the largest square of `area`, at its upper left.
  TileMap(const stepper::TileGrid& grid, const Rect& area, Metrics metrics);
  void draw(DrawSink& sink, const Theme& theme) const;
  // The first tile of the cell at a point.
  [[nodiscard]] std::optional<stepper::TileGrid::Place> at(Point point) const;
  [[nodiscard]] float side() const { return cell_ * static_cast<float>(cells_); }

  static Color color_of(const Theme& theme, stepper::TileKind kind);

 private:
  [[nodiscard]] stepper::TileKind kind(std::int64_t row, std::int64_t column) const;

  const stepper::TileGrid& grid_;
  Rect area_;
  Metrics metrics_;
  std::int64_t tiles_of_cell_ = 1;
  std::int64_t cells_ = 1;  // of the longer side
  float cell_ = 1;          // pixels
};

}  // namespace ts::views
