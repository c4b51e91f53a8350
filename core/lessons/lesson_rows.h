#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/lessons/lesson.h"

namespace ts::lessons {

// One row of the catalogue of exercises.
struct Row {
  std::string id;  // "A2-23"
  Words title;
  std::string reason;  // why no lesson covers it: the id of a reason; empty if one does
};

struct RowCatalogue {
  std::vector<Row> rows;
  std::vector<NamedText> reasons;
  [[nodiscard]] const NamedText* reason(std::string_view id) const;
  [[nodiscard]] const Row* row(std::string_view id) const;
};
// assets/lesson_rows.json. The error names the row.
base::Result<RowCatalogue> read_rows(std::string_view json);

// The ids of the lessons that cover a row.
std::vector<std::string> lessons_of(std::span<const Lesson> lessons, std::string_view row);

}  // namespace ts::lessons
