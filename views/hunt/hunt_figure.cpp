#include "views/hunt/hunt_figure.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/predict/hunt_table.h"
#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/labels.h"
#include "views/charts/read_out.h"
#include "views/common/exact_bytes.h"
#include "views/common/spec_text.h"
#include "views/hunt/hunt_cells.h"

namespace ts::views {
namespace {

using predict::CellState;
using predict::Fit;
using predict::HuntCell;

// `worth`: if there is no room for all, the lowest is dropped first.
struct LegendEntry {
  const char* key;
  enum class Kind { fits, tight, oom, ring, line, dashes } kind;
  int worth;
};
constexpr LegendEntry kLegend[] = {{"hunt.legend.fits", LegendEntry::Kind::fits, 5},
                                   {"hunt.legend.tight", LegendEntry::Kind::tight, 3},
                                   {"hunt.legend.oom", LegendEntry::Kind::oom, 4},
                                   {"hunt.legend.confirmed", LegendEntry::Kind::ring, 1},
                                   {"hunt.legend.frontier", LegendEntry::Kind::line, 0},
                                   {"hunt.legend.second", LegendEntry::Kind::dashes, 2}};

// Only what is drawn has a legend entry.
bool occurs(const HuntFigure& figure, LegendEntry::Kind kind) {
  const auto some = [&figure](Fit fit) {
    for (std::size_t i = 0; i < figure.map.size(); ++i) {
      const HuntCell& cell = figure.map.cell(i);
      if (cell.answered() && cell.fit == fit) return true;
    }
    return false;
  };
  switch (kind) {
    case LegendEntry::Kind::fits:
      return some(Fit::fits);
    case LegendEntry::Kind::tight:
      return some(Fit::fits_after_flush);
    case LegendEntry::Kind::oom:
      return some(Fit::oom);
    case LegendEntry::Kind::ring:
      return !figure.map.confirmed().empty();
    case LegendEntry::Kind::line:
      return has_frontier(figure.map);
    case LegendEntry::Kind::dashes:
      return figure.other != nullptr && has_frontier(*figure.other);
  }
  return false;
}

void draw_swatch(DrawSink& sink, const HuntFigure& figure, const Rect& box,
                 LegendEntry::Kind kind) {
  const Theme& theme = figure.theme;
  const float px = figure.metrics.px(1);
  switch (kind) {
    case LegendEntry::Kind::fits:
      return sink.fill(box, fit_color(theme, Fit::fits, 0.6F));
    case LegendEntry::Kind::tight:
      sink.fill(box, fit_color(theme, Fit::fits_after_flush, 0.55F));
      return draw_stripes(sink, box, with_alpha(theme.bg, 0.5F), 5 * px);
    case LegendEntry::Kind::oom:
      return sink.fill(box, fit_color(theme, Fit::oom, 0.45F));
    case LegendEntry::Kind::ring:
      return sink.outline(box, theme.text, 1.5F * px, 3 * px);
    case LegendEntry::Kind::line:
      return sink.fill({box.x0, (box.y0 + box.y1) / 2 - px, box.x1, (box.y0 + box.y1) / 2 + px},
                       theme.text);
    case LegendEntry::Kind::dashes: {
      const float middle = (box.y0 + box.y1) / 2;
      return draw_dashes(sink, {box.x0, middle - px, box.x1, middle + px}, second_color(theme),
                         5 * px, 3 * px);
    }
  }
}

// Draws at the right end; entries that do not fit beside the title are left out.
void draw_legend(DrawSink& sink, const HuntFigure& figure, const Rect& row, float title_end) {
  const float px = figure.metrics.px(1);
  struct Shown {
    LegendEntry entry;
    std::string words;
    float width;  // with its swatch and the gap before it
  };
  std::vector<Shown> shown;
  float all = 0;
  for (const LegendEntry& entry : kLegend) {
    if (!occurs(figure, entry.kind)) continue;
    std::string words = entry.kind == LegendEntry::Kind::dashes
                            ? figure.texts("hunt.legend.second", {{"name", figure.other_name}})
                            : std::string(figure.texts(entry.key));
    const float width = sink.text_width(TextStyle::small, words) + (6 + 14 + 18) * px;
    all += width;
    shown.push_back({entry, std::move(words), width});
  }
  while (!shown.empty() && row.x1 - all < title_end) {
    const auto least =
        std::ranges::min_element(shown, {}, [](const Shown& one) { return one.entry.worth; });
    all -= least->width;
    shown.erase(least);
  }
  float x = row.x1 - all;
  const float middle = (row.y0 + row.y1) / 2;
  for (const Shown& one : shown) {
    const float swatch = x + 18 * px;
    draw_swatch(sink, figure, {swatch, middle - 5 * px, swatch + 14 * px, middle + 5 * px},
                one.entry.kind);
    x += one.width;
    text_right(sink, {row.x0, row.y0, x, row.y1}, TextStyle::small, figure.theme.text2, one.words);
  }
}

// The width of the labels at the left: that of the widest one in its chosen look.
float label_width(const DrawSink& sink, const HuntFigure& figure) {
  float width = figure.metrics.px(48);
  for (const std::int64_t value : figure.map.y_values())
    width = std::max(width, sink.text_width(TextStyle::body_strong, text::grouped(value)));
  return std::ceil(width);
}

// rows: the width of the labels at the left.
void draw_labels(DrawSink& sink, const HuntFigure& figure, const HuntGrid& grid, float rows) {
  const predict::HuntMap& map = figure.map;
  const Theme& theme = figure.theme;
  const auto style_of = [](bool chosen) {
    return chosen ? TextStyle::body_strong : TextStyle::small;
  };
  const std::size_t columns = grid.columns;
  const float right = grid.box.x0 - figure.metrics.px(8);
  const float left = right - rows;
  for (std::size_t j = 0; j < grid.rows; ++j) {
    const Rect cell = grid.cell(j * columns);
    const bool chosen = figure.selected && *figure.selected / columns == j;
    text_right(sink, {left, cell.y0, right, cell.y1}, style_of(chosen),
               chosen ? theme.text : theme.text2, text::grouped(map.y_values()[j]));
  }
  // The chosen column first: it has its label whatever its neighbours have.
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t chosen_column = figure.selected ? *figure.selected % columns : 0;
  const auto begin = order.begin();
  std::rotate(begin, begin + static_cast<std::ptrdiff_t>(chosen_column),
              begin + static_cast<std::ptrdiff_t>(chosen_column) + 1);
  std::vector<std::pair<float, float>> taken;
  for (const std::size_t i : order) {
    const Rect cell = grid.cell((grid.rows - 1) * columns + i);
    const bool chosen = figure.selected && chosen_column == i;
    const std::string words = text::grouped(map.x_values()[i]);
    const float width = sink.text_width(style_of(chosen), words);
    const float x = std::round((cell.x0 + cell.x1 - width) / 2);
    const float gap = figure.metrics.px(6);
    const bool meets = std::ranges::any_of(taken, [&](const auto& other) {
      return x < other.second + gap && other.first < x + width + gap;
    });
    if (meets) continue;
    sink.text({x, cell.y1 + figure.metrics.px(5)}, style_of(chosen),
              chosen ? theme.text : theme.text2, words);
    taken.emplace_back(x, x + width);
  }
  const Rect first = grid.cell((grid.rows - 1) * columns);
  text_right(
      sink,
      {first.x0 - figure.metrics.px(56), first.y1 + figure.metrics.px(3),
       first.x0 - figure.metrics.px(8), first.y1 + figure.metrics.px(23)},
      TextStyle::small, theme.text3,
      std::string(spec::field_name(map.y().field)) + " \\ " + spec::field_name(map.x().field));
}

// There is no largest value before larger ones were checked, and no edge without a value that fits
// and one that does not.
const predict::EdgeHunt* exact_edge(const predict::HuntProgress& hunt, std::int64_t y_value) {
  if (!hunt.exact || !hunt.exact->searched_above || hunt.exact->y != y_value) return nullptr;
  const predict::EdgeHunt& edge = hunt.exact->edge;
  return edge.fits && edge.oom ? &edge : nullptr;
}

}  // namespace

std::string cell_place(const predict::HuntMap& map, std::size_t index) {
  const std::size_t columns = map.x_values().size();
  return std::string(spec::field_name(map.y().field)) + " = " +
         text::grouped(map.y_values()[index / columns]) + ", " + spec::field_name(map.x().field) +
         " = " + text::grouped(map.x_values()[index % columns]);
}

std::vector<std::string> cell_lines(const HuntFigure& figure, std::size_t index) {
  const HuntCell& cell = figure.map.cell(index);
  const text::Texts& t = figure.texts;
  const auto size = [&t](std::int64_t bytes) { return size_and_bytes(t, bytes); };
  std::vector<std::string> lines = {cell_place(figure.map, index)};
  switch (cell.state) {
    case CellState::unknown:
      lines.emplace_back(t("hunt.cell.unknown"));
      break;
    case CellState::impossible:
      lines.emplace_back(t("hunt.cell.impossible"));
      break;
    case CellState::inferred:
      lines.emplace_back(t(cell.fit == Fit::oom    ? "hunt.cell.inferred_oom"
                           : cell.fit == Fit::fits ? "hunt.cell.inferred_fits"
                                                   : "hunt.cell.inferred_tight"));
      lines.push_back(cell.at_most ? t("hunt.cell.between", {{"low", size(cell.at_least)},
                                                             {"high", size(*cell.at_most)}})
                                   : t("hunt.cell.at_least", {{"low", size(cell.at_least)}}));
      break;
    case CellState::probed:
      lines.push_back(message_text(t, cell.reason));
      lines.push_back(t("hunt.cell.needed", {{"needed", size(cell.at_least)}}));
      break;
  }
  if (cell.run) {
    lines.push_back(t(cell.run->fits ? "hunt.cell.run_ok" : "hunt.cell.run_oom",
                      {{"peak", size(cell.run->peak)}}));
    if (cell.contradicted()) lines.emplace_back(t("hunt.cell.contradicted"));
    if (const auto error = cell.peak_error()) {
      lines.push_back(t("hunt.cell.peak_error",
                        {{"predicted", size(*cell.predicted_peak)},
                         {"error", prediction_error(*cell.predicted_peak, cell.run->peak)}}));
    }
  }
  return lines;
}

std::string confirmed_sentence(const predict::HuntMap& map, const text::Texts& texts) {
  if (map.confirmed().empty()) return {};
  std::int64_t others = 0;
  const HuntCell* worst = nullptr;
  for (const std::size_t index : map.confirmed()) {
    const HuntCell& cell = map.cell(index);
    others += cell.contradicted() ? 1 : 0;
    const auto error = cell.peak_error();
    if (error && (worst == nullptr || std::abs(*error) > std::abs(*worst->peak_error())))
      worst = &cell;
  }
  std::vector<base::Argument> arguments = {{"count", text::grouped(map.confirmed().size())},
                                           {"others", text::grouped(others)}};
  std::string words = texts("hunt.confirmed", arguments);
  if (worst != nullptr) {
    words += texts("memory.list_comma") +
             texts("hunt.worst_error",
                   {{"error", prediction_error(*worst->predicted_peak, worst->run->peak)}});
  }
  return words;
}

std::string frontier_sentence(const predict::HuntMap& map, const std::string& card,
                              std::int64_t y_value, const text::Texts& texts) {
  const auto& rows = map.y_values();
  const auto above = std::ranges::upper_bound(rows, y_value);
  const auto row = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, above - rows.begin() - 1));
  const auto edge = map.frontier()[row];
  std::vector<base::Argument> arguments = {{"y", spec::field_name(map.y().field)},
                                           {"row", text::grouped(rows[row])},
                                           {"x", spec::field_name(map.x().field)},
                                           {"card", limit_text(texts, card)}};
  if (!edge) return texts("hunt.none_fits", arguments);
  arguments.push_back({"value", text::grouped(*edge)});
  if (*edge == map.x_values().back()) return texts("hunt.all_fit", arguments);
  return texts("hunt.largest", arguments);
}

