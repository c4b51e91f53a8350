// One row a point, in the order of the axes; the series of a place are together.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "core/sweep/sweep_table.h"
#include "core/text/joined.h"
#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/one_unit.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"
#include "views/sweep/sweep_figure.h"
#include "views/sweep/sweep_view.h"
#include "views/sweep/table_columns.h"

namespace ts::views {
namespace {

using sweep::PointStatus;

// `worth`: if there is no room for all, the lowest is dropped first; 0 always stays.
struct Column {
  const char* key;
  bool right;
  int worth;
};
constexpr std::array<Column, 10> kColumns = {{{"sweep.column.series", false, 0},
                                              {"", true, 0},
                                              {"sweep.column.median", true, 0},
                                              {"sweep.column.ci", true, 4},
                                              {"sweep.column.tokens", true, 2},
                                              {"sweep.column.predicted", true, 3},
                                              {"sweep.column.peak", true, 0},
                                              {"sweep.column.before", true, 1},
                                              {"sweep.column.error", true, 5},
                                              {"sweep.column.result", false, 0}}};
using TableCells = std::vector<std::string>;
constexpr std::size_t kMeasuredRows = 64;  // the rows that determine the widths of the columns

// The units of the columns; numbers to compare share one.
struct Units {
  OneUnit time, memory, rate;
  [[nodiscard]] std::string ms(double value) const {
    return value < 0 ? text::kNoNumber : time.number(value * 1e6);
  }
  [[nodiscard]] std::string bytes(std::int64_t value) const {
    return memory.number(static_cast<double>(value));
  }
};

Units units_of(const sweep::Sweep& sweep) {
  std::vector<double> times, sizes, rates;
  for (const sweep::SweepPoint& point : sweep.points()) {
    if (point.status == PointStatus::ok) {
      times.push_back(point.measurement.step.median_ms * 1e6);
      times.push_back(point.measurement.step.ci95_low_ms * 1e6);
      rates.push_back(point.measurement.tokens_per_s);
    }
    for (const std::int64_t size :
         {point.measurement.peak_allocated, point.prediction.peak_allocated,
          point.measurement.before_backward, point.prediction.before_backward})
      sizes.push_back(static_cast<double>(size));
  }
  return {duration_unit(times), byte_unit(sizes), token_rate_unit(rates)};
}

// "\u2248 88.3" for a point that was not timed.
std::string estimated_time(const sweep::Sweep& sweep, const Units& units, std::size_t index) {
  const double expected = sweep.estimated_step_ms(index);
  return expected > 0 ? "\xe2\x89\x88 " + units.ms(expected) : text::kNoNumber;
}

// Allocated at the start of the backward; predicted if it was not measured.
std::string before_backward(const sweep::SweepPoint& point, const Units& units) {
  const std::int64_t measured = point.measurement.before_backward;
  if (point.status == PointStatus::ok && measured >= 0) return units.bytes(measured);
  const std::int64_t predicted = point.prediction.before_backward;
  return predicted >= 0 ? "\xe2\x89\x88 " + units.bytes(predicted) : text::kNoNumber;
}

TableCells cells_of(const sweep::Sweep& sweep, const Units& units, std::size_t index,
                    const text::Texts& texts) {
  const sweep::SweepPoint& point = sweep.points()[index];
  const sweep::PointMeasurement& m = point.measurement;
  const sweep::PointPrediction& p = point.prediction;
  const std::string error = prediction_error_words(point);
  const std::string at = text::joined(point.at, ", ", text::grouped<std::int64_t>);
  const bool ok = point.status == PointStatus::ok;
  const bool warm_up = sweep::studies_warm_up(sweep);
  const std::string range =
      m.step.ci95_low_ms < 0 ? std::string(text::kNoNumber)
                             : texts("inspector.range", {{"low", units.ms(m.step.ci95_low_ms)},
                                                         {"high", units.ms(m.step.ci95_high_ms)}});
  return {sweep.series()[point.series].label,
          at,
          ok ? units.ms(warm_up ? m.step.mean_ms : m.step.median_ms)
             : estimated_time(sweep, units, index),
          !ok       ? text::kNoNumber
          : warm_up ? units.ms(m.step.std_ms)
                    : range,
          ok ? units.rate.number(m.tokens_per_s) : text::kNoNumber,
          p.known() ? units.bytes(p.peak_allocated) : text::kNoNumber,
          ok && m.peak_allocated >= 0 ? units.bytes(m.peak_allocated) : text::kNoNumber,
          before_backward(point, units),
          error.empty() ? text::kNoNumber : error,
          status_words(point, texts)};
}

// The worth of the columns; those that have nothing to tell where nothing is run are left out.
std::array<int, kColumns.size()> worths_of(const sweep::Sweep& sweep,
                                           const std::vector<TableCells>& rows) {
  std::array<int, kColumns.size()> worths{};
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const bool empty =
        std::ranges::all_of(rows, [&](const TableCells& row) { return row[i] == text::kNoNumber; });
    worths[i] = empty && sweep.spec().only_predicted ? kLeftOut : kColumns[i].worth;
  }
  return worths;
}

// Headings of times, rates and sizes contain the unit.
TableCells header_of(const sweep::Sweep& sweep, const Units& units, const text::Texts& texts) {
  TableCells header(kColumns.size());
  const auto& axes = sweep.spec().axes;
  for (std::size_t i = 0; i < kColumns.size(); ++i)
    header[i] = *kColumns[i].key == '\0' ? spec::field_name(axes[0].field) : texts(kColumns[i].key);
  if (sweep::studies_warm_up(sweep)) {
    header[2] = texts("sweep.column.mean");
    header[3] = texts("sweep.column.std");
  }
  for (const std::size_t column : {2U, 3U}) header[column] += ", " + units.time.name;
  header[4] += ", " + units.rate.name;
  for (const std::size_t column : {5U, 6U, 7U}) header[column] += ", " + units.memory.name;
  if (axes.size() > 1) header[1] += std::string(", ") + spec::field_name(axes[1].field);
  return header;
}

void draw_cells(DrawSink& sink, const Ui& ui, const Rect& row, const TableColumns& columns,
                const TableCells& cells, bool header, Color result) {
  float x = row.x0 + ui.px(32);
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const float share = columns.widths[i];
    if (share <= 0) continue;
    const Rect cell{x, row.y0, x + share - ui.px(16), row.y1};
    const Color color = header                        ? ui.theme.text3
                        : i + 1 == kColumns.size()    ? result
                        : cells[i] == text::kNoNumber ? ui.theme.text3
                                                      : ui.theme.text;
    const TextStyle style = header ? TextStyle::small : TextStyle::body;
    if (kColumns[i].right) {
      text_right(sink, cell, style, color, cells[i]);
    } else {
      text_in(sink, cell, style, color, cells[i]);
    }
    x += share;
  }
}

