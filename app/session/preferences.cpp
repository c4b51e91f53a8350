#include "app/session/preferences.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/session/file_list.h"
#include "core/base/environment.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/io/user_folder.h"
#include "core/spec/presets.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

constexpr const char* kFile = "settings.json";

// A wrong value costs only its own setting.
class Reader {
 public:
  explicit Reader(const nlohmann::json& json) : json_(json) {}

  // `take` returns whether it could use the value.
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
  reader.read("check_values", read_in.check_values);
  reader.read("window_width", read_in.window_width);
  reader.read("window_height", read_in.window_height);
  reader.read("recent_files", [&](const nlohmann::json& paths) {
    if (!paths.is_array()) return false;
    for (const nlohmann::json& path : paths) {
      if (!path.is_string()) return false;
      if (read_in.recent_files.size() < kMostRecent)
        read_in.recent_files.push_back(path.get<std::string>());
    }
    return true;
  });
  reader.read("spec", [&](const nlohmann::json& spec) {
    const auto parsed = spec::spec_from_json(spec);
    if (parsed) read_in.spec = *parsed;
    return parsed.has_value();
  });
  reader.read("recent_targets", [&](const nlohmann::json& names) {
    if (!names.is_array()) return false;
    for (const nlohmann::json& name : names) {
      if (!name.is_string()) return false;
      if (read_in.targets.recent.size() < 5)
        read_in.targets.recent.push_back(name.get<std::string>());
    }
    return true;
  });
  reader.read("save_folder", [&](const nlohmann::json& folder) {
    if (!folder.is_string()) return false;
    read_in.save_folder = folder.get<std::string>();
    return read_in.save_folder.is_absolute();
  });
  reader.read("save_parts", [&](const nlohmann::json& names) {
    if (!names.is_string()) return false;
    const auto parts = SaveParts::parse(names.get<std::string>());
    if (parts) read_in.save_parts = *parts;
    return parts.has_value();
  });
  reader.read("set_aside", [&](const nlohmann::json& kept) {
    if (kept.is_string()) read_in.set_aside = kept.get<std::string>();
    return kept.is_string();
  });
  unusable = reader.unusable();
  return read_in;
}

bool same_content(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto first = io::read_file(a);
  const auto second = io::read_file(b);
  return first && second && *first == *second;
}

// Keeps the file under another name: a copy, or the file itself if it cannot be read. Empty:
// nothing can be kept here.
std::filesystem::path set_aside(const std::filesystem::path& file, bool readable) {
  constexpr int kMostKept = 1000;
  for (int number = 1; number < kMostKept; ++number) {
    const std::string name =
        "settings.set-aside" + (number > 1 ? "-" + std::to_string(number) : "") + ".json";
    std::filesystem::path kept = file.parent_path() / name;
    std::error_code error;
    if (std::filesystem::exists(std::filesystem::symlink_status(kept, error))) {
      if (readable && same_content(file, kept)) return kept;
      continue;
    }
    if (readable) {
      std::filesystem::copy_file(file, kept, error);
    } else {
      std::filesystem::rename(file, kept, error);
    }
    return error ? std::filesystem::path() : kept;
  }
  return {};
}

}  // namespace

base::Result<std::filesystem::path> preferences_folder() {
  return io::user_folder("XDG_CONFIG_HOME", ".config");
}

std::filesystem::path default_save_folder() {
  const std::filesystem::path home = base::environment_variable("HOME");
  return home.is_absolute() ? home / "Tensorscope" : std::filesystem::path();
}

Preferences default_preferences() {
  Preferences preferences;
  preferences.spec.workload = spec::WorkloadKind::lm;
  if (const spec::Preset* preset = spec::find_preset(spec::WorkloadKind::lm, "tiny")) {
    spec::apply_preset(*preset, preferences.spec);
  }
  return preferences;
}

Preferences parse_preferences(std::string_view text, base::Message& problem) {
  const auto json = io::parse_json(text);
  if (!json || !json->is_object()) {
    base::Message why = json ? text::message("file_error.no_object") : json.error();
    problem = text::message("settings_error.unread", {text::argument("reason", std::move(why))});
    return default_preferences();
  }
  std::string unusable;
  Preferences preferences = from_json(*json, unusable);
  if (!unusable.empty()) problem = text::message("settings_error.values", {{"names", unusable}});
  return preferences;
}

Preferences load_preferences(const std::filesystem::path& folder, base::Message& problem) {
  const std::filesystem::path path = folder / kFile;
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    return default_preferences();
  }
  Preferences preferences = default_preferences();
  const auto content = io::read_file(path);
  if (content) {
    preferences = parse_preferences(*content, problem);
    if (!problem.empty()) {
      problem = text::message("settings_error.in_file",
                              {{"path", path.string()}, text::argument("problem", problem)});
    }
  } else {
    problem = text::message("settings_error.no_file", {text::argument("reason", content.error())});
  }
  if (!problem.empty()) {
    preferences.set_aside = set_aside(path, content.has_value());
    if (!preferences.set_aside.empty()) {
      problem = text::message("settings_error.kept", {text::argument("problem", problem),
                                                      {"path", preferences.set_aside.string()}});
    }
  } else if (!preferences.set_aside.empty()) {
    if (std::filesystem::exists(preferences.set_aside, ignored)) {
      problem =
          text::message("settings_error.still_kept", {{"path", preferences.set_aside.string()}});
    } else {
      preferences.set_aside.clear();
    }
  }
  return preferences;
}

base::Result<void> save_preferences(const std::filesystem::path& folder,
                                    const Preferences& preferences) {
  if (auto made = io::make_folder(folder); !made) return made;
  nlohmann::json json = {
      {"theme", preferences.theme == views::ThemeKind::light ? "light" : "dark"},
      {"language", text::language_code(preferences.language)},
      {"scale", preferences.scale},
      {"projector", preferences.projector},
      {"live", preferences.live},
      {"check_values", preferences.check_values},
      {"window_width", preferences.window_width},
      {"window_height", preferences.window_height},
      {"recent_files", preferences.recent_files},
      {"spec", to_json(preferences.spec)},
      {"recent_targets", preferences.targets.recent},
      {"save_parts", preferences.save_parts.names()},
  };
  if (!preferences.save_folder.empty()) json["save_folder"] = preferences.save_folder.string();
  if (!preferences.set_aside.empty()) json["set_aside"] = preferences.set_aside.string();
  return io::write_file(folder / kFile, io::json_text(json));
}

}  // namespace ts::app
