#include "views/inspector/remedy_list.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/one_unit.h"
#include "views/common/exact_bytes.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

// The common scale of all bars, so that their ticks are aligned.
struct BarScale {
  std::int64_t memory = 0;   // of the card
  std::int64_t largest = 0;  // the larger of the card's memory and the current need
};

// Needed memory as a bar; a tick marks the memory of the card.
void draw_bar(DrawSink& sink, const Ui& ui, const Rect& box, std::int64_t needed,
              const BarScale& scale) {
  const float whole = static_cast<float>(scale.largest) * 1.05F;
  const auto at = [&](std::int64_t bytes) {
    return box.x0 + box.width() * static_cast<float>(bytes) / whole;
  };
  sink.fill(box, ui.theme.surface3, ui.px(2));
  sink.fill({box.x0, box.y0, at(needed), box.y1},
            needed > scale.memory ? ui.theme.bad : ui.theme.ok, ui.px(2));
  const float tick = std::round(at(scale.memory));
  sink.fill({tick, box.y0 - ui.px(3), tick + ui.px(2), box.y1 + ui.px(3)}, ui.theme.warn);
}

bool draw_remedy(const Ui& ui, const predict::Remedy& remedy, const BarScale& scale,
                 const OneUnit& unit) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(50);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(to_string(remedy.kind));
  const bool pressed = press_area("###remedy", width, height);
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  focus_ring(ui);
  const char* const about =
      ui.texts(remedy.runs_here ? std::string("remedy.about.") + to_string(remedy.kind)
                                : std::string("remedy.only_card"));
  if (ImGui::IsItemHovered()) {
    sink.fill({at.x - ui.px(4), at.y, at.x + width + ui.px(4), at.y + height}, ui.theme.surface2,
              ui.px(3));
    tooltip(ui, std::string(about) + "\n" + exact_bytes(ui.texts, remedy.needed) + "\n" +
                    ui.texts(remedy.runs_here ? "remedy.try" : "remedy.try_card"));
  }
  ImGui::PopID();
  const bool fits = remedy.fit != predict::Fit::oom;
  const char* const icon = fits ? "\xef\x80\x8c" : "\xef\x80\x8d";  // check, cross
  sink.text({at.x, at.y + ui.px(5)}, TextStyle::small, fits ? ui.theme.ok : ui.theme.bad, icon);
  const RemedyColumns columns = remedy_columns(sink, ui.metrics, ui.texts, width);
  const float time_end = at.x + columns.time;
  const float needed_end = at.x + columns.needed;
  const float bar = at.x + columns.bar;
  const auto row = [&](float left, float right, float top) {
    return Rect{left, at.y + ui.px(top), right, at.y + ui.px(top + 18)};
  };
  const Color color = remedy.current ? ui.theme.text : ui.theme.text3;
  text_in(sink, row(at.x + ui.px(20), bar - ui.px(6), 3), TextStyle::body, color,
          remedy_title(remedy, ui.texts));
  text_right(sink, row(at.x, needed_end, 3), TextStyle::body_medium, color,
             unit.number(static_cast<double>(remedy.needed)));
  text_right(sink, row(needed_end, time_end, 3), TextStyle::body,
             remedy.time_ratio && *remedy.time_ratio > 1.005 ? ui.theme.warn : ui.theme.text2,
             remedy_time(remedy));
  text_in(sink, row(at.x + ui.px(20), bar - ui.px(6), 22), TextStyle::small, ui.theme.text3, about);
  draw_bar(sink, ui, {bar, at.y + ui.px(28), time_end, at.y + ui.px(34)}, remedy.needed, scale);
  return pressed;
}

// The headings of the numbers at the right.
void draw_headings(const Ui& ui, const std::string& unit) {
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = sink.text_height(TextStyle::small) + ui.px(4);
  const float width = ImGui::GetContentRegionAvail().x;
  const RemedyColumns columns = remedy_columns(sink, ui.metrics, ui.texts, width);
  const float clear = at.x + columns.unit;
  text_right(sink, {at.x, at.y, clear, at.y + height}, TextStyle::small, ui.theme.text3, unit);
  text_right(sink, {clear, at.y, at.x + columns.time, at.y + height}, TextStyle::small,
             ui.theme.text3, ui.texts("remedy.time"));
  ImGui::Dummy({width, height});
}

}  // namespace

RemedyColumns remedy_columns(const DrawSink& sink, const Metrics& metrics, const text::Texts& texts,
                             float width) {
  // Widths of the numbers at scale 1.
  constexpr float kTime = 50, kNeeded = 44;
  const float needed = width - metrics.px(kTime);
  const float heading = sink.text_width(TextStyle::small, texts("remedy.time"));
  return {.bar = needed - metrics.px(kNeeded),
          .needed = needed,
          .time = width,
          .unit = std::min(needed, width - heading - metrics.px(10))};
}

std::string remedy_title(const predict::Remedy& remedy, const text::Texts& texts) {
  if (remedy.kind == predict::RemedyKind::smaller_batch) {
    return texts("remedy.title.smaller_batch", {{"batch", text::grouped(remedy.spec.batch)},
                                                {"steps", text::grouped(remedy.spec.accumulate)}});
  }
  return texts(std::string("remedy.title.") + to_string(remedy.kind));
}

std::string remedy_time(const predict::Remedy& remedy) {
  if (!remedy.time_ratio) return text::kNoNumber;
  const double percent = std::round((*remedy.time_ratio - 1) * 100);
  if (percent == 0) return "0 %";
  // A minus sign as wide as the plus sign.
  return (percent > 0 ? "+" : "\xe2\x88\x92") + text::decimal(std::abs(percent), 0) + " %";
}

std::vector<const predict::Remedy*> shown_remedies(std::span<const predict::Remedy> remedies,
                                                   std::int64_t needed_now) {
  std::vector<const predict::Remedy*> shown;
  for (const predict::Remedy& remedy : remedies) {
    if (remedy.needed <= needed_now) shown.push_back(&remedy);
  }
  std::ranges::stable_partition(
      shown, [](const predict::Remedy* remedy) { return remedy->fit != predict::Fit::oom; });
  return shown;
}

std::optional<spec::WorkloadSpec> draw_remedies(const Ui& ui, const predict::Outlook& outlook) {
  if (outlook.target == nullptr || outlook.remedies.empty()) return std::nullopt;
  const predict::Prediction& now = outlook.target->prediction;
  if (now.fit != predict::Fit::oom) return std::nullopt;
  const std::vector<const predict::Remedy*> shown = shown_remedies(outlook.remedies, now.needed);
  if (shown.empty()) return std::nullopt;
  section(ui, ui.texts("remedy.heading"),
          ui.texts("remedy.now", {{"needed", text::bytes(now.needed).joined()}}));
  exact_bytes_tip(ui, now.needed);
  const std::int64_t memory = outlook.target->target.memory;
  const BarScale scale{memory, std::max(memory, now.needed)};
  std::vector<double> needed;
  for (const predict::Remedy* remedy : shown) needed.push_back(static_cast<double>(remedy->needed));
  const OneUnit unit = byte_unit(needed);
  draw_headings(ui, unit.name);
  std::optional<spec::WorkloadSpec> tried;
  for (const predict::Remedy* remedy : shown) {
    if (draw_remedy(ui, *remedy, scale, unit)) tried = remedy->spec;
  }
  wrapped_text(ui, TextStyle::small, ui.theme.text3, ui.texts("remedy.note"), ui.px(8));
  ImGui::Dummy({0, ui.px(8)});
  return tried;
}

}  // namespace ts::views
