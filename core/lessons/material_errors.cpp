#include "core/lessons/material_errors.h"

#include <algorithm>
#include <set>

#include "core/io/json_parse.h"
#include "core/lessons/lesson_json.h"

namespace ts::lessons {

const Evidence* MaterialErrors::kind(std::string_view id) const {
  const auto found = std::ranges::find(evidence, id, &Evidence::id);
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
  const std::string name = "The list of errors";
  const auto parsed = io::parse_json(json);
  if (!parsed) return base::fail(name + " " + parsed.error().sentence);
  MaterialErrors found;
  std::string problem;
  ObjectReader reader(*parsed, name, problem);
  reader.allow({"evidence", "errors"});
  for (ObjectReader& one : reader.objects("evidence")) {
    one.allow({"id", "text"});
    found.evidence.push_back({one.text("id"), one.words("text")});
  }
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
    if (!seen.insert(error.id).second) one.wrong("there are two with this id");
    if (error.rows.empty()) one.wrong("\"rows\" is empty");
    if (found.kind(error.evidence) == nullptr) {
      one.wrong("there is no evidence \"" + error.evidence + "\"");
    }
    found.errors.push_back(std::move(error));
  }
  if (!problem.empty()) return base::fail(problem);
  return found;
}

}  // namespace ts::lessons
