#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ts::base {

// The current phase of a step. Set by the engine, stored in every record.
enum class Phase : std::uint8_t { setup, forward, loss, backward, optimizer, idle };

inline constexpr int kPhaseCount = 6;

// Names for files and tables; the window has its own words.
inline constexpr std::array<std::string_view, kPhaseCount> kPhaseNames = {
    "setup", "forward", "loss", "backward", "optimizer", "idle"};
constexpr std::string_view phase_name(Phase phase) {
  return kPhaseNames[static_cast<std::size_t>(phase)];
}

}  // namespace ts::base
