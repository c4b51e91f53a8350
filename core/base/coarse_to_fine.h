#pragma once

#include <cstddef>
#include <vector>

namespace ts::base {

// 0 .. n - 1 from coarse to fine: first, middle, last, then the middles of the gaps between them.
std::vector<std::size_t> coarse_to_fine(std::size_t n);

// Positions of a grid (first axis fastest) from coarse to fine in both axes.
std::vector<std::size_t> coarse_to_fine(std::size_t first, std::size_t second);

}  // namespace ts::base
