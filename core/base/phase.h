#pragma once

#include <cstdint>

namespace ts::base {

// What a step is doing. Set by the engine, carried by every record.
enum class Phase : std::uint8_t { setup, forward, loss, backward, optimizer, idle };

inline constexpr int kPhaseCount = 6;

}  // namespace ts::base
