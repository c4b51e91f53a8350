#include "core/io/text_table.h"

namespace ts::io {
namespace {

void append_csv(std::string& out, const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += ',';
    if (cells[i].find_first_of(",\"\r\n") == std::string::npos) {
      out += cells[i];
      continue;
    }
    out += '"';
    for (const char c : cells[i]) {
      if (c == '"') out += '"';
      out += c;
    }
    out += '"';
  }
  out += '\n';
}

void append_tsv(std::string& out, const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += '\t';
    for (const char c : cells[i]) out += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
  }
  out += '\n';
}

void append_markdown(std::string& out, const std::vector<std::string>& cells) {
  out += '|';
  for (const std::string& cell : cells) {
    out += ' ';
    for (const char c : cell) {
      if (c == '|') out += '\\';
      out += c == '\n' ? ' ' : c;
    }
    out += " |";
  }
  out += '\n';
}

void append_latex(std::string& out, const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += " & ";
    out += latex_escaped(cells[i]);
  }
  out += " \\\\\n";
}

}  // namespace

std::string to_tsv(const TextTable& table) {
  std::string out;
  append_tsv(out, table.columns);
  for (const auto& row : table.rows) append_tsv(out, row);
  return out;
}

std::string to_csv(const TextTable& table) {
  std::string out;
  append_csv(out, table.columns);
  for (const auto& row : table.rows) append_csv(out, row);
  return out;
}

std::string to_markdown(const TextTable& table) {
  std::string out;
  append_markdown(out, table.columns);
  out += '|';
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out += table.is_right(i) ? " ---: |" : " --- |";
  out += '\n';
  for (const auto& row : table.rows) append_markdown(out, row);
  return out;
}

std::string latex_escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // Characters that numbers contain; LaTeX handles all others outside ASCII.
    if (text.substr(i, 3) == "\xe2\x88\x92") {
      out += "$-$";
      i += 2;
    } else if (text.substr(i, 3) == "\xe2\x80\x93") {
      out += "--";
      i += 2;
    } else if (text.substr(i, 2) == "\xc3\x97") {
      out += "$\\times$";
      i += 1;
    } else if (c == '\\') {
      out += "\\textbackslash{}";
    } else if (c == '~') {
      out += "\\textasciitilde{}";
    } else if (c == '^') {
      out += "\\textasciicircum{}";
    } else if (c == '<' || c == '>') {
      out += '$';
      out += c;
      out += '$';
    } else {
      if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) out += '\\';
      out += c == '\n' ? ' ' : c;
    }
  }
  return out;
}

std::string latex_tabular(const TextTable& table) {
  std::string out = "  \\begin{tabular}{";
  for (std::size_t i = 0; i < table.columns.size(); ++i) out += table.is_right(i) ? 'r' : 'l';
  out += "}\n    \\toprule\n    ";
  append_latex(out, table.columns);
  out += "    \\midrule\n";
  for (const auto& row : table.rows) {
    out += "    ";
    append_latex(out, row);
  }
  return out + "    \\bottomrule\n  \\end{tabular}\n";
}

std::string to_latex(const TextTable& table, std::string_view caption, std::string_view label) {
  return "\\begin{table}\n  \\centering\n  \\caption{" + latex_escaped(caption) + "}\n  \\label{" +
         std::string(label) + "}\n" + latex_tabular(table) + "\\end{table}\n";
}

std::string table_document(const TextTable& table, std::string_view format,
                           const std::string& title, std::string_view label,
                           const std::string& below) {
  if (format == "csv") return to_csv(table);
  if (format == "tex") return to_latex(table, title, label);
  return title + "\n\n" + to_markdown(table) + below;
}

}  // namespace ts::io
