// The parts of a lesson, the program's own lessons, and every kind of mistake in one.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/io/json_parse.h"
#include "core/lessons/lesson_rows.h"
#include "tests/lessons/example.h"

namespace ts::lessons {
namespace {

using testing::example;
using testing::gpus;

// Every part of it that is a sentence has a key, so that the window shows it in its language.
bool translatable(const base::Message& message) {
  return !message.key.empty() &&
         std::ranges::all_of(message.arguments, [](const base::Argument& one) {
           const bool sentence = one.name == "problem" || one.name == "reason";
           return !sentence || translatable({one.value, one.key, one.arguments});
         });
}

std::string sentence(const std::string& json) {
  const auto lesson = read_lesson(json, "file.json", gpus());
  if (lesson) return {};
  EXPECT_TRUE(translatable(lesson.error())) << lesson.error().sentence;
  return lesson.error().sentence;
}

TEST(Lessons, AllOfTheProgramAreReadAndTranslated) {
  const auto all = assets::lessons();
  ASSERT_GE(all.size(), 8U);
  const auto rows = read_rows(assets::lesson_rows());
  ASSERT_TRUE(rows.has_value()) << rows.error().sentence;
  std::set<std::string> ids;
  for (const assets::Lesson& one : all) {
    const auto lesson = read_lesson(one.json, std::string(one.name), gpus());
    ASSERT_TRUE(lesson.has_value()) << lesson.error().sentence;
    EXPECT_EQ(lesson->id, one.name) << "a lesson is found by the name of its file";
    EXPECT_TRUE(ids.insert(lesson->id).second);
    EXPECT_TRUE(lesson->translated()) << lesson->id << " lacks a text in some language";
    EXPECT_TRUE(lesson->question.has_value()) << lesson->id;
    EXPECT_FALSE(lesson->checks.empty()) << lesson->id;
    EXPECT_FALSE(lesson->rows.empty()) << lesson->id;
    for (const FreeAnswer& answer : lesson->answers)
      EXPECT_FALSE(answer.expected.empty())
          << lesson->id << ": the teacher's key lacks " << answer.id;
    for (const std::string& row : lesson->rows) {
      EXPECT_NE(rows->row(row), nullptr) << lesson->id << " serves " << row;
    }
    // Every language fills the same numbers.
    for (const Sentence& said : lesson->sentences) {
      for (const std::string& text : said.text.of) {
        EXPECT_EQ(text::placeholders(text), text::placeholders(said.text.of[0])) << lesson->id;
      }
    }
  }
}

// The words that assets/locale/terms.json keeps out of the language files.
TEST(Lessons, UseTheWordsOfTheLanguageFiles) {
  std::ifstream file(TENSORSCOPE_LOCALE_TERMS);
  const auto terms = nlohmann::json::parse(file);
  int looked_at = 0;
  std::vector<assets::Lesson> all = assets::lessons();
  all.push_back({"demos", assets::demos()});
  for (const assets::Lesson& one : all) {
    const auto lesson = io::parse_json(one.json);
    const std::string chinese = lesson->dump();
    for (const auto& term : terms.at("terms")) {
      for (const auto& [language, words] : term.at("never").items()) {
        for (const auto& word : words) {
          const auto text = word.get<std::string>();
          // English texts stand in the same file.
          if (std::ranges::all_of(text, [](unsigned char letter) { return letter < 128; }))
            continue;
          ++looked_at;
          EXPECT_EQ(chinese.find(text), std::string::npos) << one.name << " says " << text;
        }
      }
    }
  }
  EXPECT_GT(looked_at, 50);
}

TEST(Lessons, TheExampleOfThePageIsOne) {
  EXPECT_EQ(sentence(example()), "");
  const Lesson lesson = testing::example_lesson();
  EXPECT_TRUE(lesson.translated());
  EXPECT_TRUE(lesson.has(Tier::laptop) && lesson.has(Tier::gb8));
  EXPECT_FALSE(lesson.has(Tier::gb80));
  EXPECT_EQ(lesson.steps[0].plans[0]->command,
            "sweep attention --preset acc1 --set B=1 --set heads=2 --steps 3 --axis T=128:512:x2 "
            "--series backend=naive,flash --out DIR");
}

TEST(Lessons, ThePageNamesEveryQuantity) {
  const std::string page = testing::page();
  for (const QuantityRow& row : quantity_rows()) {
    EXPECT_NE(page.find(std::string("| ") + to_string(row.kind) + " | `" + row.name),
              std::string::npos)
        << to_string(row.kind) << " " << row.name;
  }
}

TEST(Lessons, TextsOfOneLanguageAreShownInAll) {
  auto json = nlohmann::json::parse(example());
  json["title"] = "Only this";
  const auto lesson = read_lesson(json.dump(), "x", gpus());
  ASSERT_TRUE(lesson.has_value());
  EXPECT_EQ(lesson->title.in(text::Language::zh_tw), "Only this");
  EXPECT_FALSE(lesson->translated());
}

struct Mistake {
  const char* place;  // JSON pointer
  const char* value;  // what stands there instead; empty: nothing
  const char* says;
};

// NOLINTNEXTLINE(readability-function-size): a table
TEST(Lessons, EveryMistakeIsOneSentenceWithItsPlace) {
  const Mistake mistakes[] = {
      {"/titel", "\"x\"", "file.json: there is no key \"titel\" here: did you mean title?"},
      {"/title", "", "\"title\" is missing"},
      {"/title", "{\"fr\": \"x\"}", "takes texts under en, zh-CN and zh-TW, not \"fr\""},
      {"/id", "\"No Good\"", "must begin with a small letter"},
      {"/minutes", "0", "must be a whole number from 1 to 600"},
      {"/minutes", "18446744073709551615", "must be a whole number from 1 to 600"},
      {"/steps", "[]", "\"steps\" is missing or empty"},
      {"/steps/0/id", "\"two words\"", "must begin with a small letter"},
      {"/steps/0/16gb", "{}", "there is no key \"16gb\""},
      {"/steps/0/laptop/kind", "\"train\"", "there is no kind \"train\""},
      {"/steps/0/laptop/workload", "\"atention\"", "atention"},
      {"/steps/0/laptop/preset", "\"acc9\"", "there is no preset \"acc9\" for attention"},
      {"/steps/0/laptop/set/0", "\"BB=1\"", "BB"},
      {"/steps/0/laptop/set/0", "\"B\"", "takes KEY=VALUE, not \"B\""},
      {"/steps/0/laptop/set/0", "\"B=-1\"", "B"},
      {"/steps/0/laptop/axes", "[]", "a sweep needs \"axes\""},
      {"/steps/0/laptop/axes/0", "\"Q=1:2\"", "Q"},
      {"/steps/0/laptop/pairs", "3", "there is no key \"pairs\""},
      {"/steps/0/laptop/fit", "\"9:1\"", "\"fit\" takes FROM:TO"},
      {"/steps/0/8gb/gpu", "\"voodoo 2\"", "voodoo 2"},
      {"/steps/0/8gb/gpu", "", "a tier of a card predicts for it: \"gpu\" is missing"},
      {"/values/0/id", "\"other\"", "there is no value \"growth\""},
      {"/values/0/measured", "\"curve.peak(naive, T = 512)\"",
       "values growth: a step of kind sweep has no quantity \"peak\""},
      {"/values/0/measured", "\"curves.peak_bytes(naive, T = 512)\"",
       "there is no step \"curves\""},
      {"/values/0/measured", "\"curve.peak_bytes(math, T = 512)\"",
       "the sweep has no series \"math\"; there are naive, flash"},
      {"/values/0/measured", "\"curve.peak_bytes(naive, T = 500)\"", "the sweep has no T = 500"},
      {"/values/0/measured", "\"curve.peak_bytes(naive)\"", "the place on T is missing"},
      {"/values/0/measured", "\"curve.predicted_peak_bytes(naive, T = 512)\"",
       "no tier has all numbers"},
      {"/values/0/predicted", "\"curve.peak_bytes(naive, T = 512)\"", "no tier has all numbers"},
      {"/values/0/theory", "\"curve.peak_bytes(naive, T = 512)\"", "no tier has all numbers"},
      {"/values/0/measured", "\"2 +\"", "cannot be read at character"},
      {"/values/0/published/unit", "\"yd\"", "there is no unit \"yd\""},
      {"/values/0/published/source", "", "\"source\" is missing"},
      {"/values/0/in", "\"KiB\"", "takes MiB, GiB, MB or GB"},
      {"/values/0/of", "\"curve.setting(B)\"", "stands for measured and predicted"},
      {"/question/answer", "\"growht\"", "there is no value \"growht\""},
      {"/question/choices", "[{\"text\": \"a\", \"from\": 1}]", "one choice is none"},
      {"/question/after", "\"{growth}\"", "is not written as {VALUE.measured}"},
      {"/checks/0/value", "\"growth.best\"", "not \"best\""},
      {"/checks/0/at_least", "", "a check needs one of at_least, at_most, equals"},
      {"/checks/0/within", "1", "within belongs to equals"},
      {"/checks/0/equals", "1", "equals stands alone"},
      {"/sentences/0/text", "\"{groth.measured}\"", "sentences 1: there is no value \"groth\""},
      {"/answers/0/lines", "0", "must be a whole number from 1 to 20"},
      {"/deliverables/0/step", "\"curv\"", "there is no step \"curv\""},
      {"/deliverables/0/file", "\"memory.png\"", "the step leaves no file \"memory.png\""},
  };
  for (const Mistake& one : mistakes) {
    auto json = nlohmann::json::parse(example());
    const nlohmann::json::json_pointer place(one.place);
    if (*one.value == '\0') {
      json.at(place.parent_pointer()).erase(place.back());
    } else {
      json[place] = nlohmann::json::parse(one.value);
    }
    const std::string said = sentence(json.dump());
    EXPECT_NE(said.find(one.says), std::string::npos) << one.place << " says: " << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

TEST(Lessons, MistakesInCalculatorsAndSimulationsAreNamed) {
  const Mistake mistakes[] = {
      {"/steps/0/laptop/calculator", "\"zeros\"", "there is no calculator \"zeros\""},
      {"/steps/0/laptop/calculator", "", "\"calculator\" is missing"},
      {"/steps/0/laptop/workload", "\"lm\"", "there is no key \"workload\""},
      {"/steps/0/laptop/set/0", "\"rank=8\"", "zero has no \"rank\""},
      {"/steps/0/laptop/set/0", "\"ranks=0\"", "ranks is 1 to"},
      {"/steps/1/laptop/simulation", "\"ring\"", "there is no simulation \"ring\""},
      {"/steps/1/laptop/over", "\"pipeline_stages\"", "is not written as NAME=NUMBER"},
      {"/steps/1/laptop/over", "\"ranks=2\"", "pipeline has no \"ranks\""},
      {"/values/0/theory", "\"memory.term(zero4)\"", "there is no \"zero4\"; there are"},
      {"/values/0/theory", "\"memory.term\"", "it needs something in parentheses"},
      {"/values/0/theory", "\"memory.input(rank)\"", "there is no \"rank\"; there are params"},
      {"/values/0/measured", "\"memory.term(zero2)\"", "as measured ones"},
      {"/values/0/simulated", "\"memory.term(zero2)\"", "as simulated ones"},
      {"/values/1/theory", "\"bubbles.figure(bubble, pipeline_stages = 2)\"", "as theory ones"},
      {"/values/1/simulated", "\"bubbles.figure(bubble)\"", "the place on pipeline_stages"},
      {"/values/1/simulated", "\"bubbles.figure(bubble, pipeline_stages = 3)\"",
       "does not have pipeline_stages = 3"},
      {"/values/1/simulated", "\"bubbles.figure(hole, pipeline_stages = 2)\"",
       "there is no \"hole\"; there are step_time"},
  };
  EXPECT_EQ(sentence(testing::arithmetic_example()), "");
  for (const Mistake& one : mistakes) {
    auto json = nlohmann::json::parse(testing::arithmetic_example());
    const nlohmann::json::json_pointer place(one.place);
    if (*one.value == '\0') {
      json.at(place.parent_pointer()).erase(place.back());
    } else {
      json[place] = nlohmann::json::parse(one.value);
    }
    const std::string said = sentence(json.dump());
    EXPECT_NE(said.find(one.says), std::string::npos) << one.place << " says: " << said;
  }
}

TEST(Lessons, WhatIsNoLessonIsSaid) {
  EXPECT_EQ(sentence("{"), "file.json is not valid JSON");
  EXPECT_EQ(sentence("[]"), "file.json: is no JSON object");
  EXPECT_EQ(sentence(std::string(100'000, '[')).substr(0, 9), "file.json");
  const std::string deep = "{\"id\": " + std::string(200, '[') + std::string(200, ']') + "}";
  EXPECT_NE(sentence(deep).find("nested more than 100 levels deep"), std::string::npos);
}

// Whatever stands somewhere, there is a lesson or a sentence.
TEST(Lessons, NoMutationEndsTheProgram) {
  const auto whole = nlohmann::json::parse(example());
  const auto flat = whole.flatten();
  const char* const values[] = {"null", "true", "-1", "1e300", "\"\"", "\"{\"", "[]", "{}", "[[]]"};
  int refused = 0;
  for (const auto& [place, old] : flat.items()) {
    for (const char* const value : values) {
      auto json = whole;
      json[nlohmann::json::json_pointer(place)] = nlohmann::json::parse(value);
      refused += sentence(json.dump()).empty() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace ts::lessons
