#pragma once

#include <cstddef>
#include <string>

#include "core/blocks/block_source.h"

namespace ts::app {

// The timeline of one device of a snapshot as a page of HTML that needs neither network nor this
// program: zoom, categories, and for each block its size, times and stack. The `most` largest
// blocks are drawn one by one; the others are one grey band. `title` names the file. Categories as
// in the log; `guessed` says so on the page.
std::string memory_page(const blocks::BlockSource& source, const std::string& title, bool guessed,
                        std::size_t most = 20'000);

}  // namespace ts::app