Color result_color(const Theme& theme, PointStatus status) {
  switch (status) {
    case PointStatus::ok:
      return theme.ok;
    case PointStatus::running:
      return theme.accent;
    case PointStatus::oom:
    case PointStatus::failed:
      return theme.bad;
    case PointStatus::too_slow:
      return theme.warn;
    default:
      return theme.text3;
  }
}

// Buttons at the end of the row under the mouse: run it again, compare it with another.
void draw_row_buttons(const Ui& ui, const Rect& row, const sweep::Sweep& sweep, std::size_t index,
                      SweepPageState& state, SweepRequests& requests) {
  const sweep::SweepPoint& point = sweep.points()[index];
  const float width = ui.px(110);
  float x = row.x1 - width - ui.px(24);
  if (point.status != PointStatus::running && !point.wanted) {
    ImGui::SetCursorScreenPos({x, row.y0});
    if (button(ui, "###rerun", "\xef\x80\xa1", ui.texts("sweep.rerun"), "", ButtonKind::plain,
               width)) {
      requests.rerun = index;
      requests.open.reset();
    }
    x -= width + ui.px(4);
  }
  if (point.status != PointStatus::ok) return;
  ImGui::SetCursorScreenPos({x, row.y0});
  const bool second = state.compare_first && *state.compare_first != index;
  const char* const label = second ? "sweep.compare_with" : "sweep.compare";
  if (button(ui, "###compare", "\xef\x83\xac", ui.texts(label), "", ButtonKind::plain, width)) {
    requests.open.reset();
    if (second) requests.compare = {*state.compare_first, index};
    state.compare_first = second ? std::nullopt : std::optional(index);
  }
  if (second) tooltip(ui, point_words(sweep, sweep.points()[*state.compare_first]));
}

}  // namespace

