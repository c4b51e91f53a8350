// Every row of the catalogue of exercises is reached.
#include "core/lessons/lesson_rows.h"

#include <gtest/gtest.h>

#include "tests/lessons/example.h"

namespace ts::lessons {
namespace {

TEST(LessonRows, AllRowsHaveALessonOrAReason) {
  const auto rows = read_rows(assets::lesson_rows());
  ASSERT_TRUE(rows.has_value()) << rows.error().sentence;
  std::vector<Lesson> lessons;
  for (const assets::Lesson& one : assets::lessons()) {
    lessons.push_back(*read_lesson(one.json, std::string(one.name), testing::gpus()));
  }
  std::size_t seen = 0;
  for (const auto& [group, count] :
       {std::pair{"ACC", 15}, std::pair{"A2", 35}, std::pair{"LAB", 18}, std::pair{"NANO", 10},
        std::pair{"VLM", 38}}) {
    for (int number = 1; number <= count; ++number, ++seen) {
      const std::string id = std::string(group) + "-" + std::to_string(number);
      const Row* const row = rows->row(id);
      ASSERT_NE(row, nullptr) << id;
      EXPECT_TRUE(row->title.complete()) << id;
      EXPECT_EQ(lessons_of(lessons, id).empty(), !row->reason.empty())
          << id << " has either a lesson or a reason";
    }
  }
  EXPECT_EQ(seen, 116U);
  EXPECT_EQ(rows->rows.size(), 116U);
  for (const Reason& one : rows->reasons) EXPECT_TRUE(one.text.complete()) << one.id;
}

TEST(LessonRows, WhatIsWrongIsNamed) {
  const auto sentence = [](const char* json) {
    const auto rows = read_rows(json);
    return rows ? std::string() : rows.error().sentence;
  };
  EXPECT_NE(sentence("[").find("not valid JSON"), std::string::npos);
  EXPECT_NE(sentence(R"({"rows": [{"id": "A", "title": "x", "reason": "y"}], "reasons": []})")
                .find("there is no reason \"y\""),
            std::string::npos);
  EXPECT_NE(sentence(R"({"rows": [{"id": "A", "title": "x"}, {"id": "A", "title": "x"}]})")
                .find("there are two"),
            std::string::npos);
}

}  // namespace
}  // namespace ts::lessons
