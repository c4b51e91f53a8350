#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/io/text_table.h"
#include "views/common/ui.h"

namespace ts::views {

// How a table is drawn. What is not set is left out.
struct TableStyle {
  const char* id;
  float height = 0;  // 0: what the rows need
  std::function<std::optional<Color>(std::size_t row)> row_color = {};
  std::function<void(std::size_t row)> pressed = {};
  // A tooltip.
  std::function<std::string(std::size_t row, std::size_t column)> about = {};
};

// A table of text cells over the width of the window; `weights`: of its columns. Words that were
// cut are in the tooltip, unless the look has one.
void draw_text_table(const Ui& ui, const io::TextTable& table, std::span<const float> weights,
                     const TableStyle& look);

}  // namespace ts::views
