#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "core/base/message.h"
#include "core/base/result.h"

namespace ts::text {

enum class Language : std::uint8_t { en, zh_cn, zh_tw };
inline constexpr int kLanguageCount = 3;
const char* language_code(Language language);  // en zh-CN zh-TW
base::Result<Language> language_from_code(std::string_view code);

// One language's strings, from a flat JSON object {"area.key": "text with {name} placeholders"}.
class Catalogue {
 public:
  // Errors name the line or the key with the fault. A duplicate key is an error.
  static base::Result<Catalogue> parse(std::string_view json);
  [[nodiscard]] const std::string* find(std::string_view key) const;
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& entries() const {
    return entries_;
  }

 private:
  std::map<std::string, std::string, std::less<>> entries_;
};

using base::Argument;

// Replaces each {name} by its value and {name|one|many} by "one" if the value is "1", else "many".
// One pass: values are not expanded again. An unknown placeholder stays, so that the mistake is
// visible.
std::string fill(std::string_view pattern, std::span<const Argument> arguments);

// The distinct placeholder names of a pattern.
std::set<std::string> placeholders(std::string_view pattern);

// The strings of the chosen language; a missing key falls back to English, then to the key itself.
// Switchable at run time. One owner thread.
class Texts {
 public:
  Texts(Catalogue english, Catalogue simplified, Catalogue traditional);
  void choose(Language language) { language_ = language; }
  [[nodiscard]] Language language() const { return language_; }

  // Valid until the Texts object is destroyed. Never use the result as a format string.
  [[nodiscard]] const char* operator()(std::string_view key) const;
  [[nodiscard]] std::string operator()(std::string_view key,
                                       std::initializer_list<Argument> arguments) const;
  [[nodiscard]] std::string operator()(std::string_view key,
                                       std::span<const Argument> arguments) const;

 private:
  [[nodiscard]] const std::string& pattern(std::string_view key) const;

  Catalogue catalogues_[kLanguageCount];
  Language language_ = Language::en;
  mutable std::set<std::string, std::less<>> missing_;  // unknown keys, for valid pointers
};

}  // namespace ts::text
