#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/blocks/block_source.h"
#include "core/files/notes.h"

namespace ts::app {

struct PageStyle {
  bool guessed = false;   // the categories of the log are, which the page says
  bool by_stack = false;  // a colour is a stack, else a category
};

// The timeline of one device of a snapshot as a page of HTML that needs neither network nor this
// program: zoom in time and in bytes, categories, for each block its size, times and stack, and the
// notes as marks. The `most` largest blocks are drawn one by one; the others are one grey band.
// `title` names the file.
std::string memory_page(const blocks::BlockSource& source, const std::string& title, PageStyle look,
                        std::span<const files::Note> notes = {}, std::size_t most = 20'000);

}  // namespace ts::app
