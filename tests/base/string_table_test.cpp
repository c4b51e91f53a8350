#include "core/base/string_table.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace ts::base {
namespace {

TEST(StringTable, EmptyStringIsZero) {
  StringTable table;
  EXPECT_EQ(table.intern(""), kNoString);
  EXPECT_EQ(table.view(kNoString), "");
}

TEST(StringTable, SameTextSameId) {
  StringTable table;
  const StringId id = table.intern("aten::mm");
  EXPECT_EQ(table.intern(std::string("aten::") + "mm"), id);
  EXPECT_NE(table.intern("aten::bmm"), id);
  EXPECT_EQ(table.view(id), "aten::mm");
}

TEST(StringTable, UnknownIdIsEmpty) {
  StringTable table;
  EXPECT_EQ(table.view(12345), "");
}

TEST(StringTable, ViewsStayValidAcrossChunks) {
  StringTable table;
  constexpr std::uint32_t kNames = 20000;
  std::vector<std::string_view> views;
  for (std::uint32_t i = 0; i < kNames; ++i) {
    const StringId id = table.intern("name " + std::to_string(i));
    EXPECT_EQ(id, i + 1) << "the empty string is the first";
    views.push_back(table.view(id));
  }
  for (std::uint32_t i = 0; i < kNames; ++i) {
    EXPECT_EQ(views[i], "name " + std::to_string(i));
    EXPECT_EQ(views[i].data(), table.view(i + 1).data());
  }
}

TEST(StringTable, ReadersWhileThreadsIntern) {
  StringTable table;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&table, t] {
      for (int i = 0; i < 5000; ++i) {
        const std::string text = std::to_string((i * 7 + t) % 3000);
        EXPECT_EQ(table.view(table.intern(text)), text);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(table.size(), 3001U);
}

}  // namespace
}  // namespace ts::base
