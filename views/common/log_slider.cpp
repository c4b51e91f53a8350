#include "views/common/log_slider.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "core/text/numbers.h"
#include "views/common/edit_field.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

constexpr int kStepsInOctave = 8;  // of LogScale

struct Frame {
  Rect label, track, field;
};

Frame lay_out(const Ui& ui, ImVec2 origin, float width, float label_width, float field_width) {
  const float height = ui.px(28);
  Frame frame;
  frame.label = {origin.x, origin.y, origin.x + label_width, origin.y + height};
  frame.field = {origin.x + width - field_width, origin.y, origin.x + width, origin.y + height};
  frame.track = {frame.label.x1 + ui.px(8), origin.y, frame.field.x0 - ui.px(16),
                 origin.y + height};
  return frame;
}

void draw_track(ImGuiSink& sink, const Ui& ui, const Rect& track, const SliderSettings& look,
                const LogScale& scale, bool active, float fade) {
  const float y = std::floor((track.y0 + track.y1) / 2);
  const auto x_of = [&](std::int64_t value) {
    return track.x0 + track.width() * scale.position(value);
  };
  const float handle_x = x_of(look.value);
  const float thick = ui.px(2);
  float good_end = track.x1;
  if (look.bad_from && *look.bad_from <= scale.max()) {
    good_end = std::max(track.x0, x_of(*look.bad_from));
    sink.fill({good_end, y - 0.5F, track.x1, y + ui.px(1)}, ui.theme.bad);
    sink.fill({good_end - 1, y - ui.px(5), good_end + 1, y + ui.px(5)}, ui.theme.bad);
  }
  sink.fill({track.x0, y - thick, good_end, y + thick}, with_alpha(ui.theme.surface3, fade), thick);
  sink.fill({track.x0, y - thick, std::min(handle_x, good_end), y + thick},
            with_alpha(ui.theme.text3, fade), thick);
  for (std::int64_t power = 1; power <= scale.max(); power *= 2) {
    if (power < scale.min()) continue;
    const float x = std::floor(x_of(power));
    sink.fill({x, y + ui.px(6), x + 1, y + ui.px(9)}, with_alpha(ui.theme.text3, 0.5F * fade));
  }
  const Rect handle{handle_x - ui.px(4), y - ui.px(8), handle_x + ui.px(4), y + ui.px(8)};
  sink.fill(handle, with_alpha(active ? ui.theme.accent : ui.theme.text, fade), ui.px(2));
}

std::int64_t value_under_mouse(const Rect& track, const LogScale& scale) {
  return scale.value_at((ImGui::GetIO().MousePos.x - track.x0) / std::max(1.0F, track.width()));
}

void draw_label(ImGuiSink& sink, const Ui& ui, const Rect& rect, std::string_view label,
                float fade) {
  sink.text({rect.x0, (rect.y0 + rect.y1 - sink.text_height(TextStyle::body)) / 2}, TextStyle::body,
            label_color(ui.theme, fade >= 1), label);
}

}  // namespace

SliderEdit log_slider(const Ui& ui, std::string_view name, const SliderSettings& look,
                      const LogScale& scale, float width) {
  SliderEdit edit;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const Frame frame = lay_out(ui, origin, width, ui.px(look.label_width), ui.px(look.field_width));
  const bool applies = look.reason.empty();
  const float fade = applies ? 1.0F : 0.4F;
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);

  ImGui::BeginDisabled(!applies);
  ImGui::SetCursorScreenPos({frame.track.x0 - ui.px(6), frame.track.y0});
  const std::string id = "###slider_" + std::string(name);
  press_area(id.c_str(), frame.track.width() + ui.px(12), frame.track.height());
  const bool active = ImGui::IsItemActive();
  if (active && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const std::int64_t value = value_under_mouse(frame.track, scale);
    if (value != look.value) edit.value = value;
  }
  if (ImGui::IsItemDeactivated()) edit.finished = true;
  if (ImGui::IsItemFocused() && !active) {
    // These keys move the slider, not the focus ring.
    for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow}) {
      ImGui::SetKeyOwner(key, ImGui::GetItemID());
    }
    const int direction = (ImGui::IsKeyPressed(ImGuiKey_RightArrow) ? 1 : 0) -
                          (ImGui::IsKeyPressed(ImGuiKey_LeftArrow) ? 1 : 0);
    const int steps = direction * (ImGui::GetIO().KeyShift ? kStepsInOctave : 1);
    if (steps != 0) {
      edit.value = scale.stepped(look.value, steps);
      edit.finished = true;
    }
  }
  focus_ring(ui);
  tooltip(ui, look.reason);
  draw_track(sink, ui, frame.track, look, scale, active, fade);
  EditSettings field;
  field.shown = text::grouped(look.value);
  field.edited = std::to_string(look.value);
  field.problem = look.problem;
  field.fade = fade;
  if (auto typed = edit_field(ui, name, field, frame.field)) {
    edit.typed = std::move(typed);
    edit.finished = true;
  }
  ImGui::EndDisabled();
  draw_label(sink, ui, frame.label, look.label, fade);
  ImGui::SetCursorScreenPos({frame.label.x0, frame.label.y0});
  ImGui::Dummy({std::max(1.0F, frame.label.width()), frame.label.height()});
  tooltip(ui, look.meaning);
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy({width, ui.px(27)});  // with the row spacing a pitch of 33
  return edit;
}

SliderEdit number_row(const Ui& ui, std::string_view name, std::string_view label,
                      const std::string& number, float width) {
  SliderEdit edit;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float height = ui.px(28);
  const float field_width = std::min(ui.px(160), width / 2);
  const Rect field{origin.x + width - field_width, origin.y, origin.x + width, origin.y + height};
  if (auto typed = edit_field(ui, name, {number, number, {}, 1}, field)) {
    edit.typed = std::move(typed);
    edit.finished = true;
  }
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  draw_label(sink, ui, {origin.x, origin.y, field.x0, origin.y + height}, label, 1);
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy({width, ui.px(27)});
  return edit;
}

}  // namespace ts::views
