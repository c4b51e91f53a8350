#include "core/lessons/lesson_rows.h"

#include <algorithm>
#include <set>

#include "core/lessons/lesson_json.h"
#include "core/text/message.h"

namespace ts::lessons {
namespace {

void read_all(ObjectReader& reader, RowCatalogue& found) {
  std::set<std::string> seen;
  for (ObjectReader& one : reader.objects("rows")) {
    one.allow({"id", "title", "reason"});
    Row row{one.text("id"), one.words("title"), one.text_or("reason", "")};
    if (!seen.insert(row.id).second) one.wrong(text::message("lesson_file.two_ids"));
    if (!row.reason.empty() && found.reason(row.reason) == nullptr) {
      one.wrong({.sentence = "there is no reason \"" + row.reason + "\""});
    }
    found.rows.push_back(std::move(row));
  }
}

}  // namespace

const NamedText* RowCatalogue::reason(std::string_view id) const {
  const auto found = std::ranges::find(reasons, id, &NamedText::id);
  return found == reasons.end() ? nullptr : &*found;
}

const Row* RowCatalogue::row(std::string_view id) const {
  const auto found = std::ranges::find(rows, id, &Row::id);
  return found == rows.end() ? nullptr : &*found;
}

base::Result<RowCatalogue> read_rows(std::string_view json) {
  RowCatalogue found;
  const auto read = read_object(json, "The list of rows", [&](ObjectReader& reader) {
    reader.allow({"rows", "reasons"});
    found.reasons = reader.named_texts("reasons");
    read_all(reader, found);
  });
  if (!read) return tl::unexpected(read.error());
  return found;
}

std::vector<std::string> lessons_of(std::span<const Lesson> lessons, std::string_view row) {
  std::vector<std::string> found;
  for (const Lesson& lesson : lessons) {
    if (std::ranges::find(lesson.rows, row) != lesson.rows.end()) found.push_back(lesson.id);
  }
  return found;
}

}  // namespace ts::lessons
