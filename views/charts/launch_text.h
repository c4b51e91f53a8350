#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/stats/occupancy.h"
#include "core/text/text.h"

namespace ts::views {

// "12", "12 x 3 x 1": trailing sizes of 1 are left out.
std::string extent_text(const std::array<std::int32_t, 3>& of);

// "62 %, registers"
std::string occupancy_text(const text::Texts& texts, const stats::Occupancy& occupancy);

}  // namespace ts::views
