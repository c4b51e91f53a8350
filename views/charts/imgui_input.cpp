#include "views/charts/imgui_input.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "views/common/imgui_sink.h"

namespace ts::views {
namespace {

constexpr float kClick = 4;  // pixels: a longer movement is a drag

bool place(const char* id, const Rect& area, ImGuiButtonFlags flags) {
  ImGui::SetCursorScreenPos({area.x0, area.y0});
  return ImGui::InvisibleButton(id, {std::max(1.0F, area.width()), std::max(1.0F, area.height())},
                                flags);
}

void read_keys(ChartInput& input) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || io.KeySuper) return;
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return;
  input.zoom_in = ImGui::IsKeyDown(ImGuiKey_W);
  input.zoom_out = ImGui::IsKeyDown(ImGuiKey_S);
  input.pan_left = ImGui::IsKeyDown(ImGuiKey_A);
  input.pan_right = ImGui::IsKeyDown(ImGuiKey_D);
  input.fit = ImGui::IsKeyPressed(ImGuiKey_F, false);
  input.mark = ImGui::IsKeyPressed(ImGuiKey_M, false);
  input.search = ImGui::IsKeyPressed(ImGuiKey_Slash, false);
  input.clear = ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  input.menu = ImGui::IsKeyPressed(ImGuiKey_Menu, false) ||
               (io.KeyShift && ImGui::IsKeyPressed(ImGuiKey_F10, false));
}

}  // namespace

void draw_chart_region(const ViewContext& context,
                       const std::function<void(DrawSink&, const Rect&)>& draw) {
  constexpr float kLeastSize = 24;  // pixels
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  if (size.x < kLeastSize || size.y < kLeastSize || context.faces == nullptr) return;
  ImGuiSink sink(*ImGui::GetWindowDrawList(), *context.faces, context.metrics.scale);
  draw(sink,
       {std::floor(at.x), std::floor(at.y), std::floor(at.x + size.x), std::floor(at.y + size.y)});
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(size);
}

void release_cursor(const ChartInput& input, std::optional<std::int64_t>& own, ViewState& state) {
  if (!input.hovered && own && state.cursor_ns == own) state.cursor_ns.reset();
  own = input.hovered ? state.cursor_ns : std::nullopt;
}

ChartInput read_chart_input(const char* id, const Rect& area, bool takes_keys,
                            std::int64_t now_ns) {
  const ImGuiIO& io = ImGui::GetIO();
  ChartInput input;
  input.now_ns = now_ns;
  input.seconds = io.DeltaTime;
  input.mouse = {io.MousePos.x, io.MousePos.y};
  place(id, area,
        ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
            ImGuiButtonFlags_EnableNav);
  const ArrowSteps arrows = take_arrows();
  input.step_x = arrows.x;
  input.step_y = arrows.y;
  // The chart owns the wheel: nothing around it scrolls.
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelX);
  const bool active = ImGui::IsItemActive();
  const bool hovered = ImGui::IsItemHovered();
  input.hovered = hovered || active;
  if (hovered) {
    input.wheel = io.MouseWheel;
    input.wheel_sideways = io.MouseWheelH;
    input.double_clicked = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  }
  input.shift = io.KeyShift;
  input.ctrl = io.KeyCtrl;
  const bool activated = ImGui::IsItemActivated();
  input.left_pressed = activated && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  input.right_pressed = activated && ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  input.left_down = active && ImGui::IsMouseDown(ImGuiMouseButton_Left);
  input.right_down = active && ImGui::IsMouseDown(ImGuiMouseButton_Right);
  if (takes_keys) read_keys(input);
  const bool still = io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Right] < kClick * kClick;
  if (input.hovered && still && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) input.menu = true;
  return input;
}

ArrowSteps take_arrows() {
  if (!ImGui::IsItemFocused()) return {};
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || io.KeyShift || io.KeySuper) return {};
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return {};
  // A key owner set now still applies at the start of the next frame.
  const ImGuiID owner = ImGui::GetItemID();
  const auto pressed = [owner](ImGuiKey key) {
    ImGui::SetKeyOwner(key, owner);
    return ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, owner) ? 1 : 0;
  };
  return {pressed(ImGuiKey_RightArrow) - pressed(ImGuiKey_LeftArrow),
          pressed(ImGuiKey_DownArrow) - pressed(ImGuiKey_UpArrow)};
}

HotSpot hot_spot(const char* id, const Rect& area, bool by_keyboard) {
  HotSpot out;
  if (area.width() <= 0) return out;
  const ImGuiButtonFlags keys = by_keyboard ? ImGuiButtonFlags_EnableNav : ImGuiButtonFlags_None;
  out.pressed = place(id, area, ImGuiButtonFlags_MouseButtonLeft | keys);
  out.hovered = ImGui::IsItemHovered();
  out.held = ImGui::IsItemActive();
  return out;
}

}  // namespace ts::views
