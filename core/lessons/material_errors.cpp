#include "core/lessons/material_errors.h"

#include <algorithm>
#include <set>

#include "core/base/letters.h"
#include "core/lessons/lesson_json.h"
#include "core/text/message.h"
#include "core/text/text.h"

namespace ts::lessons {

namespace {

// A text made of others in each language: "{published}" stands for the text of that name.
nlohmann::json composed(const nlohmann::json& whole,
                        std::initializer_list<std::pair<const char*, const Words&>> parts) {
  nlohmann::json made = nlohmann::json::object();
  for (const auto& [language, text] : whole.items()) {
    const auto code = text::language_from_code(language);
    std::string filled = text.get<std::string>();
    for (const auto& [name, words] : parts) {
      const std::string placeholder = std::string("{") + name + "}";
      const std::size_t at = filled.find(placeholder);
      if (code && at != filled.npos) filled.replace(at, placeholder.size(), words.in(*code));
    }
    made[language] = filled;
  }
  return made;
}

// A lesson of what the error says: its steps and numbers are in "both", its texts are those of the
// error.
std::optional<Lesson> lesson_of(ObjectReader& list, ObjectReader& one, const MaterialErrors& found,
                                const MaterialError& error, const spec::GpuCatalogue& gpus) {
  if (!one.has("both") || !one.good()) return std::nullopt;
  const Words& evidence = found.kind(error.evidence)->text;
  const auto with = [&](const char* key) {
    return composed(list.raw(key), {{"id", Words{{error.id, error.id, error.id}}},
                                    {"published", error.published},
                                    {"correct", error.correct},
                                    {"evidence", evidence}});
  };
  nlohmann::json lesson = one.raw("both");
  const std::string id = base::lower(error.id);
  lesson["id"] = id;
  lesson["rows"] = error.rows;
  lesson["title"] = with("title");
  lesson["summary"] = one.raw("correct");
  lesson["task"] = with("task");
  auto read = read_lesson(lesson.dump(), id, gpus);
  if (!read) {
    one.wrong(read.error());
    return std::nullopt;
  }
  return std::move(*read);
}

void read_errors(ObjectReader& reader, const spec::GpuCatalogue& gpus, MaterialErrors& found) {
  std::set<std::string> seen;
  for (ObjectReader& one : reader.objects("errors")) {
    one.allow({"id", "rows", "published", "correct", "evidence", "shown_by", "both"});
    MaterialError error;
    error.id = one.text("id");
    error.rows = one.texts("rows");
    error.published = one.words("published");
    error.correct = one.words("correct");
    error.evidence = one.text("evidence");
    error.shown_by = one.text_or("shown_by", "");
    if (!seen.insert(error.id).second) one.wrong(text::message("lesson_file.two_ids"));
    if (error.rows.empty()) one.wrong({.sentence = "\"rows\" is empty"});
    if (found.kind(error.evidence) == nullptr) {
      one.wrong({.sentence = "there is no evidence \"" + error.evidence + "\""});
    }
    error.both = lesson_of(reader, one, found, error, gpus);
    found.errors.push_back(std::move(error));
  }
}

}  // namespace

const NamedText* MaterialErrors::kind(std::string_view id) const {
  const auto found = std::ranges::find(evidence, id, &NamedText::id);
  return found == evidence.end() ? nullptr : &*found;
}

std::vector<const MaterialError*> MaterialErrors::of(std::span<const std::string> rows) const {
  std::vector<const MaterialError*> found;
  for (const MaterialError& one : errors) {
    if (std::ranges::find_first_of(one.rows, rows) != one.rows.end()) found.push_back(&one);
  }
  return found;
}

base::Result<MaterialErrors> read_material_errors(std::string_view json,
                                                  const spec::GpuCatalogue& gpus) {
  MaterialErrors found;
  const auto read = read_object(json, "The list of errors", [&](ObjectReader& reader) {
    reader.allow({"evidence", "title", "task", "errors"});
    found.evidence = reader.named_texts("evidence");
    read_errors(reader, gpus, found);
  });
  if (!read) return tl::unexpected(read.error());
  return found;
}

}  // namespace ts::lessons
