#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ts::io {

// A table of words and numbers for files that people open elsewhere. All rows have as many cells as
// there are columns.
struct TextTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> right;  // columns of numbers; shorter than columns: the rest is left
};

// RFC 4180: quoted where needed, CRLF is not used.
std::string to_csv(const TextTable& table);
// What a spreadsheet takes from the clipboard; tabs and line ends in cells become spaces.
std::string to_tsv(const TextTable& table);
// A pipe table; pipes in cells are escaped.
std::string to_markdown(const TextTable& table);
// A tabular of the booktabs package in a table environment; everything LaTeX would read is escaped.
std::string to_latex(const TextTable& table, std::string_view caption, std::string_view label);
std::string latex_escaped(std::string_view text);

}  // namespace ts::io
