#include "core/text/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ts::text {
namespace {

Catalogue catalogue(const char* json) {
  auto parsed = Catalogue::parse(json);
  EXPECT_TRUE(parsed) << parsed.error().sentence;
  return parsed.value_or(Catalogue{});
}

Texts three() {
  return {catalogue(R"({"a": "A", "b": "B {x}", "only.english": "E"})"),
          catalogue(R"({"a": "甲", "b": "乙 {x}"})"), catalogue(R"({"a": "甲二"})")};
}

TEST(Texts, answer_in_the_chosen_language) {
  Texts texts = three();
  EXPECT_EQ(texts.language(), Language::en);
  EXPECT_STREQ(texts("a"), "A");
  texts.choose(Language::zh_cn);
  EXPECT_STREQ(texts("a"), "甲");
  texts.choose(Language::zh_tw);
  EXPECT_STREQ(texts("a"), "甲二");
}

TEST(Texts, fall_back_to_english_and_then_to_the_key) {
  Texts texts = three();
  texts.choose(Language::zh_tw);
  EXPECT_STREQ(texts("only.english"), "E");
  EXPECT_EQ(texts("b", {{"x", "1"}}), "B 1");
  EXPECT_STREQ(texts("no.such.key"), "no.such.key");
  EXPECT_EQ(texts("no.such.{x}", {{"x", "1"}}), "no.such.1");
}

TEST(Texts, keep_what_they_gave_out) {
  const Texts texts = three();
  const char* a = texts("a");
  std::string key = "missing.one";
  const char* missing = texts(key);
  key = "overwritten";
  for (int i = 0; i < 1000; ++i) {
    const std::string other = "missing." + std::to_string(i);
    EXPECT_EQ(texts(other), other);
  }
  EXPECT_STREQ(missing, "missing.one");
  EXPECT_STREQ(a, "A");
  EXPECT_EQ(texts("missing.one"), missing);
}

TEST(Fill, replaces_by_name_in_any_order) {
  const std::vector<Argument> arguments = {{"b", "2"}, {"a", "1"}};
  EXPECT_EQ(fill("{a} before {b}, {a} again", arguments), "1 before 2, 1 again");
  EXPECT_EQ(fill("{b}{a}", arguments), "21");
  EXPECT_EQ(fill("", arguments), "");
  EXPECT_EQ(fill("nothing", arguments), "nothing");
}

TEST(Fill, leaves_standing_what_it_does_not_know) {
  const std::vector<Argument> arguments = {{"a", "1"}};
  EXPECT_EQ(fill("{z} {a} {} {", arguments), "{z} 1 {} {");
  EXPECT_EQ(fill("{{a}}", arguments), "{1}");
  EXPECT_EQ(fill("} {a", arguments), "} {a");
  EXPECT_EQ(fill("{a", arguments), "{a");
}

TEST(Fill, chooses_the_word_of_a_count) {
  const auto say = [](const char* count) {
    return fill("{count} {count|cell|cells}", std::vector<Argument>{{"count", count}});
  };
  EXPECT_EQ(say("1"), "1 cell");
  EXPECT_EQ(say("0"), "0 cells");
  EXPECT_EQ(say("1,000"), "1,000 cells");
  EXPECT_EQ(fill("{other|cell|cells} {count|cell}", std::vector<Argument>{{"count", "1"}}),
            "{other|cell|cells} {count|cell}");
}

TEST(Fill, never_looks_into_values) {
  const std::vector<Argument> arguments = {{"a", "{b}"}, {"b", "{a}"}};
  EXPECT_EQ(fill("{a}{b}", arguments), "{b}{a}");
  EXPECT_EQ(fill("%s {a}", std::vector<Argument>{{"a", "%n"}}), "%s %n");
}

TEST(Placeholders, are_found_once_each) {
  EXPECT_EQ(placeholders("{a} {b} {a} {"), (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(placeholders("{a} {a|is|are} {b|one|many}"), (std::set<std::string>{"a", "b"}));
  EXPECT_TRUE(placeholders("none").empty());
}

TEST(LanguageCode, round_trip) {
  for (int i = 0; i < kLanguageCount; ++i) {
    const auto language = static_cast<Language>(i);
    EXPECT_EQ(*language_from_code(language_code(language)), language);
  }
  EXPECT_EQ(language_from_code("fr").error().sentence,
            "There is no language \"fr\": choose en, zh-CN or zh-TW");
  EXPECT_FALSE(language_from_code(""));
}

std::string parse_error(const char* json) {
  const auto parsed = Catalogue::parse(json);
  EXPECT_FALSE(parsed) << json;
  return parsed ? "" : parsed.error().sentence;
}

TEST(Catalogue, errors_name_the_place) {
  EXPECT_EQ(parse_error("{\n\"a\": \"1\",\n\"b\": \n}"),
            "The language file is not JSON from line 4 on");
  EXPECT_EQ(parse_error(""), "The language file is not JSON from line 1 on");
  EXPECT_EQ(parse_error("[]"), "The language file is not a JSON object of texts");
  EXPECT_EQ(parse_error(R"({"a": 1})"), "The language file has no text at the key \"a\"");
  EXPECT_EQ(parse_error(R"({"a": {"b": "c"}})"), "The language file has no text at the key \"a\"");
  EXPECT_EQ(parse_error(R"({"a": "1", "b": "2", "a": "3"})"),
            "The language file has the key \"a\" twice");
  EXPECT_FALSE(Catalogue::parse("{\"a\": \"\xFF\"}"));
  EXPECT_FALSE(Catalogue::parse(R"({"a": 1e999})"));
}

}  // namespace
}  // namespace ts::text
