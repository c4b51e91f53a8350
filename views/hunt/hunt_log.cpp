#include "views/hunt/hunt_log.h"

#include <imgui.h>

#include <algorithm>
#include <string>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/labels.h"
#include "views/common/exact_bytes.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"
#include "views/hunt/bisection_line.h"
#include "views/hunt/hunt_figure.h"
#include "views/hunt/hunt_text.h"

namespace ts::views {
namespace {

using predict::Fit;

struct Mark {
  const char* icon;
  Color color;
};

Mark mark_of(const Theme& theme, Fit fit) {
  if (fit == Fit::fits) return {"\xef\x80\x8c", theme.ok};                // check
  if (fit == Fit::fits_after_flush) return {"\xef\x81\xb1", theme.warn};  // warning
  return {"\xef\x80\x8d", theme.bad};                                     // cross
}

// One row of the log in words.
struct LogRow {
  std::size_t cell = 0;
  std::size_t number = 0;  // in its list
  Mark mark;
  std::int64_t bytes = 0;
  std::string reason = {};  // without what the row already shows
  std::string whole = {};   // the tooltip
};

std::string as_text(const Ui& ui, const base::Message& reason) {
  return message_text(ui.texts, reason);
}

LogRow run_row(const Ui& ui, const predict::HuntMap& map, const OneUnit& unit, std::size_t number) {
  const std::size_t index = map.confirmed()[number - 1];
  const predict::HuntCell& cell = map.cell(index);
  LogRow row{.cell = index,
             .number = number,
             .mark = mark_of(ui.theme, cell.run->fits ? Fit::fits : Fit::oom),
             .bytes = cell.run->peak};
  row.reason = ui.texts(cell.run->fits ? "hunt.log.run_ok" : "hunt.log.run_oom");
  const auto add = [&](const std::string& words) {
    row.reason += ui.texts("memory.list_comma") + words;
  };
  if (cell.contradicted()) {
    row.mark.color = ui.theme.warn;
    add(ui.texts("hunt.cell.contradicted"));
  }
  if (cell.peak_error()) {
    add(ui.texts("hunt.log.predicted",
                 {{"predicted", hunt_size(unit, *cell.predicted_peak)},
                  {"error", prediction_error(*cell.predicted_peak, cell.run->peak)}}));
  }
  row.whole = row.reason;
  return row;
}

LogRow probe_row(const Ui& ui, const predict::HuntMap& map, std::size_t number) {
  const std::size_t index = map.log()[number - 1];
  const predict::HuntCell& cell = map.cell(index);
  return {.cell = index,
          .number = number,
          .mark = mark_of(ui.theme, cell.fit),
          .bytes = cell.at_least,
          .reason = short_reason(ui.texts, cell.reason),
          .whole = as_text(ui, cell.reason)};
}

constexpr float kRowHeight = 44;

// True when it was pressed.
bool draw_row(const Ui& ui, const predict::HuntMap& map, const OneUnit& unit, const LogRow& row) {
  const float height = ui.px(kRowHeight);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const bool pressed = press_area("###probe", width, height);
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  focus_ring(ui);
  if (ImGui::IsItemHovered()) {
    sink.fill({at.x, at.y, at.x + width, at.y + height}, ui.theme.surface2, ui.px(3));
    tooltip(ui, row.whole + "\n" + exact_bytes(ui.texts, row.bytes));
  }
  const auto line = [&](float left, float top) {
    return Rect{at.x + ui.px(left), at.y + ui.px(top), at.x + width - ui.px(4),
                at.y + ui.px(top + 18)};
  };
  text_in(sink, line(4, 3), TextStyle::small, ui.theme.text3, text::grouped(row.number));
  sink.text({at.x + ui.px(36), at.y + ui.px(5)}, TextStyle::small, row.mark.color, row.mark.icon);
  const std::string size = hunt_size(unit, row.bytes);
  Rect place = line(56, 3);
  text_right(sink, place, TextStyle::body, ui.theme.text2, size);
  place.x1 -= sink.text_width(TextStyle::body, size) + ui.px(8);
  const std::string words = cell_place(map, row.cell);
  const bool roomy = sink.text_width(TextStyle::body, words) <= place.width();
  text_in(sink, place, roomy ? TextStyle::body : TextStyle::small, ui.theme.text, words);
  text_in(sink, line(56, 21), TextStyle::small, ui.theme.text3, row.reason);
  return pressed;
}

constexpr float kStepHeight = 24;
constexpr float kStepsShown = 7;
constexpr float kLineHeight = 36;
constexpr float kButtonHeight = 28;

// A probe of the bisection; true when it was pressed.
bool draw_step(const Ui& ui, const std::string& place, const BisectionRow& row,
               const predict::HuntProbe& probe, std::size_t number) {
  const float height = ui.px(kStepHeight);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const bool pressed = press_area("###step", width, height);
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const Rect box{at.x, at.y, at.x + width - ui.px(4), at.y + height};
  focus_ring(ui);
  if (ImGui::IsItemHovered()) {
    sink.fill(box, ui.theme.surface2, ui.px(3));
    tooltip(ui,
            as_text(ui, probe.answer.reason) + "\n" + exact_bytes(ui.texts, probe.answer.needed));
  }
  const Mark mark = mark_of(ui.theme, row.fit);
  const auto from = [&](float left) { return Rect{box.x0 + left, box.y0, box.x1, box.y1}; };
  text_in(sink, from(ui.px(4)), TextStyle::small, ui.theme.text3, text::grouped(number));
  text_in(sink, from(ui.px(32)), TextStyle::small, mark.color, mark.icon);
  text_in(sink, from(ui.px(52)), TextStyle::body, ui.theme.text, place);
  text_right(sink, box, TextStyle::body, ui.theme.text2, row.size);
  Rect between = from(ui.px(52) + sink.text_width(TextStyle::body, place) + ui.px(12));
  between.x1 -= sink.text_width(TextStyle::body, row.size) + ui.px(12);
  const auto reason = std::ranges::find_if(row.reasons, [&](const std::string& words) {
    return sink.text_width(TextStyle::small, words) <= between.width();
  });
  // Without room for any it is left to the tooltip: a part of a number would be another number.
  if (reason != row.reasons.end())
    text_in(sink, between, TextStyle::small, ui.theme.text3, *reason);
  return pressed;
}

}  // namespace

std::optional<std::size_t> draw_hunt_log(const Ui& ui, const predict::HuntMap& map,
                                         std::int64_t memory, float height) {
  const OneUnit unit = hunt_unit(map, memory);
  const std::size_t runs = map.confirmed().size();
  const std::size_t probes = map.log().size();
  section(ui, ui.texts("hunt.log"),
          runs == 0 ? ui.texts("hunt.log_count", {{"count", text::grouped(probes)}})
                    : ui.texts("hunt.log_counts",
                               {{"count", text::grouped(probes)}, {"runs", text::grouped(runs)}}));
  std::optional<std::size_t> pressed;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (ImGui::BeginChild("###hunt_log", {0, height})) {
    rows_in_view(runs + probes, ui.px(kRowHeight), [&](std::size_t place) {
      const bool of_run = place < runs;
      const LogRow row = of_run ? run_row(ui, map, unit, runs - place)
                                : probe_row(ui, map, probes - (place - runs));
      ImGui::PushID(of_run ? "run" : "probe");
      ImGui::PushID(static_cast<int>(row.number));
      if (draw_row(ui, map, unit, row)) pressed = row.cell;
      ImGui::PopID();
      ImGui::PopID();
    });
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  return pressed;
}

std::optional<std::int64_t> draw_bisection(const Ui& ui, const predict::HuntProgress& hunt,
                                           std::int64_t y, bool outdated) {
  std::vector<BisectionRow> rows;
  if (!outdated) rows = bisection_rows(hunt, y, ui.texts);
  const bool awaited = outdated || bisection_awaited(hunt, y);
  if (rows.empty() && !awaited) return std::nullopt;
  const std::string x = spec::field_name(hunt.map.x().field);
  section(ui, ui.texts("hunt.bisection", {{"x", x},
                                          {"y", spec::field_name(hunt.map.y().field)},
                                          {"value", text::grouped(y)}}));
  std::optional<std::int64_t> pressed;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (ImGui::BeginChild("###hunt_bisection", {0, ui.px(kStepsShown * kStepHeight)})) {
    if (awaited) text(ui, TextStyle::small, ui.theme.text3, ui.texts("hunt.bisection_awaited"));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      const std::string place = x + " = " + text::grouped(rows[i].value);
      if (draw_step(ui, place, rows[i], hunt.exact->edge.probes[i], i + 1)) pressed = rows[i].value;
      ImGui::PopID();
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Rect line{at.x, at.y, at.x + ImGui::GetContentRegionAvail().x, at.y + ui.px(kLineHeight)};
  ImGui::Dummy({line.width(), line.height()});
  if (!rows.empty()) {
    ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    draw_bisection_line(sink, ui.theme, ui.metrics, line,
                        bisection_stops(sink, ui.metrics, line, hunt.exact->edge.probes));
  }
  // Its place is kept until the edge is known.
  if (!rows.empty() && hunt.exact->edge.fits) {
    const std::int64_t edge = *hunt.exact->edge.fits;
    const std::string words =
        ui.texts("hunt.take_edge", {{"x", x}, {"value", text::grouped(edge)}});
    if (button(ui, "###take_edge", "", words, "", ButtonKind::plain)) pressed = edge;
  } else {
    ImGui::Dummy({0, ui.px(kButtonHeight)});
  }
  ImGui::Dummy({0, ui.px(8)});
  return pressed;
}

}  // namespace ts::views