std::string hunt_sentence(const predict::HuntProgress& hunt, std::int64_t y_value,
                          const text::Texts& texts) {
  if (!hunt.obstacle.sentence.empty()) {
    return texts("hunt.cannot_run",
                 {{"card", hunt.target.name}, {"reason", message_text(texts, hunt.obstacle)}});
  }
  std::string sentence = exact_sentence(hunt, y_value, texts);
  if (!sentence.empty()) return sentence;
  // Before the frontier is known, larger values may still turn out to fit.
  if (hunt.running && !hunt.frontier_after) return texts("hunt.computing");
  if (hunt.running && hunt.exact && hunt.exact->y == y_value && hunt.exact->edge.fits &&
      hunt.exact->edge.oom) {
    return texts("hunt.exact_so_far", {{"y", spec::field_name(hunt.map.y().field)},
                                       {"row", text::grouped(y_value)},
                                       {"x", spec::field_name(hunt.map.x().field)},
                                       {"card", limit_text(texts, hunt.target.name)},
                                       {"value", text::grouped(*hunt.exact->edge.fits)},
                                       {"next", text::grouped(*hunt.exact->edge.oom)}});
  }
  return frontier_sentence(hunt.map, hunt.target.name, y_value, texts);
}

std::string exact_sentence(const predict::HuntProgress& hunt, std::int64_t y_value,
                           const text::Texts& texts) {
  const predict::EdgeHunt* const edge = exact_edge(hunt, y_value);
  if (edge == nullptr) return {};
  std::string sentence = texts("hunt.exact", {{"y", spec::field_name(hunt.map.y().field)},
                                              {"row", text::grouped(y_value)},
                                              {"x", spec::field_name(hunt.map.x().field)},
                                              {"card", limit_text(texts, hunt.target.name)},
                                              {"value", text::grouped(*edge->largest())}});
  if (!edge->again.empty() || !edge->largest_needs_flush()) return sentence;
  return texts("hunt.after_flush", {{"sentence", sentence}});
}

