// Reports in three formats, and the tables of a Markdown text.
#include "core/io/document.h"

#include <gtest/gtest.h>

#include <random>

namespace ts::io {
namespace {

TEST(MarkdownTables, are_read_as_they_were_written) {
  std::mt19937 random(3);
  const auto word = [&random] {
    constexpr std::string_view kLetters = "ab|\\- :<>&12";
    std::string text = "x";
    for (int i = 0; i < static_cast<int>(random() % 6); ++i)
      text += kLetters[random() % kLetters.size()];
    return text + "y";
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<TextTable> tables(1 + random() % 3);
    std::string text = "A title | with a bar\n\n";
    for (TextTable& table : tables) {
      const std::size_t columns = 1 + random() % 4;
      for (std::size_t i = 0; i < columns; ++i) {
        table.columns.push_back(word());
        table.right.push_back(random() % 2 == 0);
      }
      for (std::size_t row = 0; row < random() % 4; ++row) {
        auto& cells = table.rows.emplace_back();
        for (std::size_t i = 0; i < columns; ++i)
          cells.push_back(random() % 5 == 0 ? std::string() : word());
      }
      text += to_markdown(table) + "\nbetween\n\n";
    }
    const auto read = read_markdown_tables(text);
    ASSERT_EQ(read.size(), tables.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i].columns, tables[i].columns);
      EXPECT_EQ(read[i].rows, tables[i].rows);
      EXPECT_EQ(read[i].right, tables[i].right);
    }
  }
  EXPECT_TRUE(read_markdown_tables("").empty());
  EXPECT_EQ(read_markdown_tables("| a | b |\n| --- |\n| 1 | 2 | 3 |").at(0).rows.at(0).size(), 2U);
}

TEST(Document, a_figure_in_both_formats_stands_once) {
  using Kind = Block::Kind;
  const std::vector<Block> blocks = {{Kind::title, "T <1>"},
                                     {Kind::picture, "a/figure.svg"},
                                     {Kind::picture, "a/figure.png"},
                                     {Kind::picture, "a/other.png"}};
  const auto pages = each_figure_once(blocks);
  ASSERT_EQ(pages.size(), 3U);
  const std::string html = to_html(pages, text::Language::en);
  EXPECT_NE(html.find("a/figure.svg"), std::string::npos);
  EXPECT_EQ(html.find("a/figure.png"), std::string::npos);
  EXPECT_NE(html.find("T &lt;1&gt;"), std::string::npos);
  const std::string latex = to_latex(blocks, text::Language::en);
  EXPECT_NE(latex.find("{a/figure.png}"), std::string::npos);
  EXPECT_EQ(latex.find("figure.svg"), std::string::npos);
}

}  // namespace
}  // namespace ts::io
