#include "core/lessons/material_errors.h"

#include <algorithm>
#include <set>

#include "core/lessons/lesson_json.h"
#include "core/text/message.h"

namespace ts::lessons {

namespace {

void read_errors(ObjectReader& reader, MaterialErrors& found) {
  std::set<std::string> seen;
  for (ObjectReader& one : reader.objects("errors")) {
    one.allow({"id", "rows", "published", "correct", "evidence", "shown_by"});
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

base::Result<MaterialErrors> read_material_errors(std::string_view json) {
  MaterialErrors found;
  const auto read = read_object(json, "The list of errors", [&](ObjectReader& reader) {
    reader.allow({"evidence", "errors"});
    found.evidence = reader.named_texts("evidence");
    read_errors(reader, found);
  });
  if (!read) return tl::unexpected(read.error());
  return found;
}

}  // namespace ts::lessons
