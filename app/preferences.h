#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/run/workload_spec.h"
#include "core/text/text.h"
#include "views/common/theme.h"

namespace ts::app {

// What is remembered from one start to the next. The layout of the panels is beside it, in Dear
// ImGui's own file.
struct Preferences {
  views::ThemeKind theme = views::ThemeKind::dark;
  text::Language language = text::Language::en;
  float scale = 1;  // 0.75 to 3
  bool projector = false;
  bool live = false;
  int window_width = 1600;
  int window_height = 900;
  run::WorkloadSpec spec;
};

inline constexpr float kMinScale = 0.75F;
inline constexpr float kMaxScale = 3.0F;

// $XDG_CONFIG_HOME/tensorscope, else ~/.config/tensorscope.
std::filesystem::path preferences_folder();

// What a first start shows: a small transformer step that runs in a moment on any machine.
Preferences default_preferences();

// Defaults where there is no file. A file that cannot be read gives the defaults and one sentence;
// a value that cannot be used costs that one setting, and the sentence names it.
Preferences load_preferences(const std::filesystem::path& folder, std::string& problem);
base::Result<void> save_preferences(const std::filesystem::path& folder,
                                    const Preferences& preferences);

}  // namespace ts::app
