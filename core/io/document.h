#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/io/text_table.h"
#include "core/text/text.h"

namespace ts::io {

// A part of a report: the same content for three output formats.
struct Block {
  enum class Kind : std::uint8_t { title, heading, text, item, table, picture, code };
  Kind kind = Kind::text;
  std::string text;  // of a picture: its file
  TextTable table = {};
};

std::string to_markdown(const std::vector<Block>& blocks);
// A self-contained page: no script, no network access; pictures by their relative names.
std::string to_html(const std::vector<Block>& blocks, text::Language language);
// LaTeX reads no SVG: give such a figure as PNG, too.
std::string to_latex(const std::vector<Block>& blocks, text::Language language);

// Without the PNG of figures that are there as SVG as well: each stands once on a page.
std::vector<Block> each_figure_once(std::vector<Block> blocks);

// The pipe tables of a Markdown text, as to_markdown(TextTable) writes them.
std::vector<TextTable> read_markdown_tables(std::string_view markdown);

}  // namespace ts::io
