#include "core/io/json_parse.h"

#include <gtest/gtest.h>

#include <string>

namespace ts::io {
namespace {

std::string nested(std::size_t levels, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += open;
  text += "1";
  for (std::size_t i = 0; i < levels; ++i) text += close;
  return text;
}

TEST(ParseJson, givesWhatTheTextSays) {
  const auto parsed = parse_json(R"({"a": [1, 2.5, "\"[[[", null], "b": {}})");
  ASSERT_TRUE(parsed) << parsed.error().sentence;
  EXPECT_EQ(parsed->at("a").at(1), 2.5);
  EXPECT_EQ(parsed->at("a").at(2), "\"[[[");
}

TEST(ParseJson, saysWhatIsNoJson) {
  for (const char* text :
       {"", "{\"a\": 1", "[1,]", "nul", "{} {}", "\"\xff\"", "]]]]", "[1e999]"}) {
    const auto parsed = parse_json(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().sentence, "is not valid JSON");
  }
}

TEST(ParseJson, limitsTheDepth) {
  EXPECT_TRUE(parse_json(nested(kMostJsonLevels, "[", "]")));
  EXPECT_TRUE(parse_json(nested(kMostJsonLevels, "{\"a\":", "}")));
  for (const std::size_t levels : {kMostJsonLevels + 1, std::size_t{3'000'000}}) {
    for (const auto& [open, close] : {std::pair{"[", "]"}, {"{\"a\":", "}"}}) {
      const auto parsed = parse_json(nested(levels, open, close));
      ASSERT_FALSE(parsed);
      EXPECT_EQ(parsed.error().sentence, "is JSON nested more than 100 levels deep");
    }
  }
  // Brackets beside each other and in strings are no levels.
  std::string wide = "[";
  for (int i = 0; i < 1000; ++i) wide += "[],";
  EXPECT_TRUE(parse_json(wide + "\"" + std::string(1000, '{') + "\"]"));
}

}  // namespace
}  // namespace ts::io
