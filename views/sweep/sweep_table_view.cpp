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

// The data of one row.
struct RowFacts {
  const sweep::Sweep& sweep;
  std::size_t index;
  const Units& units;
  const text::Texts& texts;
  const sweep::SweepPoint& point;

  [[nodiscard]] bool ok() const { return point.status == PointStatus::ok; }
};

std::string time_cell(const RowFacts& row) {
  if (!row.ok()) return estimated_time(row.sweep, row.units, row.index);
  const auto& step = row.point.measurement.step;
  return row.units.ms(sweep::studies_warm_up(row.sweep) ? step.mean_ms : step.median_ms);
}

// The confidence interval; the standard deviation where the warm-up is studied.
std::string spread_cell(const RowFacts& row) {
  if (!row.ok()) return text::kNoNumber;
  const auto& step = row.point.measurement.step;
  if (sweep::studies_warm_up(row.sweep)) return row.units.ms(step.std_ms);
  if (step.ci95_low_ms < 0) return text::kNoNumber;
  return row.texts("inspector.range", {{"low", row.units.ms(step.ci95_low_ms)},
                                       {"high", row.units.ms(step.ci95_high_ms)}});
}

std::string peak_cell(const RowFacts& row) {
  const std::int64_t peak = row.point.measurement.peak_allocated;
  return row.ok() && peak >= 0 ? row.units.bytes(peak) : text::kNoNumber;
}

std::string error_cell(const RowFacts& row) {
  const std::string error = prediction_error_text(row.point);
  return error.empty() ? text::kNoNumber : error;
}

// `worth`: if there is no room for all, the lowest is dropped first; 0 always stays.
struct Column {
  const char* key;  // of the heading; null: the field of the axis
  bool right;
  int worth;
  std::string (*cell)(const RowFacts& row);
  const OneUnit Units::*unit = nullptr;  // of all its numbers; the heading contains it
  const char* warm_up_key = nullptr;     // of the heading where the warm-up is studied
};
constexpr auto kColumns = std::to_array<Column>({
    {"sweep.column.series", false, 0,
     [](const RowFacts& row) { return row.sweep.series()[row.point.series].label; }},
    {nullptr, true, 0,
     [](const RowFacts& row) {
       return text::joined(row.point.at, ", ", text::grouped<std::int64_t>);
     }},
    {"sweep.column.median", true, 0, time_cell, &Units::time, "sweep.column.mean"},
    {"sweep.column.ci", true, 4, spread_cell, &Units::time, "sweep.column.std"},
    {"sweep.column.tokens", true, 2,
     [](const RowFacts& row) {
       return row.ok() ? row.units.rate.number(row.point.measurement.tokens_per_s)
                       : text::kNoNumber;
     },
     &Units::rate},
    {"sweep.column.predicted", true, 3,
     [](const RowFacts& row) {
       const sweep::PointPrediction& predicted = row.point.prediction;
       return predicted.known() ? row.units.bytes(predicted.peak_allocated) : text::kNoNumber;
     },
     &Units::memory},
    {"sweep.column.peak", true, 0, peak_cell, &Units::memory},
    {"sweep.column.before", true, 1,
     [](const RowFacts& row) { return before_backward(row.point, row.units); }, &Units::memory},
    {"sweep.column.error", true, 5, error_cell},
    {"sweep.column.result", false, 0,
     [](const RowFacts& row) { return status_text(row.point, row.texts); }},
});

TableCells cells_of(const sweep::Sweep& sweep, const Units& units, std::size_t index,
                    const text::Texts& texts) {
  const RowFacts row{.sweep = sweep,
                     .index = index,
                     .units = units,
                     .texts = texts,
                     .point = sweep.points()[index]};
  TableCells cells;
  for (const Column& column : kColumns) cells.push_back(column.cell(row));
  return cells;
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

std::string axes_heading(const sweep::Sweep& sweep) {
  return text::joined(sweep.spec().axes, ", ", [](const sweep::SweepAxis& axis) {
    return std::string(spec::field_name(axis.field));
  });
}

TableCells header_of(const sweep::Sweep& sweep, const Units& units, const text::Texts& texts) {
  const bool warm_up = sweep::studies_warm_up(sweep);
  TableCells header;
  for (const Column& column : kColumns) {
    const bool other = warm_up && column.warm_up_key != nullptr;
    std::string heading = column.key == nullptr ? axes_heading(sweep)
                                                : texts(other ? column.warm_up_key : column.key);
    if (column.unit != nullptr) heading += ", " + (units.*column.unit).name;
    header.push_back(std::move(heading));
  }
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
  if (second) tooltip(ui, point_text(sweep, sweep.points()[*state.compare_first]));
}

}  // namespace

std::vector<std::vector<std::string>> table_text(const sweep::Sweep& sweep,
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
