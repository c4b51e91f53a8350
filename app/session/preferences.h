#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/output/save_parts.h"
#include "core/base/result.h"
#include "core/spec/workload_spec.h"
#include "core/text/text.h"
#include "views/common/theme.h"
#include "views/controls/controls_view.h"

namespace ts::app {

// The settings kept from one start to the next. The layout of the panels is stored beside them, in
// Dear ImGui's own file.
struct Preferences {
  views::ThemeKind theme = views::ThemeKind::dark;
  text::Language language = text::Language::en;
  float scale = 1;  // 0.75 to 3
  bool projector = false;
  bool live = false;
  bool check_values = false;  // runs compare a step with fp64, except those of Live
  int window_width = 1600;
  int window_height = 900;
  std::vector<std::string> recent_files;  // opened last, the newest first
  spec::WorkloadSpec spec;
  views::TargetChoice targets;
  // The parent folder of saved pictures, runs, predictions, sweeps and hunts; empty: the default.
  std::filesystem::path save_folder;
  SaveParts save_parts;  // of runs, predictions and comparisons
  // The copy of an earlier file that could not be read in full; empty once the user has seen it.
  std::filesystem::path set_aside;
};

// The scales in menu, keys and palette; a settings file may hold any scale between the limits.
inline constexpr std::array<float, 7> kScales = {0.75F, 1, 1.25F, 1.5F, 2, 2.5F, 3};
inline constexpr float kMinScale = kScales.front();
inline constexpr float kMaxScale = kScales.back();

// $XDG_CONFIG_HOME/tensorscope, else ~/.config/tensorscope. The error says what to set.
base::Result<std::filesystem::path> preferences_folder();

// Tensorscope in the home folder, where users look for saved files. Empty if HOME is not set.
std::filesystem::path default_save_folder();

// The settings of a first start: a small transformer step that runs quickly on any machine.
Preferences default_preferences();

// Parses the text of a file. If it cannot be read, returns the defaults, and `problem` has the
// reason as the end of a sentence. An unusable value costs only its own setting, and is named.
Preferences parse_preferences(std::string_view text, base::Message& problem);

// Returns the defaults if there is no file. If some of it cannot be used, the file is kept as
// settings.set-aside.json (or -2, -3: none is overwritten) and `problem` is a sentence that names
// both; it is reported at every start until `set_aside` is cleared.
Preferences load_preferences(const std::filesystem::path& folder, base::Message& problem);
base::Result<void> save_preferences(const std::filesystem::path& folder,
                                    const Preferences& preferences);

}  // namespace ts::app
