// One row a point, in the order in which they are run, newest of what is known on top.
#include <imgui.h>

#include <array>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"
#include "views/sweep/sweep_figure.h"
#include "views/sweep/sweep_view.h"

namespace ts::views {
namespace {

using run::PointStatus;

struct Column {
  const char* key;
  float share;  // of the width
  bool right;
};
constexpr std::array<Column, 10> kColumns = {{{"sweep.column.series", 0.11F, false},
                                              {"", 0.08F, true},
                                              {"sweep.column.median", 0.08F, true},
                                              {"sweep.column.ci", 0.15F, true},
                                              {"sweep.column.tokens", 0.12F, true},
                                              {"sweep.column.predicted", 0.085F, true},
                                              {"sweep.column.peak", 0.085F, true},
                                              {"sweep.column.before", 0.09F, true},
                                              {"sweep.column.error", 0.06F, true},
                                              {"sweep.column.result", 0.14F, false}}};

std::string ms(double value) {
  return value < 0 ? text::kNoNumber : text::duration_ns(value * 1e6).joined();
}

// "\u2248 88.3 ms" of a point that is still to be measured.
std::string predicted_time(const run::Sweep& sweep, std::size_t index) {
  const PointStatus status = sweep.points()[index].status;
  if (status != PointStatus::pending && status != PointStatus::running) return text::kNoNumber;
  const double expected = sweep.predicted_step_ms(index);
  return expected > 0 ? "\xe2\x89\x88 " + ms(expected) : text::kNoNumber;
}

// Allocated when the backward begins; predicted where it was not measured.
std::string before_backward(const run::SweepPoint& point) {
  const std::int64_t measured = point.measurement.before_backward;
  if (point.status == PointStatus::ok && measured >= 0) return text::bytes(measured).joined();
  const std::int64_t predicted = point.prediction.before_backward;
  return predicted >= 0 ? "\xe2\x89\x88 " + text::bytes(predicted).joined() : text::kNoNumber;
}

std::array<std::string, kColumns.size()> cells_of(const run::Sweep& sweep, std::size_t index,
                                                  const text::Texts& texts) {
  const run::SweepPoint& point = sweep.points()[index];
  const run::PointMeasurement& m = point.measurement;
  const run::PointPrediction& p = point.prediction;
  const std::string error = prediction_error_words(point);
  std::string at;
  for (const std::int64_t value : point.at) at += (at.empty() ? "" : ", ") + text::grouped(value);
  const bool ok = point.status == PointStatus::ok;
  return {
      sweep.series()[point.series].label,
      at,
      ok ? ms(m.step.median_ms) : predicted_time(sweep, index),
      ok && m.step.ci95_low_ms >= 0 ? texts("inspector.range", {{"low", ms(m.step.ci95_low_ms)},
                                                                {"high", ms(m.step.ci95_high_ms)}})
                                    : text::kNoNumber,
      ok && m.tokens_per_s >= 0 ? text::rate(m.tokens_per_s, "tokens").joined() : text::kNoNumber,
      p.known() ? text::bytes(p.peak_allocated).joined() : text::kNoNumber,
      ok && m.peak_allocated >= 0 ? text::bytes(m.peak_allocated).joined() : text::kNoNumber,
      before_backward(point),
      error.empty() ? text::kNoNumber : error,
      status_words(point, texts)};
}

void draw_cells(DrawSink& sink, const Ui& ui, const Rect& row,
                const std::array<std::string, kColumns.size()>& cells, bool header, Color result) {
  float x = row.x0 + ui.px(32);
  const float width = row.width() - ui.px(40);
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const float share = width * kColumns[i].share;
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

// At the end of the row that the mouse is on: run it again, compare it with another.
void draw_row_buttons(const Ui& ui, const Rect& row, const run::Sweep& sweep, std::size_t index,
                      SweepPageState& state, SweepWishes& wishes) {
  const run::SweepPoint& point = sweep.points()[index];
  const float width = ui.px(110);
  float x = row.x1 - width - ui.px(24);
  if (point.status != PointStatus::running && !point.wanted) {
    ImGui::SetCursorScreenPos({x, row.y0});
    if (button(ui, "###rerun", "\xef\x80\xa1", ui.texts("sweep.rerun"), "", ButtonKind::plain,
               width)) {
      wishes.rerun = index;
      wishes.open.reset();
    }
    x -= width + ui.px(4);
  }
  if (point.status != PointStatus::ok) return;
  ImGui::SetCursorScreenPos({x, row.y0});
  const bool second = state.compare_first && *state.compare_first != index;
  const char* const label = second ? "sweep.compare_with" : "sweep.compare";
  if (button(ui, "###compare", "\xef\x83\xac", ui.texts(label), "", ButtonKind::plain, width)) {
    wishes.open.reset();
    if (second) wishes.compare = {*state.compare_first, index};
    state.compare_first = second ? std::nullopt : std::optional(index);
  }
  if (second) tooltip(ui, place_words(sweep, *state.compare_first));
}

}  // namespace

void draw_sweep_table(const Ui& ui, const run::Sweep& sweep, SweepPageState& state,
                      SweepWishes& wishes) {
  const auto looks = curve_styles(sweep, ui.theme.kind);
  const std::size_t length = sweep.spec().axes[0].values.size();
  const float height = ui.px(25);
  const float width = ImGui::GetContentRegionAvail().x;
  std::array<std::string, kColumns.size()> header;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    header[i] = *kColumns[i].key == '\0' ? run::field_name(sweep.spec().axes[0].field)
                                         : ui.texts(kColumns[i].key);
  }
  if (sweep.spec().axes.size() > 1) {
    header[1] += std::string(", ") + run::field_name(sweep.spec().axes[1].field);
  }
  {
    ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_cells(sink, ui, {at.x, at.y, at.x + width, at.y + height}, header, true, 0);
    ImGui::Dummy({width, height});
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (ImGui::BeginChild("###sweep_rows", {width, ImGui::GetContentRegionAvail().y})) {
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(sweep.order().size()), height);
    while (clipper.Step()) {
      for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
        const std::size_t index = sweep.order()[static_cast<std::size_t>(row)];
        const run::SweepPoint& point = sweep.points()[index];
        const ImVec2 at = ImGui::GetCursorScreenPos();
        ImGui::PushID(static_cast<int>(index));
        ImGui::SetNextItemAllowOverlap();
        if (ImGui::InvisibleButton("###row", {ImGui::GetContentRegionAvail().x, height})) {
          wishes.open = index;
        }
        ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
        const Rect box{at.x, at.y, at.x + width, at.y + height};
        const bool hovered = ImGui::IsMouseHoveringRect({box.x0, box.y0}, {box.x1, box.y1});
        if (hovered) sink.fill(box, ui.theme.surface2);
        draw_mark(sink, looks[index / length], {at.x + ui.px(18), at.y + height / 2}, ui.px(4));
        draw_cells(sink, ui, box, cells_of(sweep, index, ui.texts), false,
                   result_color(ui.theme, point.status));
        if (state.compare_first == index) {
          sink.fill({box.x0, box.y0, box.x0 + ui.px(3), box.y1}, ui.theme.accent);
        }
        if (hovered) draw_row_buttons(ui, box, sweep, index, state, wishes);
        ImGui::SetCursorScreenPos({at.x, at.y + height});
        ImGui::PopID();
      }
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace ts::views
