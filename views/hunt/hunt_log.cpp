#include "views/hunt/hunt_log.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/labels.h"
#include "views/common/exact_bytes.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_words.h"
#include "views/common/widgets.h"
#include "views/hunt/bisection_line.h"
#include "views/hunt/hunt_figure.h"

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
  std::string reason;  // without what the row says already
  std::string whole;   // the tooltip
};

std::string in_words(const Ui& ui, const report::Message& reason) {
  return message_words(ui.texts, reason);
}

LogRow run_row(const Ui& ui, const predict::HuntMap& map, std::size_t number) {
  const std::size_t index = map.confirmed()[number - 1];
  const predict::HuntCell& cell = map.cell(index);
  LogRow row{index,          number, mark_of(ui.theme, cell.run->fits ? Fit::fits : Fit::oom),
             cell.run->peak, {},     {}};
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
                 {{"predicted", text::bytes(*cell.predicted_peak).joined()},
                  {"error", prediction_error(*cell.predicted_peak, cell.run->peak)}}));
  }
  row.whole = row.reason;
  return row;
}

// The reason without the card and the bytes, which the row says already, its numbers first.
std::string short_reason(const Ui& ui, const report::Message& reason) {
  constexpr std::string_view kPredicted = "prediction.";
  if (!reason.key.starts_with(kPredicted)) return in_words(ui, reason);
  return ui.texts("hunt.log." + reason.key.substr(kPredicted.size()), reason.arguments);
}

LogRow probe_row(const Ui& ui, const predict::HuntMap& map, std::size_t number) {
  const std::size_t index = map.log()[number - 1];
  const predict::HuntCell& cell = map.cell(index);
  return {index,
          number,
          mark_of(ui.theme, cell.fit),
          cell.at_least,
          short_reason(ui, cell.reason),
          in_words(ui, cell.reason)};
}

constexpr float kRowHeight = 44;

// True when it was pressed.
bool draw_row(const Ui& ui, const predict::HuntMap& map, const LogRow& row) {
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
  text_in(sink, line(4, 3), TextStyle::small, ui.theme.text3,
          text::grouped(static_cast<std::int64_t>(row.number)));
  sink.text({at.x + ui.px(36), at.y + ui.px(5)}, TextStyle::small, row.mark.color, row.mark.icon);
  text_in(sink, line(56, 3), TextStyle::body, ui.theme.text, cell_place(map, row.cell));
  text_right(sink, line(56, 3), TextStyle::body, ui.theme.text2, text::bytes(row.bytes).joined());
  text_in(sink, line(56, 21), TextStyle::small, ui.theme.text3, row.reason);
  return pressed;
}

}  // namespace

std::optional<std::size_t> draw_hunt_log(const Ui& ui, const predict::HuntMap& map, float height) {
  const std::size_t runs = map.confirmed().size();
  const std::size_t probes = map.log().size();
  const auto count = [](std::size_t number) {
    return text::grouped(static_cast<std::int64_t>(number));
  };
  section(ui, ui.texts("hunt.log"),
          runs == 0
              ? ui.texts("hunt.log_count", {{"count", count(probes)}})
              : ui.texts("hunt.log_counts", {{"count", count(probes)}, {"runs", count(runs)}}));
  std::optional<std::size_t> pressed;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (ImGui::BeginChild("###hunt_log", {0, height})) {
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(runs + probes), ui.px(kRowHeight));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const auto place = static_cast<std::size_t>(i);
        const bool of_run = place < runs;
        const LogRow row =
            of_run ? run_row(ui, map, runs - place) : probe_row(ui, map, probes - (place - runs));
        ImGui::PushID(of_run ? "run" : "probe");
        ImGui::PushID(static_cast<int>(row.number));
        if (draw_row(ui, map, row)) pressed = row.cell;
        ImGui::PopID();
        ImGui::PopID();
      }
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  return pressed;
}

std::optional<std::int64_t> draw_bisection(const Ui& ui, const predict::HuntProgress& hunt) {
  if (!hunt.exact || hunt.exact->edge.probes.empty()) return std::nullopt;
  const char* const x = spec::field_name(hunt.map.x().field);
  section(ui, ui.texts("hunt.bisection", {{"x", x},
                                          {"y", spec::field_name(hunt.map.y().field)},
                                          {"value", std::to_string(hunt.exact->y)}}));
  std::optional<std::int64_t> pressed;
  const float height = ui.px(24);
  const auto& probes = hunt.exact->edge.probes;
  const float shown = std::min<float>(static_cast<float>(probes.size()), 7) * height;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (ImGui::BeginChild("###hunt_bisection", {0, shown})) {
    for (std::size_t i = 0; i < probes.size(); ++i) {
      const predict::HuntProbe& probe = probes[i];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float width = ImGui::GetContentRegionAvail().x;
      ImGui::PushID(static_cast<int>(i));
      if (press_area("###step", width, height)) pressed = probe.at[0];
      ImGui::PopID();
      ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
      const Rect row{at.x, at.y, at.x + width - ui.px(4), at.y + height};
      focus_ring(ui);
      if (ImGui::IsItemHovered()) {
        sink.fill(row, ui.theme.surface2, ui.px(3));
        tooltip(ui, in_words(ui, probe.answer.reason) + "\n" +
                        exact_bytes(ui.texts, probe.answer.needed));
      }
      const Mark mark = mark_of(ui.theme, probe.answer.fit);
      const auto from = [&](float left) {
        return Rect{row.x0 + ui.px(left), row.y0, row.x1, row.y1};
      };
      text_in(sink, from(4), TextStyle::small, ui.theme.text3,
              text::grouped(static_cast<std::int64_t>(i + 1)));
      text_in(sink, from(36), TextStyle::small, mark.color, mark.icon);
      text_in(sink, from(56), TextStyle::body, ui.theme.text,
              std::string(x) + " = " + std::to_string(probe.at[0]));
      text_right(sink, row, TextStyle::body, ui.theme.text2,
                 text::bytes(probe.answer.needed).joined());
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Rect line{at.x, at.y, at.x + ImGui::GetContentRegionAvail().x, at.y + ui.px(36)};
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  if (const auto stops = bisection_stops(sink, ui.metrics, line, probes); !stops.empty()) {
    ImGui::Dummy({line.width(), line.height()});
    draw_bisection_line(sink, ui.theme, ui.metrics, line, stops);
  }
  ImGui::Dummy({0, ui.px(8)});
  return pressed;
}

}  // namespace ts::views
