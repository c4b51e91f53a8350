#include "core/io/json_text.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/io/temporary_folder.h"

namespace ts::io {
namespace {

std::string json_of(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string microseconds(std::int64_t nanoseconds) {
  std::string out;
  append_microseconds(out, nanoseconds);
  return out;
}

TEST(JsonString, EscapesWhatItMust) {
  EXPECT_EQ(json_of(""), R"("")");
  EXPECT_EQ(json_of("aten::mm"), R"("aten::mm")");
  EXPECT_EQ(json_of("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json_of("a\nb\tc\rd"), R"("a\nb\tc\rd")");
  EXPECT_EQ(json_of(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(json_of("注意力 ∑ 😀"), "\"注意力 ∑ 😀\"");
}

TEST(JsonString, ReplacesBrokenUtf8) {
  // Unicode 15, table 3-11 and the ones before it: one U+FFFD for each maximal part.
  EXPECT_EQ(json_of("a\xF1\x80\x80\xE1\x80\xC2"
                    "b\x80"
                    "c\x80\xBF"
                    "d"),
            "\"a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd\"");
  EXPECT_EQ(json_of("\xC0\xAF"), "\"\uFFFD\uFFFD\"");                      // overlong
  EXPECT_EQ(json_of("\xED\xA0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");            // surrogate
  EXPECT_EQ(json_of("\xF4\x90\x80\x80"), "\"\uFFFD\uFFFD\uFFFD\uFFFD\"");  // beyond U+10FFFF
  EXPECT_EQ(json_of("\xE4\xB8"), "\"\uFFFD\"");                            // cut off
  EXPECT_EQ(json_of("\xFF"), "\"\uFFFD\"");
}

std::vector<std::string> nasty_texts() {
  std::vector<std::string> all;
  for (int first = 0; first < 256; ++first) {
    all.emplace_back(1, static_cast<char>(first));
    for (const int second :
         {0x00, 0x22, 0x5C, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xFF}) {
      all.push_back(std::string{static_cast<char>(first), static_cast<char>(second)});
      all.push_back(all.back() + "\x80\x80x");
    }
  }
  std::mt19937 random(9);
  for (int i = 0; i < 3000; ++i) {
    std::string text(random() % 12, '\0');
    for (char& c : text)
      c = static_cast<char>(random() % 4 == 0 ? random() % 128 : 0x80 + random() % 128);
    all.push_back(text);
  }
  return all;
}

TEST(JsonString, IsValidForAnyBytes) {
  for (const std::string& text : nasty_texts()) {
    const nlohmann::json parsed = nlohmann::json::parse(json_of(text), nullptr, false);
    ASSERT_TRUE(parsed.is_string()) << json_of(text);
  }
}

std::string utf8(std::uint32_t code) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 | code >> 6), byte(0x80 | (code & 0x3F))};
  const char last = byte(0x80 | (code & 0x3F));
  const char before = byte(0x80 | (code >> 6 & 0x3F));
  if (code < 0x10000) return {byte(0xE0 | code >> 12), before, last};
  return {byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 0x3F)), before, last};
}

TEST(JsonString, EveryCharacterComesBack) {
  constexpr std::uint32_t kBlock = 0x800;  // surrogates are a block of their own
  for (std::uint32_t block = 0; block < 0x110000; block += kBlock) {
    if (block == 0xD800) continue;
    std::string text;
    for (std::uint32_t code = block; code < block + kBlock; ++code) text += utf8(code);
    ASSERT_EQ(nlohmann::json::parse(json_of(text)).get<std::string>(), text) << block;
  }
}

TEST(JsonString, ReplacesAsPythonDoes) {
  if (std::system("python3 -c 'import json' 2> /dev/null") != 0) GTEST_SKIP() << "needs python3";
  const testing::TemporaryFolder folder;
  {
    std::ofstream hex(folder / "hex");
    std::ofstream quoted(folder / "json");
    for (const std::string& text : nasty_texts()) {
      for (const char c : text) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        hex << kDigits[static_cast<unsigned char>(c) >> 4U]
            << kDigits[static_cast<unsigned char>(c) & 0xFU];
      }
      hex << '\n';
      quoted << json_of(text) << '\n';
    }
  }
  testing::put(folder / "compare.py", R"(
import json, sys
texts = [bytes.fromhex(line).decode("utf-8", "replace") for line in open("hex")]
lines = open("json", encoding="utf-8", newline="\n").read().split("\n")[:-1]
assert len(texts) == len(lines) > 6000, (len(texts), len(lines))
for text, line in zip(texts, lines):
    assert json.loads(line) == text, (text, line)
)");
  const std::string command = "cd '" + folder.path().string() + "' && python3 compare.py";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Microseconds, KeepEveryNanosecond) {
  EXPECT_EQ(microseconds(0), "0.000");
  EXPECT_EQ(microseconds(1), "0.001");
  EXPECT_EQ(microseconds(1'234'567), "1234.567");
  EXPECT_EQ(microseconds(-1), "-0.001");
  EXPECT_EQ(microseconds(-20'050), "-20.050");
  EXPECT_EQ(microseconds(std::numeric_limits<std::int64_t>::max()), "9223372036854775.807");
  EXPECT_EQ(microseconds(std::numeric_limits<std::int64_t>::min()), "-9223372036854775.808");
}

}  // namespace
}  // namespace ts::io