std::vector<std::vector<std::string>> table_words(const sweep::Sweep& sweep,
                                                  const text::Texts& texts) {
  const Units units = units_of(sweep);
  const TableCells header = header_of(sweep, units, texts);
  std::vector<std::vector<std::string>> rows = {{header.begin(), header.end()}};
  for (const std::size_t index : table_order(sweep)) {
    const TableCells cells = cells_of(sweep, units, index, texts);
    rows.emplace_back(cells.begin(), cells.end());
  }
  return rows;
}

std::vector<std::size_t> table_order(const sweep::Sweep& sweep) {
  std::vector<std::size_t> order(sweep.points().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t index) {
    const sweep::SweepPoint& point = sweep.points()[index];
    return std::pair(point.at, point.series);
  });
  return order;
}

void draw_sweep_table(const Ui& ui, const sweep::Sweep& sweep, SweepPageState& state,
                      SweepRequests& requests) {
  const auto looks = curve_styles(sweep, ui.theme.kind);
  const std::size_t length = sweep.spec().axes[0].values.size();
  const float height = ui.px(25);
  const float width = ImGui::GetContentRegionAvail().x;
  const Units units = units_of(sweep);
  const std::vector<std::size_t> order = table_order(sweep);
  TableCells header = header_of(sweep, units, ui.texts);
  TableColumns columns;
  {
    ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    std::vector<TableCells> measured;
    for (const std::size_t index : order) {
      if (measured.size() == kMeasuredRows) break;
      measured.push_back(cells_of(sweep, units, index, ui.texts));
    }
    columns = table_columns(sink, ui.metrics, header, measured, worths_of(sweep, measured),
                            width - ui.px(40));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    float y = at.y;
    TableCells second(kColumns.size());
    if (columns.tall) {
      for (std::size_t i = 0; i < kColumns.size(); ++i)
        std::tie(header[i], second[i]) = two_lines(header[i]);
      draw_cells(sink, ui, {at.x, y, at.x + width, y + ui.px(18)}, columns, header, true, 0);
      y += ui.px(15);
    }
    draw_cells(sink, ui, {at.x, y, at.x + width, y + (columns.tall ? ui.px(18) : height)}, columns,
               columns.tall ? second : header, true, 0);
    ImGui::Dummy({width, columns.tall ? ui.px(34) : height});
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (ImGui::BeginChild("###sweep_rows", {width, ImGui::GetContentRegionAvail().y})) {
    rows_in_view(order.size(), height, [&](std::size_t row) {
      const std::size_t index = order[row];
      const sweep::SweepPoint& point = sweep.points()[index];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::PushID(static_cast<int>(index));
      ImGui::SetNextItemAllowOverlap();
      if (press_area("###row", ImGui::GetContentRegionAvail().x, height)) {
        requests.open = index;
      }
      ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
      const Rect box{at.x, at.y, at.x + width, at.y + height};
      const bool hovered = ImGui::IsMouseHoveringRect({box.x0, box.y0}, {box.x1, box.y1});
      if (hovered) sink.fill(box, ui.theme.surface2);
      focus_ring(ui);
      draw_mark(sink, looks[index / length], {at.x + ui.px(18), at.y + height / 2}, ui.px(4));
      draw_cells(sink, ui, box, columns, cells_of(sweep, units, index, ui.texts), false,
                 result_color(ui.theme, point.status));
      if (state.compare_first == index) {
        sink.fill({box.x0, box.y0, box.x0 + ui.px(3), box.y1}, ui.theme.accent);
      }
      if (hovered) draw_row_buttons(ui, box, sweep, index, state, requests);
      ImGui::SetCursorScreenPos({at.x, at.y + height});
      ImGui::PopID();
    });
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace ts::views
