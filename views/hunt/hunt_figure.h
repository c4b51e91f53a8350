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

// What the figure of a hunt is drawn from. Nothing of it may be kept.
struct HuntFigure {
  const predict::HuntMap& map;
  std::int64_t memory = 0;  // of the card, bytes
  const text::Texts& texts;
  const Theme& theme;
  Metrics metrics;
  std::optional<std::size_t> selected;      // the cell that the settings are
  Point mouse{-1, -1};                      // outside: nothing is pointed at
  const predict::HuntMap* other = nullptr;  // a second frontier, of the same axes; null: none
  std::string other_name = {};              // "flash"
};

// Title and legend, a cell per pair of values with what it needs, the frontier as a line, a second
// one in dashes, a ring round cells that were run for real, axes below and at the left, and a
// read-out at the mouse.
// Returns the cell that the mouse is at.
std::optional<std::size_t> draw_hunt_figure(DrawSink& sink, const Rect& area,
                                            const HuntFigure& figure);

// "B = 4, T = 2304": no comma in a number of a list.
std::string cell_place(const predict::HuntMap& map, std::size_t index);
// What real runs said: how many cells were confirmed, the worst error of their peaks, and how many
// ended otherwise than predicted; empty without runs.
std::string confirmed_sentence(const predict::HuntMap& map, const text::Texts& texts);
// The lines of the read-out of a cell.
std::vector<std::string> cell_lines(const HuntFigure& figure, std::size_t index);
// The answer of a hunt in one sentence: why the target cannot run it at all, else the exact edge at
// the row of the settings, else what the map says.
std::string hunt_sentence(const predict::HuntProgress& hunt, std::int64_t y_value,
                          const text::Texts& texts);
// What the map says in one sentence, at the row of the settings or the nearest below.
std::string frontier_sentence(const predict::HuntMap& map, const std::string& card,
                              std::int64_t y_value, const text::Texts& texts);
// The same of the exact edge; empty where it is not known, or is that of another row.
std::string exact_sentence(const predict::HuntProgress& hunt, std::int64_t y_value,
                           const text::Texts& texts);
// What the exact edge leaves unsaid: which smaller values do not fit. Empty where all of them do,
// or where there is no sentence of it.
std::string exact_gaps(const predict::HuntProgress& hunt, std::int64_t y_value,
                       const text::Texts& texts);

}  // namespace ts::views
