// All 39 errors of the material: where they are, what is right, and what shows it.
#include "core/lessons/material_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/lessons/lesson_rows.h"
#include "tests/lessons/example.h"

namespace ts::lessons {
namespace {

TEST(MaterialErrors, AllOfThemAreInRowsAndTranslated) {
  const auto all = read_material_errors(assets::lesson_errors(), gpus());
  ASSERT_TRUE(all) << all.error().sentence;
  ASSERT_EQ(all->errors.size(), 39U);
  const auto rows = read_rows(assets::lesson_rows());
  for (std::size_t i = 0; i < all->errors.size(); ++i) {
    const MaterialError& one = all->errors[i];
    EXPECT_EQ(one.id, "E-" + std::to_string(i + 1));
    EXPECT_TRUE(one.published.complete() && one.correct.complete()) << one.id;
    for (const std::string& row : one.rows) EXPECT_NE(rows->row(row), nullptr) << one.id << row;
    EXPECT_TRUE(all->kind(one.evidence)->text.complete()) << one.evidence;
  }
}

// Evidence that this program gives is a lesson or a command that exists.
TEST(MaterialErrors, WhatShowsThemExists) {
  const auto all = read_material_errors(assets::lesson_errors(), gpus());
  constexpr std::array kCommands = {"run ", "doctor", "predict ", "sweep ", "hunt ", "ab "};
  const auto lessons = assets::lessons();
  int of_lessons = 0;
  for (const MaterialError& one : all->errors) {
    const std::string prefix = "lesson run ";
    if (one.shown_by.starts_with(prefix)) {
      ++of_lessons;
      EXPECT_TRUE(std::ranges::count(lessons, one.shown_by.substr(prefix.size()),
                                     &assets::Lesson::name) == 1)
          << one.id << ": " << one.shown_by;
    } else if (!one.shown_by.empty()) {
      EXPECT_TRUE(std::ranges::any_of(
          kCommands, [&](const char* command) { return one.shown_by.starts_with(command); }))
          << one.id << ": " << one.shown_by;
    }
  }
  EXPECT_GT(of_lessons, 10);
}

// Where both variants can run, they are a lesson with the texts of the error.
TEST(MaterialErrors, BothVariantsRun) {
  const auto all = read_material_errors(assets::lesson_errors(), gpus());
  ASSERT_TRUE(all) << all.error().sentence;
  int count = 0;
  for (const MaterialError& one : all->errors) {
    if (!one.both) continue;
    ++count;
    const Lesson& lesson = *one.both;
    EXPECT_TRUE(lesson.translated()) << one.id;
    EXPECT_EQ(lesson.rows, one.rows);
    const std::string& task = lesson.task.in(text::Language::en);
    EXPECT_NE(task.find(one.published.in(text::Language::en)), std::string::npos) << task;
    EXPECT_NE(task.find(one.correct.in(text::Language::en)), std::string::npos) << task;
    EXPECT_NE(lesson.step("corrected"), nullptr) << one.id;
    EXPECT_GE(lesson.values.size(), 2U) << one.id;
  }
  EXPECT_GE(count, 10);
}

TEST(MaterialErrors, ALessonHasThoseOfItsRows) {
  const auto all = read_material_errors(assets::lesson_errors(), gpus());
  const std::array<std::string, 2> rows = {"A2-7", "A2-11"};
  const auto found = all->of(rows);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->id, "E-14");
  EXPECT_EQ(found[1]->id, "E-22");
  EXPECT_TRUE(all->of(std::array<std::string, 1>{"A2-10"}).empty());
}

TEST(MaterialErrors, WhatIsWrongIsNamed) {
  const auto said = [](const std::string& error) {
    const auto all = read_material_errors(
        R"({"evidence": [{"id": "theory", "text": "t"}], "errors": [)" + error + "]}", gpus());
    return all ? std::string() : all.error().sentence;
  };
  const std::string good =
      R"({"id": "E-1", "rows": ["A2-7"], "published": "p", "correct": "c", "evidence": "theory"})";
  EXPECT_EQ(said(good), "");
  EXPECT_NE(said(good + "," + good).find("two with this id"), std::string::npos);
  std::string other = good;
  other.replace(other.find("theory"), 6, "rumour");
  EXPECT_NE(said(other).find("no evidence \"rumour\""), std::string::npos);
  other = good;
  other.replace(other.find("\"A2-7\""), 6, "");
  EXPECT_NE(said(other).find("\"rows\" is empty"), std::string::npos);
}

}  // namespace
}  // namespace ts::lessons
