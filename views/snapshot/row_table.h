#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "views/common/ui.h"

namespace ts::views {

// A table of numbers with words in its last column, which fills the rest of the width. A click on a
// heading sorts, Ctrl+C copies all rows in their order on screen. Only rows in view are made.
class RowTable {
 public:
  struct Content {
    const char* id = "###rows";
    std::span<const char* const> headings;  // keys of texts
    std::size_t rows = 0;
    std::uint64_t version = 0;  // a different number: different rows
    // To sort by, of each column but the last.
    std::function<double(std::size_t row, std::size_t column)> value;
    std::function<std::vector<std::string>(std::size_t row)> cells;
    // Words beside the mouse. None: those of the last column.
    std::function<std::string(std::size_t row)> hover = {};
    std::optional<std::size_t> chosen = {};  // a row that is highlighted
    // The bar of a row, drawn behind its first column: -1 to 1, less and more. None: no bars.
    std::function<double(std::size_t row)> bar = {};
  };
  struct Answer {
    std::optional<std::size_t> clicked;
    std::optional<std::size_t> menu;  // the row of a right click
  };
  // In the rest of the current window.
  Answer draw(const Ui& ui, const Content& content);

 private:
  void sort(const Content& content);

  std::uint64_t version_ = 0;
  std::vector<std::size_t> order_;        // rows as they are shown
  std::optional<std::size_t> sorted_by_;  // unset: the order of the content
  bool descending_ = false;
};

}  // namespace ts::views
