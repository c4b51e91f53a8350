#include "app/preferences.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/io/file.h"
#include "core/run/presets.h"

namespace ts::app {
namespace {

constexpr const char* kFile = "settings.json";

// A wrong value in one place costs that one setting, not all of them.
template <class Value, class Take>
void read(const nlohmann::json& json, const char* key, Take take) {
  const auto found = json.find(key);
  if (found == json.end()) return;
  const Value* value = found->get_ptr<const Value*>();
  if (value != nullptr) take(*value);
}

Preferences from_json(const nlohmann::json& json) {
  Preferences read_in = default_preferences();
  read<std::string>(json, "theme", [&](const std::string& name) {
    if (name == "light") read_in.theme = views::ThemeKind::light;
  });
  read<std::string>(json, "language", [&](const std::string& code) {
    if (const auto language = text::language_from_code(code)) read_in.language = *language;
  });
  if (const auto scale = json.find("scale"); scale != json.end() && scale->is_number()) {
    read_in.scale = std::clamp(scale->get<float>(), kMinScale, kMaxScale);
  }
  read<bool>(json, "projector", [&](bool on) { read_in.projector = on; });
  read<bool>(json, "live", [&](bool on) { read_in.live = on; });
  const auto size = [&json](const char* key, int& value) {
    const auto found = json.find(key);
    if (found != json.end() && found->is_number_integer()) {
      value = static_cast<int>(std::clamp<std::int64_t>(found->get<std::int64_t>(), 640, 16384));
    }
  };
  size("window_width", read_in.window_width);
  size("window_height", read_in.window_height);
  if (const auto spec = json.find("spec"); spec != json.end()) {
    if (const auto parsed = run::spec_from_json(*spec)) read_in.spec = *parsed;
  }
  return read_in;
}

}  // namespace

std::filesystem::path preferences_folder() {
  if (const char* folder = std::getenv("XDG_CONFIG_HOME"); folder != nullptr && *folder == '/') {
    return std::filesystem::path(folder) / "tensorscope";
  }
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr && *home != '\0' ? home : ".") / ".config" /
         "tensorscope";
}

Preferences default_preferences() {
  Preferences preferences;
  preferences.spec.workload = run::WorkloadKind::lm;
  if (const run::Preset* preset = run::find_preset(run::WorkloadKind::lm, "tiny")) {
    run::apply_preset(*preset, preferences.spec);
  }
  return preferences;
}

Preferences load_preferences(const std::filesystem::path& folder, std::string& problem) {
  const std::filesystem::path path = folder / kFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return default_preferences();
  const auto content = io::read_file(path);
  if (!content) {
    problem = content.error().sentence;
    return default_preferences();
  }
  const auto json = nlohmann::json::parse(*content, nullptr, false);
  if (!json.is_object()) {
    problem = path.string() + " is not readable: starting with the default settings";
    return default_preferences();
  }
  return from_json(json);
}

base::Result<void> save_preferences(const std::filesystem::path& folder,
                                    const Preferences& preferences) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return base::fail("The folder " + folder.string() + " cannot be made: " + error.message());
  const nlohmann::json json = {
      {"theme", preferences.theme == views::ThemeKind::light ? "light" : "dark"},
      {"language", text::language_code(preferences.language)},
      {"scale", preferences.scale},
      {"projector", preferences.projector},
      {"live", preferences.live},
      {"window_width", preferences.window_width},
      {"window_height", preferences.window_height},
      {"spec", run::to_json(preferences.spec)},
  };
  return io::write_file(folder / kFile, json.dump(2) + "\n");
}

}  // namespace ts::app
