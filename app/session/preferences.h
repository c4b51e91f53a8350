#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/spec/workload_spec.h"
#include "core/text/text.h"
#include "views/common/theme.h"
#include "views/controls/controls_view.h"

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
  std::vector<std::string> recent_files;  // opened last, the newest first
  spec::WorkloadSpec spec;
  views::TargetChoice targets;
  // Where pictures, runs, predictions, sweeps and hunts are saved; empty: the default.
  std::filesystem::path save_folder;
  // Where what could not be read of an earlier file was kept; empty once the user has seen it.
  std::filesystem::path set_aside;
};

// What menu, keys and palette offer; a settings file may hold any scale between the ends.
inline constexpr std::array<float, 7> kScales = {0.75F, 1, 1.25F, 1.5F, 2, 2.5F, 3};
inline constexpr float kMinScale = kScales.front();
inline constexpr float kMaxScale = kScales.back();

// $XDG_CONFIG_HOME/tensorscope, else ~/.config/tensorscope. The error says what to set.
base::Result<std::filesystem::path> preferences_folder();

// Tensorscope in the home folder: where people look for what they saved. Empty where HOME is not
// set.
std::filesystem::path default_save_folder();

// What a first start shows: a small transformer step that runs in a moment on any machine.
Preferences default_preferences();

// What a file's text says. Where it cannot be read there are the defaults and `problem` says why,
// as the end of a sentence; a value that cannot be used costs that one setting, and is named.
Preferences parse_preferences(std::string_view text, std::string& problem);

// Defaults where there is no file. Where something of it cannot be used the file is kept as
// settings.set-aside.json (or -2, -3: none is overwritten) and `problem` is a sentence that names
// both; it is told at every start until `set_aside` is cleared.
Preferences load_preferences(const std::filesystem::path& folder, std::string& problem);
base::Result<void> save_preferences(const std::filesystem::path& folder,
                                    const Preferences& preferences);

}  // namespace ts::app
