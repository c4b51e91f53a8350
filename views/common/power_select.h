#pragma once

#include <cstdint>

#include "views/common/ui.h"

namespace ts::views {

// A field that opens a list of the powers of two from `least` (itself a power of two) to `most`.
// True when another value was chosen.
bool power_select(const Ui& ui, const char* id, std::int64_t& value, std::int64_t least,
                  std::int64_t most, float width);

}  // namespace ts::views
