#include "core/io/document.h"

#include <algorithm>

#include "core/text/joined.h"
#include "core/text/printable.h"

namespace ts::io {
namespace {

// A short cell stays on one line, a sentence is broken: else a wide table has high rows.
const char* html_cell(const TextTable& table, std::size_t column, const std::string& text) {
  constexpr std::size_t kLongestLine = 60;
  if (table.is_right(column)) return "<td class=\"n\">";
  return text.size() <= kLongestLine ? "<td class=\"l\">" : "<td>";
}

std::string html_table(const TextTable& table) {
  std::string out = "<div class=\"t\"><table>\n<tr>";
  for (const std::string& one : table.columns)
    out.append("<th>" + text::xml_escaped(one) + "</th>");
  out += "</tr>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      out.append(html_cell(table, i, row[i])).append(text::xml_escaped(row[i])).append("</td>");
    }
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string html_of(const Block& block) {
  const std::string text = text::xml_escaped(block.text);
  switch (block.kind) {
    case Block::Kind::title:
      return "<h1>" + text + "</h1>\n";
    case Block::Kind::heading:
      return "<h2>" + text + "</h2>\n";
    case Block::Kind::item:
      return "<p class=\"item\">" + text + "</p>\n";
    case Block::Kind::table:
      return html_table(block.table);
    case Block::Kind::picture:
      return "<figure><img src=\"" + text + "\" alt=\"" + text + "\"><figcaption>" + text +
             "</figcaption></figure>\n";
    case Block::Kind::code:
      return "<pre>" + text + "</pre>\n";
    case Block::Kind::text:
      break;
  }
  return "<p>" + text + "</p>\n";
}

// Stays between what is before and after it, on as many pages as it needs, and no wider than a
// page.
std::string latex_table(const TextTable& table) {
  constexpr std::size_t kRowsOfAPage = 45;
  if (table.rows.size() <= kRowsOfAPage)
    return "\\begin{center}\\fits{%\n" + latex_tabular(table) + "}\\end{center}\n";
  TextTable part{.columns = table.columns, .right = table.right};
  std::string out;
  for (std::size_t i = 0; i < table.rows.size(); i += kRowsOfAPage) {
    const auto first = table.rows.begin() + static_cast<std::ptrdiff_t>(i);
    const auto rows = std::min(kRowsOfAPage, table.rows.size() - i);
    part.rows.assign(first, first + static_cast<std::ptrdiff_t>(rows));
    out += latex_table(part);
  }
  return out;
}

// A line is broken where it has spaces. TeX would set other quotes than a shell reads.
std::string latex_code(const std::string& code) {
  std::string out = "{\\noindent\\small\\ttfamily\\raggedright\n";
  for (const char c : code) {
    if (c == '\'') {
      out += "\\textquotesingle{}";
    } else if (c == '\n') {
      out += "\\newline\n";
    } else {
      out += latex_escaped({&c, 1});
    }
  }
  return out + "\\par}\n\n";
}

std::string latex_of(const Block& block) {
  const std::string text = latex_escaped(block.text);
  switch (block.kind) {
    case Block::Kind::title:
      return "\\title{" + text + "}\\date{}\\maketitle\n";
    case Block::Kind::heading:
      return "\\section*{" + text + "}\n";
    case Block::Kind::item:
      return "\\noindent\\textbullet\\ " + text + "\\par\n";
    case Block::Kind::table:
      return latex_table(block.table);
    case Block::Kind::picture:
      // LaTeX does not read SVG: each picture also has a PNG.
      if (block.text.ends_with(".svg")) return {};
      return "\\begin{center}\\includegraphics[width=\\linewidth]{" + block.text +
             "}\\end{center}\n";
    case Block::Kind::code:
      return latex_code(block.text);
    case Block::Kind::text:
      break;
  }
  return text + "\n\n";
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

bool is_separator(const std::vector<std::string>& cells) {
  return std::ranges::all_of(cells, [](const std::string& cell) {
    return !cell.empty() && cell.find_first_not_of("-: ") == std::string::npos;
  });
}

// The cells of "| a | b\\| |".
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const bool escaped = line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|';
    if (line[i] != '|') {
      if (escaped) ++i;
      cell += line[i];
      continue;
    }
    const std::size_t first = cell.find_first_not_of(' ');
    const std::size_t last = cell.find_last_not_of(' ');
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    cell.clear();
  }
  return cells;
}

}  // namespace

