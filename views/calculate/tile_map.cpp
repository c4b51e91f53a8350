#include "views/calculate/tile_map.h"

#include <algorithm>

#include "views/charts/chart_text.h"

namespace ts::views {

using stepper::TileKind;

namespace {

constexpr float kLeastCell = 3;  // pixels at scale 1
constexpr float kShade = 0.75F;

}  // namespace

TileMap::TileMap(const stepper::TileGrid& grid, const Rect& area, Metrics metrics)
    : grid_(grid), area_(area), metrics_(metrics) {
  const float room = std::max(1.0F, std::min(area.width(), area.height()));
  const std::int64_t tiles = std::max(grid.query_tiles(), grid.key_tiles());
  const auto most =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(room / metrics.px(kLeastCell)));
  tiles_of_cell_ = (tiles + most - 1) / most;
  cells_ = (tiles + tiles_of_cell_ - 1) / tiles_of_cell_;
  cell_ = room / static_cast<float>(cells_);
}

Color TileMap::color_of(const Theme& theme, TileKind kind) {
  if (kind == TileKind::skipped) return theme.surface3;
  return mixed(theme.surface, kind == TileKind::masked ? theme.warn : theme.accent, kShade);
}

// The corners with the most and the fewest keys that a query sees.
TileKind TileMap::kind(std::int64_t row, std::int64_t column) const {
  const std::int64_t first_row = row * tiles_of_cell_, first_column = column * tiles_of_cell_;
  const std::int64_t last_row = std::min(first_row + tiles_of_cell_, grid_.query_tiles()) - 1;
  const std::int64_t last_column = std::min(first_column + tiles_of_cell_, grid_.key_tiles()) - 1;
  const TileKind most = grid_.kind(last_row, first_column);
  return most == grid_.kind(first_row, last_column) ? most : TileKind::masked;
}

void TileMap::draw(DrawSink& sink, const Theme& theme) const {
  const float gap = cell_ > metrics_.px(6) ? metrics_.px(1.5F) : cell_ > metrics_.px(3) ? 1.0F : 0;
  const std::int64_t down = (grid_.query_tiles() + tiles_of_cell_ - 1) / tiles_of_cell_;
  const std::int64_t across = (grid_.key_tiles() + tiles_of_cell_ - 1) / tiles_of_cell_;
  // Equal neighbours of a row are one rectangle where there are no gaps.
  for (std::int64_t row = 0; row < down; ++row) {
    for (std::int64_t column = 0; column < across;) {
      const TileKind kind_here = kind(row, column);
      std::int64_t end = column + 1;
      while (gap == 0 && end < across && kind(row, end) == kind_here) ++end;
      const float y = area_.y0 + cell_ * static_cast<float>(row);
      sink.fill({area_.x0 + cell_ * static_cast<float>(column), y,
                 area_.x0 + cell_ * static_cast<float>(end) - gap, y + cell_ - gap},
                color_of(theme, kind_here));
      column = end;
    }
  }
}

std::optional<stepper::TileGrid::Place> TileMap::at(Point point) const {
  const auto row = static_cast<std::int64_t>((point.y - area_.y0) / cell_) * tiles_of_cell_;
  const auto column = static_cast<std::int64_t>((point.x - area_.x0) / cell_) * tiles_of_cell_;
  if (point.x < area_.x0 || point.y < area_.y0) return std::nullopt;
  if (row >= grid_.query_tiles() || column >= grid_.key_tiles()) return std::nullopt;
  return stepper::TileGrid::Place{row, column};
}

}  // namespace ts::views
