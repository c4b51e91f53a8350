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

// A column of a table whose rows are all made from one type: its title, its cells and its alignment
// stand together.
template <class Row>
struct TextColumn {
  const char* title;
  std::string (*cell)(const Row& row);
  bool right = false;
};

template <class Columns>
void add_columns(TextTable& table, const Columns& columns) {
  table.right.resize(table.columns.size());
  for (const auto& column : columns) {
    table.columns.emplace_back(column.title);
    table.right.push_back(column.right);
  }
}

// Appends the cells of one row.
template <class Columns, class Row>
void add_cells(std::vector<std::string>& cells, const Columns& columns, const Row& row) {
  for (const auto& column : columns) cells.push_back(column.cell(row));
}

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
