#include "core/io/text_table.h"

#include <gtest/gtest.h>

namespace ts::io {
namespace {

TextTable sample() {
  return {
      {"T", "a, b", "say \"x\""}, {{"256", "1|2", "50 %"}, {"512", "OOM", "d_head\nnext"}}, {true}};
}

TEST(TextTable, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(to_csv(sample()),
            "T,\"a, b\",\"say \"\"x\"\"\"\n256,1|2,50 %\n512,OOM,\"d_head\nnext\"\n");
}

TEST(TextTable, MarkdownEscapesPipes) {
  EXPECT_EQ(to_markdown(sample()),
            "| T | a, b | say \"x\" |\n| ---: | --- | --- |\n| 256 | 1\\|2 | 50 % |\n"
            "| 512 | OOM | d_head next |\n");
}

TEST(TextTable, LatexEscapesEverythingSpecial) {
  EXPECT_EQ(latex_escaped("100% & $5 #1 d_head {x} ~^\\ a<b"),
            "100\\% \\& \\$5 \\#1 d\\_head \\{x\\} \\textasciitilde{}\\textasciicircum{}"
            "\\textbackslash{} a$<$b");
  EXPECT_EQ(latex_escaped("\xe2\x88\x92"
                          "0.4 \xe2\x80\x93 4\xc3\x97"),
            "$-$0.4 -- 4$\\times$");
  const std::string table = to_latex(sample(), "B = 4", "tab:x");
  EXPECT_NE(table.find("\\begin{tabular}{rll}"), std::string::npos) << table;
  EXPECT_NE(table.find("256 & 1|2 & 50 \\% \\\\"), std::string::npos) << table;
}

}  // namespace
}  // namespace ts::io
