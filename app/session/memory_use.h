#pragma once

#include <cstdint>

namespace ts::app {

// The RAM of this process in bytes (resident set), from the system.
std::int64_t resident_bytes();

}  // namespace ts::app
