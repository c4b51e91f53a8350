#include "core/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace ts::text {

namespace {

constexpr std::array<const char*, kLanguageCount> kCodes = {"en", "zh-CN", "zh-TW"};

std::size_t line_of(std::string_view text, std::size_t byte) {
  const std::size_t end = std::min(byte, text.size());
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
}

// {name}, or {name|one|many}.
struct Placeholder {
  std::size_t begin, end;  // of the braces: position of the first, position after the last
  std::string_view name;
  std::string_view one, many;
  bool counts = false;  // it has the forms one and many
};

Placeholder placeholder_of(std::size_t begin, std::size_t end, std::string_view inside) {
  const std::size_t first = inside.find('|');
  const std::size_t second = first == std::string_view::npos ? first : inside.find('|', first + 1);
  if (second == std::string_view::npos)
    return {.begin = begin, .end = end, .name = inside, .one = {}, .many = {}};
  return {.begin = begin,
          .end = end,
          .name = inside.substr(0, first),
          .one = inside.substr(first + 1, second - first - 1),
          .many = inside.substr(second + 1),
          .counts = true};
}

// Calls found(placeholder) for each placeholder of a pattern.
template <class Found>
void for_each_placeholder(std::string_view pattern, Found&& found) {
  std::size_t open = pattern.find('{');
  while (open != std::string_view::npos) {
    const std::size_t close = pattern.find_first_of("{}", open + 1);
    if (close == std::string_view::npos) return;
    if (pattern[close] == '{') {
      open = close;
      continue;
    }
    found(placeholder_of(open, close + 1, pattern.substr(open + 1, close - open - 1)));
    open = pattern.find('{', close + 1);
  }
}

}  // namespace

const char* language_code(Language language) {
  return kCodes[static_cast<std::size_t>(language)];
}

base::Result<Language> language_from_code(std::string_view code) {
  for (std::size_t i = 0; i < kCodes.size(); ++i) {
    if (code == kCodes[i]) return static_cast<Language>(i);
  }
  return base::fail(fmt::format("There is no language \"{}\": choose en, zh-CN or zh-TW", code));
}

base::Result<Catalogue> Catalogue::parse(std::string_view json) {
  std::set<std::string> seen;
  std::string twice;
  const auto watch_keys = [&](int depth, nlohmann::json::parse_event_t event,
                              nlohmann::json& parsed) {
    if (event == nlohmann::json::parse_event_t::key && depth == 1) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!seen.insert(key).second && twice.empty()) twice = key;
    }
    return true;
  };
  nlohmann::json document;
  try {
    document = nlohmann::json::parse(json, watch_keys);
  } catch (const nlohmann::json::parse_error& error) {
    return base::fail(
        fmt::format("The language file is not JSON from line {} on", line_of(json, error.byte)));
  } catch (const nlohmann::json::exception&) {
    return base::fail("The language file holds a number that JSON cannot express");
  }
  if (!document.is_object()) return base::fail("The language file is not a JSON object of texts");
  if (!twice.empty()) {
    return base::fail(fmt::format("The language file has the key \"{}\" twice", twice));
  }
  Catalogue catalogue;
  for (const auto& [key, value] : document.items()) {
    if (!value.is_string()) {
      return base::fail(fmt::format("The language file has no text at the key \"{}\"", key));
    }
    catalogue.entries_.emplace(key, value.get<std::string>());
  }
  return catalogue;
}

const std::string* Catalogue::find(std::string_view key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

std::string fill(std::string_view pattern, std::span<const Argument> arguments) {
  std::string out;
  std::size_t done = 0;
  for_each_placeholder(pattern, [&](const Placeholder& place) {
    const auto argument = std::ranges::find(arguments, place.name, &Argument::name);
    if (argument == arguments.end()) return;
    out.append(pattern.substr(done, place.begin - done));
    if (place.counts) {
      out.append(argument->value == "1" ? place.one : place.many);
    } else {
      out.append(argument->value);
    }
    done = place.end;
  });
  out.append(pattern.substr(done));
  return out;
}

std::set<std::string> placeholders(std::string_view pattern) {
  std::set<std::string> names;
  for_each_placeholder(pattern, [&](const Placeholder& place) { names.emplace(place.name); });
  return names;
}

Texts::Texts(Catalogue english, Catalogue simplified, Catalogue traditional)
    : catalogues_{std::move(english), std::move(simplified), std::move(traditional)} {}

const std::string& Texts::pattern(std::string_view key) const {
  if (const auto* text = catalogues_[static_cast<std::size_t>(language_)].find(key)) return *text;
  if (const auto* text = catalogues_[static_cast<std::size_t>(Language::en)].find(key)) {
    return *text;
  }
  const auto known = missing_.find(key);
  return known != missing_.end() ? *known : *missing_.emplace(key).first;
}

const char* Texts::operator()(std::string_view key) const {
  return pattern(key).c_str();
}

std::string Texts::operator()(std::string_view key,
                              std::initializer_list<Argument> arguments) const {
  return fill(pattern(key), {arguments.begin(), arguments.size()});
}

std::string Texts::operator()(std::string_view key, std::span<const Argument> arguments) const {
  return fill(pattern(key), arguments);
}

}  // namespace ts::text
