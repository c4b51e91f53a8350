#pragma once

#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/lessons/lesson.h"

namespace ts::lessons {

// The problem with its place before it: "PLACE: problem".
base::Message at_place(const std::string& place, base::Message problem);

// Reads one object of a lesson, key by key. The first error is kept as one sentence with its place;
// all later reads return nothing. Call problem() at the end.
class ObjectReader {
 public:
  // `problem` is shared by all readers of a file.
  ObjectReader(const nlohmann::json& json, std::string place, base::Message& problem);

  // Any other key is an error.
  void allow(std::initializer_list<const char*> keys);
  [[nodiscard]] bool has(const char* key) const;

  std::string text(const char* key);  // must be there
  std::string text_or(const char* key, const std::string& otherwise);
  std::vector<std::string> texts(const char* key);  // may be absent
  std::optional<double> number(const char* key);
  std::optional<std::int64_t> whole(const char* key, std::int64_t least, std::int64_t most);
  Words words(const char* key);  // must be there
  Words words_or_none(const char* key);
  std::vector<NamedText> named_texts(const char* key);  // [{"id": ..., "text": ...}]
  // A list of objects, each with its place; may be absent.
  std::vector<ObjectReader> objects(const char* key);
  std::optional<ObjectReader> object(const char* key);
  const nlohmann::json& raw(const char* key) const;

  void wrong(base::Message what);  // "PLACE: what"
  [[nodiscard]] bool good() const { return problem_->empty(); }

 private:
  const nlohmann::json* json_;
  std::string place_;
  base::Message* problem_;
};

// Reads the JSON of a file as one object. The error begins with the name of the file or the place.
base::Result<void> read_object(std::string_view json, const std::string& name,
                               const std::function<void(ObjectReader& reader)>& read);

}  // namespace ts::lessons
