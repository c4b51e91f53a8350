#pragma once

#include <cstdint>
#include <functional>

#include "views/common/ui.h"

namespace ts::app {

// large: for tables, most of the window. full: for pictures, nearly all of it.
enum class SheetSize : std::uint8_t { large, small, full };

// A window over the page with a title and a button that closes it. `title` is the key of a text,
// `id` begins with ###. Nothing while `open` is false.
void draw_sheet(const views::Ui& ui, const char* title, const char* id, bool& open,
                const std::function<void()>& draw, SheetSize size = SheetSize::large);

}  // namespace ts::app
