#include "core/lessons/lesson_json.h"

#include <algorithm>
#include <cmath>

#include "core/io/json_parse.h"
#include "core/text/message.h"
#include "core/text/nearest.h"

namespace ts::lessons {
namespace {

const nlohmann::json kNothing;

}  // namespace

base::Message at_place(const std::string& place, base::Message problem) {
  return text::message("lesson_file.at",
                       {{"place", place}, text::argument("problem", std::move(problem))});
}

ObjectReader::ObjectReader(const nlohmann::json& json, std::string place, base::Message& problem)
    : json_(&json), place_(std::move(place)), problem_(&problem) {
  if (!json.is_object()) {
    wrong(text::message("file_error.no_object"));
    json_ = &kNothing;
  }
}

void ObjectReader::wrong(base::Message what) {
  if (problem_->empty()) *problem_ = at_place(place_, std::move(what));
}

void ObjectReader::allow(std::initializer_list<const char*> keys) {
  if (!json_->is_object()) return;
  const std::vector<std::string_view> known(keys.begin(), keys.end());
  for (const auto& [key, value] : json_->items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    const std::string_view near = text::nearest(key, known);
    wrong(near.empty() ? text::message("lesson_file.no_key", {{"key", key}})
                       : text::message("lesson_file.no_key_meant",
                                       {{"key", key}, {"meant", std::string(near)}}));
  }
}

const nlohmann::json& ObjectReader::raw(const char* key) const {
  return has(key) ? json_->at(key) : kNothing;
}

bool ObjectReader::has(const char* key) const {
  return json_->is_object() && json_->contains(key);
}

std::string ObjectReader::text(const char* key) {
  const nlohmann::json& value = raw(key);
  if (value.is_string() && !value.get_ref<const std::string&>().empty()) {
    return value.get<std::string>();
  }
  wrong(has(key) ? text::message("lesson_file.no_text", {{"key", key}})
                 : text::message("lesson_file.missing", {{"key", key}}));
  return {};
}

std::string ObjectReader::text_or(const char* key, const std::string& otherwise) {
  return has(key) ? text(key) : otherwise;
}

std::vector<std::string> ObjectReader::texts(const char* key) {
  std::vector<std::string> found;
  if (!has(key)) return found;
  const nlohmann::json& list = raw(key);
  const bool good = list.is_array() && std::ranges::all_of(list, [](const nlohmann::json& one) {
                      return one.is_string();
                    });
  if (good) return list.get<std::vector<std::string>>();
  wrong(text::message("lesson_file.no_texts", {{"key", key}}));
  return found;
}

std::optional<double> ObjectReader::number(const char* key) {
  if (!has(key)) return std::nullopt;
  const nlohmann::json& value = raw(key);
  if (value.is_number() && std::isfinite(value.get<double>())) return value.get<double>();
  wrong(text::message("lesson_file.no_number", {{"key", key}}));
  return std::nullopt;
}

std::optional<std::int64_t> ObjectReader::whole(const char* key, std::int64_t least,
                                                std::int64_t most) {
  if (!has(key)) return std::nullopt;
  const nlohmann::json& value = raw(key);
  // A number beyond int64 is unsigned or a float.
  if (value.is_number_integer() &&
      (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX})) {
    const auto number = value.get<std::int64_t>();
    if (number >= least && number <= most) return number;
  }
  wrong(text::message(
      "lesson_file.no_whole",
      {{"key", key}, {"least", std::to_string(least)}, {"most", std::to_string(most)}}));
  return std::nullopt;
}

Words ObjectReader::words(const char* key) {
  if (has(key)) return words_or_none(key);
  wrong(text::message("lesson_file.missing", {{"key", key}}));
  return {};
}

Words ObjectReader::words_or_none(const char* key) {
  Words words;
  const nlohmann::json& value = raw(key);
  if (value.is_null()) return words;
  if (value.is_string()) {
    words.of[0] = value.get<std::string>();
  } else if (value.is_object()) {
    for (const auto& [code, text] : value.items()) {
      const auto language = text::language_from_code(code);
      if (!language || !text.is_string()) {
        wrong(text::message("lesson_file.languages", {{"key", key}, {"code", code}}));
        return {};
      }
      words.of[static_cast<std::size_t>(*language)] = text.get<std::string>();
    }
  }
  if (words.empty()) wrong(text::message("lesson_file.empty_text", {{"key", key}}));
  return words;
}

std::vector<NamedText> ObjectReader::named_texts(const char* key) {
  std::vector<NamedText> found;
  for (ObjectReader& one : objects(key)) {
    one.allow({"id", "text"});
    found.push_back({one.text("id"), one.words("text")});
  }
  return found;
}

std::vector<ObjectReader> ObjectReader::objects(const char* key) {
  std::vector<ObjectReader> found;
  if (!has(key)) return found;
  const nlohmann::json& list = raw(key);
  if (!list.is_array()) {
    wrong(text::message("lesson_file.no_list", {{"key", key}}));
    return found;
  }
  for (const nlohmann::json& one : list) {
    const bool named = one.is_object() && one.contains("id") && one.at("id").is_string();
    std::string at = place_;
    at.append(", ").append(key).append(" ").append(named ? one.at("id").get<std::string>()
                                                         : std::to_string(found.size() + 1));
    found.emplace_back(one, at, *problem_);
  }
  return found;
}

std::optional<ObjectReader> ObjectReader::object(const char* key) {
  if (!has(key)) return std::nullopt;
  return ObjectReader(raw(key), place_ + ", " + key, *problem_);
}

base::Result<void> read_object(std::string_view json, const std::string& name,
                               const std::function<void(ObjectReader& reader)>& read) {
  const auto parsed = io::parse_json(json);
  if (!parsed) {
    return text::fail("file_error.is_no_json",
                      {{"path", name}, text::argument("reason", parsed.error())});
  }
  base::Message problem;
  ObjectReader reader(*parsed, name, problem);
  if (reader.good()) read(reader);
  if (!problem.empty()) return tl::unexpected(problem);
  return {};
}

}  // namespace ts::lessons
