#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/io/text_table.h"
#include "core/predict/hunt_map.h"

namespace ts::predict {

// Axes, cells, frontier and the log of probes; bytes. Inferred cells have bounds instead of
// `needed`; unknown and impossible ones are left out.
nlohmann::json to_json(const HuntMap& map);

// GiB needed, one row per value of y and one column per value of x, each followed by a mark if it
// is tight (*) or out of memory (x). A bound if the cell was inferred ("<1.2", ">24"); a dash if
// nothing is known.
io::TextTable hunt_grid(const HuntMap& map);
// The text of a cell, without the mark. `unit`: the letter of text::bytes_in. One decimal below
// 100, more if the number would show as zero; `whole`: none from 10 on.
std::string grid_text(const HuntCell& cell, char unit = 'G', bool whole = false);
// The unit for all cells of a map: that of the card's memory if some cells need more than it, else
// that of the largest need; GiB at most.
char grid_unit(const HuntMap& map, std::int64_t memory);

// All known values of every cell, one row each; bytes in plain digits.
io::TextTable hunt_cells(const HuntMap& map);

// The grid under a caption, then the probes in order with their reasons.
std::string hunt_markdown(const HuntMap& map, const std::string& caption);

}  // namespace ts::predict
