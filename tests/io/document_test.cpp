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

TEST(Document, latex_keeps_the_order_the_width_and_the_quotes) {
  using Kind = Block::Kind;
  TextTable table{.columns = {"n"}, .rows = {}, .right = {true}};
  for (int i = 0; i < 100; ++i) table.rows.push_back({std::to_string(i)});
  const std::string latex = to_latex({{Kind::code, "run --set corpus='a_b.txt'\nsecond"},
                                      {Kind::table, "", table},
                                      {Kind::text, "end"}},
                                     text::Language::en);
  EXPECT_NE(latex.find("corpus=\\textquotesingle{}a\\_b.txt\\textquotesingle{}\\newline\nsecond"),
            std::string::npos)
      << latex;
  // A float would move behind the text; a tabular of 100 rows would leave the page.
  EXPECT_EQ(latex.find("\\begin{table}"), std::string::npos);
  int tabulars = 0;
  for (std::size_t at = latex.find("\\fits{%"); at != std::string::npos;
       at = latex.find("\\fits{%", at + 1))
    ++tabulars;
  EXPECT_EQ(tabulars, 3);
  EXPECT_LT(latex.find("\n    99 \\\\"), latex.find("\nend\n"));
}

TEST(Document, html_breaks_sentences_and_no_short_cells) {
  const TextTable table{.columns = {"a", "b", "c"},
                        .rows = {{"aten::bmm", std::string(61, 'x'), "3"}},
                        .right = {false, false, true}};
  const std::string html = to_html({{Block::Kind::table, "", table}}, text::Language::en);
  EXPECT_NE(html.find("<td class=\"l\">aten::bmm</td><td>x"), std::string::npos) << html;
  EXPECT_NE(html.find("<td class=\"n\">3</td>"), std::string::npos) << html;
}

}  // namespace
}  // namespace ts::io
