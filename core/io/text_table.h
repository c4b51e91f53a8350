#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ts::io {

// A table of words and numbers for files that are opened in other programs. All rows have as many
// cells as there are columns.
struct TextTable {
  std::vector<std::string> columns = {};
  std::vector<std::vector<std::string>> rows = {};
  std::vector<bool> right = {};  // right-aligned number columns; missing entries: left-aligned
  [[nodiscard]] bool is_right(std::size_t column) const {
    return column < right.size() && right[column];
  }
};

// RFC 4180: quoted where needed, CRLF is not used.
std::string to_csv(const TextTable& table);
// Clipboard format for spreadsheets; tabs and line ends in cells become spaces.
std::string to_tsv(const TextTable& table);
// A pipe table; pipes in cells are escaped.
std::string to_markdown(const TextTable& table);
// A tabular of the booktabs package; LaTeX special characters are escaped.
std::string latex_tabular(const TextTable& table);
// The same in a table environment.
std::string to_latex(const TextTable& table, std::string_view caption, std::string_view label);
std::string latex_escaped(std::string_view text);
// A whole file of a format: csv, tex with the title as its caption, or else Markdown with the title
// above the table and `below` under it.
std::string table_document(const TextTable& table, std::string_view format,
                           const std::string& title, std::string_view label,
                           const std::string& below);

}  // namespace ts::io
