#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "views/common/view_state.h"

namespace ts::views {

// The detail slider: the number of largest blocks that are drawn individually, from 0 to all, on a
// logarithmic scale.
std::uint32_t detail_at(float part);  // part: position on the track, 0..1
float detail_part(std::uint32_t detail);
// `blocks`: of the log that is shown.
std::string detail_text(const ViewContext& context, std::size_t blocks);

}  // namespace ts::views