std::string exact_gaps(const predict::HuntProgress& hunt, std::int64_t y_value,
                       const text::Texts& texts) {
  const predict::EdgeHunt* const edge = exact_edge(hunt, y_value);
  if (edge == nullptr || edge->again.empty() || !hunt.obstacle.sentence.empty()) return {};
  std::string ranges;
  constexpr std::size_t kMostShown = 3;
  for (const predict::EdgeHunt::Range& range : edge->again) {
    if (!ranges.empty()) ranges += texts("memory.list_comma");
    if (&range == edge->again.data() + kMostShown) {
      ranges += "\u2026";
      break;
    }
    ranges += range.first == range.last
                  ? text::grouped(range.first)
                  : texts("inspector.range", {{"low", text::grouped(range.first)},
                                              {"high", text::grouped(range.last)}});
  }
  return texts("hunt.exact_gaps", {{"value", text::grouped(*edge->fits)}, {"ranges", ranges}});
}

std::optional<std::size_t> draw_hunt_figure(DrawSink& sink, const Rect& area,
                                            const HuntFigure& figure) {
  const float px = figure.metrics.px(1);
  const Rect title{area.x0 + 16 * px, area.y0 + 6 * px, area.x1 - 16 * px, area.y0 + 34 * px};
  HuntGrid grid;
  grid.unit = predict::grid_unit(figure.map, figure.memory);
  const std::string words =
      figure.texts("hunt.title", {{"unit", text::bytes_in(0, grid.unit).unit}});
  text_in(sink, title, TextStyle::body_strong, figure.theme.text, words);
  draw_legend(sink, figure, title,
              title.x0 + sink.text_width(TextStyle::body_strong, words) + 12 * px);
  grid.columns = figure.map.x_values().size();
  grid.rows = figure.map.y_values().size();
  const float row_labels = label_width(sink, figure);
  const Rect inside{area.x0 + 24 * px + row_labels, title.y1 + 6 * px, title.x1, area.y1 - 30 * px};
  grid.width = std::floor(inside.width() / static_cast<float>(grid.columns));
  grid.height = std::floor(inside.height() / static_cast<float>(grid.rows));
  if (grid.width < 3 || grid.height < 3) return std::nullopt;
  grid.box = {std::round(inside.x0), std::round(inside.y0),
              std::round(inside.x0) + grid.width * static_cast<float>(grid.columns),
              std::round(inside.y0) + grid.height * static_cast<float>(grid.rows)};
  grid.whole = too_narrow(sink, figure.map, grid);
  draw_cells(sink, figure, grid);
  draw_second_frontier(sink, figure, grid);
  draw_frontier(sink, figure, grid);
  draw_frames(sink, figure, grid);
  draw_labels(sink, figure, grid, row_labels);
  const auto pointed = grid.at(figure.mouse);
  if (!pointed) return std::nullopt;
  sink.outline(grid.cell(*pointed), figure.theme.text2, px);
  std::vector<ReadOutLine> lines;
  for (std::string& line : cell_lines(figure, *pointed)) {
    lines.push_back({std::move(line), TextStyle::small, lines.empty()});
  }
  draw_read_out(sink, figure.theme, figure.metrics, figure.mouse, area, lines);
  return pointed;
}

}  // namespace ts::views
