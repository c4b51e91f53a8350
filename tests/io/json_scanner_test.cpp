// Against nlohmann's parser on random JSON, and on what that one refuses.
#include "core/io/json_scanner.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/io/file_kind.h"

namespace ts::io {
namespace {

// In a block of its own size, so that AddressSanitizer sees what reads behind the padding.
struct Padded {
  explicit Padded(std::string content) : text(std::move(content)) {
    view = padded(text);
    text.shrink_to_fit();
    view = {text.data(), view.size()};
  }
  std::string text;
  std::string_view view;
};

nlohmann::json random_json(std::mt19937& random, int depth) {
  const auto below = [&random](unsigned end) { return static_cast<unsigned>(random() % end); };
  switch (below(depth > 0 ? 7 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return below(2) == 0;
    case 2:
      return static_cast<std::int64_t>(random()) - (std::int64_t{1} << 31);
    case 3:
      return static_cast<double>(random()) / 8;
    case 4: {
      std::string text(below(40), ' ');
      for (char& c : text) c = "ab\"\\\n{}[],:\x01"[below(12)];
      return text;
    }
    case 5: {
      auto list = nlohmann::json::array();
      for (unsigned i = below(6); i > 0; --i) list.push_back(random_json(random, depth - 1));
      return list;
    }
    default: {
      auto object = nlohmann::json::object();
      for (unsigned i = below(6); i > 0; --i) {
        object["k\"" + std::to_string(below(100))] = random_json(random, depth - 1);
      }
      return object;
    }
  }
}

// Builds with the scanner what nlohmann's parser would.
nlohmann::json build(JsonScanner& scanner) {
  const char next = scanner.peek();
  if (next == '{') {
    auto object = nlohmann::json::object();
    EXPECT_TRUE(scanner.object([&](const JsonScanner::String& key) {
      object[key.escaped ? unescaped(key.raw) : std::string(key.raw)] = build(scanner);
      return true;
    }));
    return object;
  }
  if (next == '[') {
    auto list = nlohmann::json::array();
    EXPECT_TRUE(scanner.list([&] {
      list.push_back(build(scanner));
      return true;
    }));
    return list;
  }
  if (next == '"') {
    JsonScanner::String text;
    EXPECT_TRUE(scanner.string(text));
    return text.escaped ? unescaped(text.raw) : std::string(text.raw);
  }
  std::string_view scalar;
  EXPECT_TRUE(scanner.scalar(scalar));
  return nlohmann::json::parse(scalar);
}

TEST(JsonScanner, ReadsWhatAParserReads) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const nlohmann::json value = nlohmann::json::array({random_json(random, 4)});
    const Padded text(value.dump(i % 3 - 1, i % 2 == 0 ? ' ' : '\t', i % 5 == 0));
    JsonScanner scanner(text.view);
    EXPECT_EQ(build(scanner), value) << text.view;
    EXPECT_TRUE(scanner.at_end());
    JsonScanner skipping(text.view);
    std::string_view raw;
    EXPECT_TRUE(skipping.raw(raw));
    EXPECT_EQ(raw, text.view);
    EXPECT_TRUE(skipping.at_end());
  }
}

TEST(JsonScanner, WhatIsCutOffIsNotSkipped) {
  const std::string whole = R"({"a": ["x\"y", 12, {"b": null}], "c": "d"})";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Padded text(whole.substr(0, length));
    JsonScanner scanner(text.view);
    EXPECT_FALSE(scanner.skip()) << text.view;
  }
}

TEST(JsonScanner, DepthCostsNothing) {
  constexpr std::size_t kDeep = 1'000'000;
  const Padded text(std::string(kDeep, '[') + "1" + std::string(kDeep, ']'));
  JsonScanner scanner(text.view);
  EXPECT_TRUE(scanner.skip());
  EXPECT_TRUE(scanner.at_end());
}

TEST(JsonScanner, EscapesAreUndone) {
  EXPECT_EQ(unescaped(R"(a\"b\\c\/\n\t)"), "a\"b\\c/\n\t");
  EXPECT_EQ(unescaped(R"(\u00e9\ud83d\ude42)"), "\xc3\xa9\xf0\x9f\x99\x82");
  EXPECT_EQ(unescaped(R"(\ud83d\u0041)"),
            "\xef\xbf\xbd"
            "A")
      << "half a surrogate";
  EXPECT_EQ(unescaped(R"(\q\u12)"), R"(\q\u12)") << "broken escapes stay";
  EXPECT_EQ(unescaped("\\"), "\\");
}

TEST(FileKind, TheFirstKeyTells) {
  const auto kind = [](const char* text) { return kind_of(Padded(text).view); };
  EXPECT_EQ(kind(R"({"schemaVersion": 1, "traceEvents": []})"), FileKind::trace);
  EXPECT_EQ(kind(R"([{"name": "a", "ph": "X"}])"), FileKind::trace);
  EXPECT_EQ(kind(R"({"x": {"traceEvents": 1}, "segments": [)"), FileKind::snapshot);
  EXPECT_EQ(kind(R"([{"address": 1, "total_size": 2}])"), FileKind::snapshot);
  EXPECT_EQ(kind("\x80\x02}."), FileKind::snapshot);
  EXPECT_EQ(kind("(dp0\nVsegments\n"), FileKind::snapshot) << "to be named in its refusal";
  EXPECT_EQ(kind("}q"), FileKind::snapshot);
  EXPECT_EQ(kind("(a text)"), FileKind::other);
  EXPECT_EQ(kind(R"({"spec": {}, "memory": {}})"), FileKind::other);
  EXPECT_EQ(kind(R"([1, 2])"), FileKind::other);
  EXPECT_EQ(kind(""), FileKind::other);
}

}  // namespace
}  // namespace ts::io
