// Every row of the catalogue of exercises is reached.
#include "core/lessons/lesson_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/lessons/material_errors.h"
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
  for (const NamedText& one : rows->reasons) EXPECT_TRUE(one.text.complete()) << one.id;
}

// The table of all exercises in docs/labs.md: lesson, sizes, reason and errors of each.
TEST(LessonRows, ThePageListsAllOfThem) {
  std::ifstream file(TENSORSCOPE_LABS_PAGE);
  std::stringstream page;
  page << file.rdbuf();
  const auto rows = read_rows(assets::lesson_rows());
  const auto errors = read_material_errors(assets::lesson_errors(), gpus());
  std::vector<Lesson> lessons;
  for (const assets::Lesson& one : assets::lessons()) {
    lessons.push_back(*read_lesson(one.json, std::string(one.name), testing::gpus()));
  }
  const auto joined = [](const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
    return all;
  };
  for (const Row& row : rows->rows) {
    std::vector<std::string> tiers;
    for (int i = 0; i < kTierCount; ++i) {
      const auto tier = static_cast<Tier>(i);
      const bool has = std::ranges::any_of(lessons, [&](const Lesson& lesson) {
        return std::ranges::count(lesson.rows, row.id) > 0 && lesson.has(tier);
      });
      if (has) tiers.emplace_back(to_string(tier));
    }
    std::vector<std::string> wrong;
    for (const MaterialError* const one : errors->of({&row.id, 1})) wrong.push_back(one->id);
    const NamedText* const reason = rows->reason(row.reason);
    const std::string line = "| " + row.id + " " + row.title.in(text::Language::en) + " | " +
                             joined(lessons_of(lessons, row.id)) + " | " + joined(tiers) + " | " +
                             (reason == nullptr ? "" : reason->text.in(text::Language::en)) +
                             " | " + joined(wrong) + " |";
    EXPECT_NE(page.str().find(line), std::string::npos) << "docs/labs.md lacks\n" << line;
  }
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
