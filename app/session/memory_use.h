#pragma once

#include <cstdint>

namespace ts::app {

// Bytes of RAM this process holds (resident set), from the system.
std::int64_t resident_bytes();

}  // namespace ts::app
