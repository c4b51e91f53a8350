#include "core/text/message.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "assets/assets.h"
#include "core/base/check.h"
#include "core/text/text.h"

namespace ts::text {
namespace {

const Catalogue& english() {
  static const Catalogue catalogue = [] {
    auto parsed = Catalogue::parse(assets::locale_en());
    TS_CHECK(parsed.has_value());
    return std::move(*parsed);
  }();
  return catalogue;
}

nlohmann::json to_json(const std::vector<base::Argument>& arguments) {
  auto list = nlohmann::json::array();
  for (const base::Argument& one : arguments) {
    nlohmann::json json = {{"name", one.name}, {"value", one.value}};
    if (!one.key.empty()) {
      json["key"] = one.key;
      json["arguments"] = to_json(one.arguments);
    }
    list.push_back(std::move(json));
  }
  return list;
}

// Arguments nested deeper than this are dropped.
constexpr int kMostLevels = 8;

std::vector<base::Argument> arguments_from(const nlohmann::json& list, int levels) {
  std::vector<base::Argument> arguments;
  if (levels == 0) return arguments;
  for (const nlohmann::json& json : list) {
    base::Argument one{json.at("name").get<std::string>(), json.at("value").get<std::string>()};
    std::string key = json.value("key", std::string());
    if (english().find(key) != nullptr) {
      one.key = std::move(key);
      one.arguments = arguments_from(json.at("arguments"), levels - 1);
    }
    arguments.push_back(std::move(one));
  }
  return arguments;
}

}  // namespace

base::Message message(std::string key, std::vector<base::Argument> arguments) {
  const std::string* const pattern = english().find(key);
  TS_CHECK(pattern != nullptr);
  std::string sentence = fill(*pattern, arguments);
  return {std::move(sentence), std::move(key), std::move(arguments)};
}

base::Argument argument(std::string name, base::Message said) {
  base::Argument one(std::move(name), std::move(said.sentence));
  one.key = std::move(said.key);
  one.arguments = std::move(said.arguments);
  return one;
}

tl::unexpected<base::Error> fail(std::string key, std::vector<base::Argument> arguments) {
  return tl::unexpected<base::Error>(message(std::move(key), std::move(arguments)));
}

nlohmann::json text_json(const base::Message& message) {
  if (message.key.empty()) return nullptr;
  return {{"key", message.key}, {"arguments", to_json(message.arguments)}};
}

base::Message message_from_json(std::string sentence, const nlohmann::json& text) {
  base::Message message{std::move(sentence)};
  if (text.is_null()) return message;
  std::string key = text.at("key").get<std::string>();
  if (english().find(key) == nullptr) return message;
  message.key = std::move(key);
  message.arguments = arguments_from(text.at("arguments"), kMostLevels);
  return message;
}

}  // namespace ts::text
