#pragma once

#include "views/hunt/hunt_figure.h"

namespace ts::views {

// The places of a figure's cells: a grid of equal boxes, whole pixels.
struct HuntGrid {
  Rect box;  // of all cells
  float width = 0, height = 0;
  std::size_t columns = 0, rows = 0;
  // The format of the numbers in all cells: their unit, and whether decimals have no room.
  char unit = 'G';
  bool whole = false;

  [[nodiscard]] Rect cell(std::size_t index) const;
  [[nodiscard]] std::optional<std::size_t> at(Point point) const;
};

// True if some number with its decimals is wider than a cell.
bool too_narrow(const DrawSink& sink, const predict::HuntMap& map, const HuntGrid& grid);

// The cells without their frames, then the frontier, rings and the frame of the selected cell.
void draw_cells(DrawSink& sink, const HuntFigure& figure, const HuntGrid& grid);
// True if there is any edge of a frontier to draw.
bool has_frontier(const predict::HuntMap& map);
void draw_frontier(DrawSink& sink, const HuntFigure& figure, const HuntGrid& grid);
void draw_second_frontier(DrawSink& sink, const HuntFigure& figure, const HuntGrid& grid);
// The colour of the second frontier, and its dashes along a line.
Color second_color(const Theme& theme);
void draw_dashes(DrawSink& sink, const Rect& line, Color color, float on, float off);
void draw_frames(DrawSink& sink, const HuntFigure& figure, const HuntGrid& grid);

// The colour of a verdict; `part` blends from the surface (0) to the full colour (1).
Color fit_color(const Theme& theme, predict::Fit fit, float part);
// Draws stripes over a box: colour alone must not mark tight cells.
void draw_stripes(DrawSink& sink, const Rect& box, Color color, float distance);

}  // namespace ts::views
