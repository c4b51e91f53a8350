#pragma once

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "views/common/ui.h"

namespace ts::app {

// Flags of ImGui's windows: dockable panels, panels that a page keeps in place, and the windows of
// a page, which have no title. A page that takes the keyboard when it appears omits
// ImGuiWindowFlags_NoFocusOnAppearing.
inline constexpr ImGuiWindowFlags kPanelFlags =
    ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoFocusOnAppearing;
inline constexpr ImGuiWindowFlags kFixedFlags =
    kPanelFlags | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoDocking |
    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus;
inline constexpr ImGuiWindowFlags kUnmovingFlags =
    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
// Flags of strips along the edge of the main window: tabs, and the messages above them.
inline constexpr ImGuiWindowFlags kStripFlags = kUnmovingFlags | ImGuiWindowFlags_NoSavedSettings;

// The width of the panels at the left and right of a page: at most a third of a small window.
inline float controls_width(const views::Ui& ui, float page) {
  return std::floor(std::min(ui.px(320), page * 0.28F));
}
inline float side_width(const views::Ui& ui, float page) {
  return std::floor(std::min(ui.px(360), page * 0.3F));
}

// The panel of settings at the left of a page.
inline void form_panel(const views::Ui& ui, const char* id, ImVec2 corner, ImVec2 size,
                       ImGuiWindowFlags flags, const std::function<void()>& draw) {
  ImGui::SetNextWindowPos(corner);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(16), ui.px(12)));
  if (ImGui::Begin(id, nullptr, flags)) draw();
  ImGui::End();
  ImGui::PopStyleVar();
}

// The gap from the top bar to the sentence of a page, at scale 1: the same as on the run page.
inline constexpr float kHeadMargin = 14;

}  // namespace ts::app
