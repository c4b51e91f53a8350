#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/predict/hunt_progress.h"
#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// The inputs of the figure of a hunt. No part of it may be kept.
struct HuntFigure {
  const predict::HuntMap& map;
  std::int64_t memory = 0;  // of the card, bytes
  const text::Texts& texts;
  const Theme& theme;
  Metrics metrics;
  std::optional<std::size_t> selected = {};  // the cell of the settings
  Point mouse{-1, -1};                       // outside: the mouse is at nothing
  const predict::HuntMap* other = nullptr;   // a second frontier, of the same axes; null: none
  std::string other_name = {};               // "flash"
};

// Draws title and legend, a cell per pair of values with the memory it needs, the frontier as a
// line, a second one in dashes, a ring around cells that were run for real, axes below and at the
// left, and a read-out at the mouse.
// Returns the cell under the mouse.
std::optional<std::size_t> draw_hunt_figure(DrawSink& sink, const Rect& area,
                                            const HuntFigure& figure);

// "B = 4, T = 2304": numbers in a list have no comma.
std::string cell_place(const predict::HuntMap& map, std::size_t index);
// The results of real runs: how many cells were confirmed, the worst error of their peaks, and how
// many ended differently than predicted; empty without runs.
std::string confirmed_sentence(const predict::HuntMap& map, const text::Texts& texts);
// The lines of the read-out of a cell.
std::vector<std::string> cell_lines(const HuntFigure& figure, std::size_t index);
// The result of a hunt in one sentence: why the target cannot run it at all, else the exact edge at
// the row of the settings, else the result of the map.
std::string hunt_sentence(const predict::HuntProgress& hunt, std::int64_t y_value,
                          const text::Texts& texts);
// The result of the map in one sentence, at the row of the settings or the nearest below.
std::string frontier_sentence(const predict::HuntMap& map, const std::string& card,
                              std::int64_t y_value, const text::Texts& texts);
// The same for the exact edge; empty if it is not known, or is that of another row.
std::string exact_sentence(const predict::HuntProgress& hunt, std::int64_t y_value,
                           const text::Texts& texts);
// The addition to the exact edge's sentence: which smaller values do not fit. Empty if all of them
// fit, or if there is no such sentence.
std::string exact_gaps(const predict::HuntProgress& hunt, std::int64_t y_value,
                       const text::Texts& texts);

}  // namespace ts::views