std::string to_markdown(const std::vector<Block>& blocks) {
  std::string out;
  for (const Block& block : blocks) {
    switch (block.kind) {
      case Block::Kind::title:
        out.append("# ").append(one_line(block.text)).append("\n\n");
        break;
      case Block::Kind::heading:
        out.append("## ").append(one_line(block.text)).append("\n\n");
        break;
      case Block::Kind::item:
        out.append("- ").append(one_line(block.text)).append("\n\n");
        break;
      case Block::Kind::table:
        out.append(to_markdown(block.table)).append("\n");
        break;
      case Block::Kind::picture:
        out.append("![").append(block.text).append("](").append(block.text).append(")\n\n");
        break;
      case Block::Kind::code:
        out.append("```\n").append(block.text).append("\n```\n\n");
        break;
      case Block::Kind::text:
        out.append(block.text).append("\n\n");
        break;
    }
  }
  return out;
}

std::string to_html(const std::vector<Block>& blocks, text::Language language) {
  const auto title = std::ranges::find(blocks, Block::Kind::title, &Block::kind);
  std::string out = std::string("<!DOCTYPE html>\n<html lang=\"") + text::language_code(language) +
                    "\"><head><meta charset=\"utf-8\"><title>" +
                    (title == blocks.end() ? "" : text::xml_escaped(title->text)) +
                    "</title><style>\n"
                    "body{font:15px/1.5 sans-serif;max-width:80em;margin:2em auto;padding:0 1em;"
                    "color:#07090c;background:#fff}\n"
                    "table{border-collapse:collapse;margin:1em 0;font-size:13px}\n"
                    "th,td{border:1px solid #a9b1bd;padding:.3em .6em;text-align:left;"
                    "vertical-align:top}\n"
                    "td{min-width:16em}td.n,td.l{min-width:0;white-space:nowrap}"
                    "td.n{text-align:right}\n"
                    "div.t{overflow-x:auto}\n"
                    "img{max-width:100%}\nfigure{margin:1em 0}\nfigcaption{color:#4a525e}\n"
                    "pre{background:#eef0f4;padding:.6em;white-space:pre-wrap}\n"
                    "p.item{margin:.3em 0 .3em 1.2em}\n</style></head><body>\n";
  for (const Block& block : blocks) out.append(html_of(block));
  return out + "</body></html>\n";
}

std::string to_latex(const std::vector<Block>& blocks, text::Language language) {
  std::string out = std::string("\\documentclass{") +
                    (language == text::Language::en ? "article" : "ctexart") +
                    "}\n\\usepackage{iftex}\n\\ifpdftex\\usepackage[utf8]{inputenc}"
                    "\\DeclareUnicodeCharacter{2264}{$\\le$}"
                    "\\DeclareUnicodeCharacter{2265}{$\\ge$}\\fi\n"
                    "\\usepackage{booktabs,graphicx,textcomp}\n"
                    "\\newcommand{\\fits}[1]{\\resizebox{\\ifdim\\width>\\linewidth\\linewidth"
                    "\\else\\width\\fi}{!}{#1}}\n"
                    "\\usepackage[margin=2cm]{geometry}\n\\begin{document}\n";
  for (const Block& block : blocks) out.append(latex_of(block));
  return out + "\\end{document}\n";
}

std::vector<Block> each_figure_once(std::vector<Block> blocks) {
  const auto is_there = [&blocks](const std::string& file) {
    return std::ranges::any_of(blocks, [&](const Block& one) {
      return one.kind == Block::Kind::picture && one.text == file;
    });
  };
  std::vector<Block> kept;
  for (const Block& block : blocks) {
    const bool png = block.kind == Block::Kind::picture && block.text.ends_with(".png");
    if (png && is_there(block.text.substr(0, block.text.size() - 4) + ".svg")) continue;
    kept.push_back(block);
  }
  return kept;
}

std::vector<TextTable> read_markdown_tables(std::string_view markdown) {
  std::vector<TextTable> tables;
  bool inside = false;
  for (const std::string_view line : text::pieces(markdown, '\n')) {
    if (!line.starts_with("| ")) {
      inside = false;
      continue;
    }
    std::vector<std::string> cells = cells_of(line);
    if (!inside) {
      tables.push_back({.columns = std::move(cells)});
      inside = true;
    } else if (is_separator(cells) && tables.back().rows.empty()) {
      for (const std::string& cell : cells) tables.back().right.push_back(cell.ends_with(':'));
    } else {
      cells.resize(tables.back().columns.size());
      tables.back().rows.push_back(std::move(cells));
    }
  }
  return tables;
}

}  // namespace ts::io
