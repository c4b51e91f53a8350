#pragma once

// Stable names of windows and widgets. Words change with the language, these names do not. Scripts
// and tests use them to drive the window. Widgets of a setting are named "###slider_T",
// "###field_T", "###backend_flash", "###preset_small", "###target_RTX 4090" and so on.
namespace ts::views::ids {

inline constexpr const char* kControls = "###controls";
inline constexpr const char* kTimeline = "###timeline";
inline constexpr const char* kMemory = "###memory";
inline constexpr const char* kInspector = "###inspector";
inline constexpr const char* kTopBar = "###top_bar";
inline constexpr const char* kFileTabs = "###file_tabs";
inline constexpr const char* kRestartBar = "###restart_bar";
inline constexpr const char* kStatusBar = "###status_bar";

inline constexpr const char* kRun = "###run";
inline constexpr const char* kStop = "###stop";
inline constexpr const char* kLive = "###live";
inline constexpr const char* kLanguage = "###language";
inline constexpr const char* kScale = "###scale";
inline constexpr const char* kProjector = "###projector";

}  // namespace ts::views::ids
