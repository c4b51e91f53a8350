#pragma once

#include <string_view>
#include <vector>

#include "core/blocks/block_source.h"

namespace ts::blocks {

// The blocks that a search text is about, by index. Several words must all apply; each is one of
//   0x7f3a00    an address inside the block (or the beginning of its own, of at least 4 digits)
//   >=12MiB     a size: = < <= > >= and a number with B, KB, MB, GB, KiB, MiB or GiB; without a
//               sign the size as it is shown, so that 12MiB finds 12.0 MiB
//   other text  a part of operator, module, category, or function or file of any frame of its
//   stack;
//               capitals make no difference
// An empty text finds nothing. O(blocks + frames), each stack is read once.
std::vector<memory::BlockIndex> find_blocks(const BlockSource& source, std::string_view text);

}  // namespace ts::blocks
