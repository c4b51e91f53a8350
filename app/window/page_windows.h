#pragma once

#include <imgui.h>

namespace ts::app {

// Flags of ImGui's windows: panels, which dock; panels that stay where a page puts them; and the
// windows of a page, which have no title. A page that takes the keyboard when it appears leaves
// ImGuiWindowFlags_NoFocusOnAppearing out.
inline constexpr ImGuiWindowFlags kPanelFlags =
    ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoFocusOnAppearing;
inline constexpr ImGuiWindowFlags kFixedFlags =
    kPanelFlags | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoDocking |
    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus;
inline constexpr ImGuiWindowFlags kUnmovingFlags =
    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
// Strips along the edge of the main window: tabs, and what is said above them.
inline constexpr ImGuiWindowFlags kStripFlags = kUnmovingFlags | ImGuiWindowFlags_NoSavedSettings;

// From the top bar to the sentence of a page, at scale 1: as far as on the page of runs.
inline constexpr float kHeadMargin = 14;

}  // namespace ts::app
