#include "core/lessons/lesson_rows.h"

#include <algorithm>
#include <set>

#include "core/lessons/lesson_json.h"

namespace ts::lessons {
namespace {

void read_reasons(ObjectReader& reader, RowCatalogue& found) {
  for (ObjectReader& one : reader.objects("reasons")) {
    one.allow({"id", "text"});
    found.reasons.push_back({one.text("id"), one.words("text")});
  }
}

void read_all(ObjectReader& reader, RowCatalogue& found) {
  std::set<std::string> seen;
  for (ObjectReader& one : reader.objects("rows")) {
    one.allow({"id", "title", "reason"});
    Row row{one.text("id"), one.words("title"), one.text_or("reason", "")};
    if (!seen.insert(row.id).second) one.wrong("there are two with this id");
    if (!row.reason.empty() && found.reason(row.reason) == nullptr) {
      one.wrong("there is no reason \"" + row.reason + "\"");
    }
    found.rows.push_back(std::move(row));
  }
}

}  // namespace

const Reason* RowCatalogue::reason(std::string_view id) const {
  const auto found = std::ranges::find_if(reasons, [&](const Reason& one) { return one.id == id; });
  return found == reasons.end() ? nullptr : &*found;
}

const Row* RowCatalogue::row(std::string_view id) const {
  const auto found = std::ranges::find_if(rows, [&](const Row& one) { return one.id == id; });
  return found == rows.end() ? nullptr : &*found;
}

base::Result<RowCatalogue> read_rows(std::string_view json) {
  RowCatalogue found;
  const auto read = read_object(json, "The list of rows", [&](ObjectReader& reader) {
    reader.allow({"rows", "reasons"});
    read_reasons(reader, found);
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
