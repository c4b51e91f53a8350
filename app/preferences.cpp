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
class Reader {
 public:
  explicit Reader(const nlohmann::json& json) : json_(json) {}

  // `take` says whether it could use the value.
  template <class Take>
  void read(const char* key, Take take) {
    const auto found = json_.find(key);
    if (found != json_.end() && !take(*found))
      unusable_ += (unusable_.empty() ? "" : ", ") + std::string(key);
  }
  void read(const char* key, bool& on) {
    read(key, [&on](const nlohmann::json& value) {
      if (value.is_boolean()) on = value.get<bool>();
      return value.is_boolean();
    });
  }
  void read(const char* key, int& pixels) {
    read(key, [&pixels](const nlohmann::json& value) {
      if (!value.is_number_integer()) return false;
      pixels = static_cast<int>(std::clamp<std::int64_t>(value.get<std::int64_t>(), 640, 16384));
      return true;
    });
  }
  // Keys whose values could not be used.
  [[nodiscard]] const std::string& unusable() const { return unusable_; }

 private:
  const nlohmann::json& json_;
  std::string unusable_;
};

Preferences from_json(const nlohmann::json& json, std::string& unusable) {
  Preferences read_in = default_preferences();
  Reader reader(json);
  reader.read("theme", [&](const nlohmann::json& name) {
    if (name == "light") read_in.theme = views::ThemeKind::light;
    return name == "light" || name == "dark";
  });
  reader.read("language", [&](const nlohmann::json& code) {
    if (!code.is_string()) return false;
    const auto language = text::language_from_code(code.get<std::string>());
    if (language) read_in.language = *language;
    return language.has_value();
  });
  reader.read("scale", [&](const nlohmann::json& scale) {
    if (!scale.is_number()) return false;
    read_in.scale = std::clamp(scale.get<float>(), kMinScale, kMaxScale);
    return true;
  });
  reader.read("projector", read_in.projector);
  reader.read("live", read_in.live);
  reader.read("window_width", read_in.window_width);
  reader.read("window_height", read_in.window_height);
  reader.read("spec", [&](const nlohmann::json& spec) {
    const auto parsed = run::spec_from_json(spec);
    if (parsed) read_in.spec = *parsed;
    return parsed.has_value();
  });
  unusable = reader.unusable();
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
  std::string unusable;
  Preferences preferences = from_json(json, unusable);
  if (!unusable.empty()) {
    problem = path.string() + ": these values cannot be used, the defaults stand: " + unusable;
  }
  return preferences;
}

base::Result<void> save_preferences(const std::filesystem::path& folder,
                                    const Preferences& preferences) {
  if (auto made = io::make_folder(folder); !made) return made;
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
