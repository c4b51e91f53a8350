// The controls of projector mode: the settings used in a lecture, in one row.
#include <imgui.h>

#include <algorithm>
#include <string>

#include "views/charts/icons.h"
#include "views/common/backend_marks.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"
#include "views/controls/controls_view.h"

namespace ts::views {
namespace {

constexpr float kMargin = 16;
constexpr float kGap = 24;
constexpr float kRow = 28;
constexpr float kAll = 36;  // the button for all settings

// A label followed by a field of `width`. Returns the x where the next label begins.
template <class Draw>
float labelled(const Ui& ui, const char* words, float x, float y, float width, Draw draw_field) {
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  ImGui::SetCursorPos({x, y + (ui.px(kRow) - sink.text_height(TextStyle::body)) / 2});
  text(ui, TextStyle::body_strong, ui.theme.text, words);
  x += sink.text_width(TextStyle::body_strong, words) + ui.px(8);
  ImGui::SetCursorPos({x, y});
  draw_field(width);
  return x + width + ui.px(kGap);
}

}  // namespace

bool draw_controls_strip(const ControlsContext& context, bool all_shown) {
  const Ui& ui = context.ui;
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const char* backend = ui.texts("controls.strip.backend");
  const char* target = ui.texts("controls.strip.target");
  const float width = ImGui::GetWindowWidth();
  const float y = (ImGui::GetWindowHeight() - ui.px(kRow)) / 2;
  const float backend_width = std::min(ui.px(148), width * 0.13F);
  const float target_width = std::min(ui.px(200), width * 0.2F);
  const float labels = sink.text_width(TextStyle::body_strong, backend) +
                       sink.text_width(TextStyle::body_strong, target) + 2 * ui.px(8);
  const float rest = width - 2 * ui.px(kMargin) - 4 * ui.px(kGap) - ui.px(kAll) - labels -
                     backend_width - target_width;
  const float slider_width = rest / 2;
  float x = ui.px(kMargin);
  ImGui::SetCursorPos({x, y});
  const bool pressed = button(ui, "###all_settings", icon::kOptions, "", "",
                              all_shown ? ButtonKind::primary : ButtonKind::plain, ui.px(kAll));
  tooltip(ui, ui.texts("shortcut.settings") + std::string("  C"));
  x += ui.px(kAll) + ui.px(kGap);
  for (const spec::Field field : {spec::Field::B, spec::Field::T}) {
    ImGui::SetCursorPos({x, y});
    draw_size_slider(context, field, slider_width, 16);
    x += slider_width + ui.px(kGap);
  }
  x = labelled(ui, backend, x, y, backend_width,
               [&](float field) { draw_backend_select(context, field); });
  labelled(ui, target, x, y, target_width,
           [&](float field) { draw_target_select(context, field); });
  return pressed;
}

}  // namespace ts::views
