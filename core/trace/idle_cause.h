#pragma once

#include <array>
#include <cstdint>

namespace ts::trace {

// Why a GPU ran no kernel, copy or fill for a while, judged by the work that followed.
enum class IdleCause : std::uint8_t {
  launch,           // the host made the next launch late because it was busy with other work
  synchronisation,  // the host made the next launch late as it waited until the device was done
  copy,             // the host made the next launch late as a call of a copy kept it
  device,           // the next launch was already made: its dependencies, or its start-up
  unknown,          // the launch of the next work was not recorded
};
inline constexpr int kIdleCauseCount = 5;

// "idle: launch-bound", ...; the name of a slice on a track of kind gpu_idle.
constexpr const char* to_string(IdleCause cause) {
  constexpr std::array kNames = {"idle: launch-bound", "idle: synchronisation", "idle: copy",
                                 "idle: device", "idle: unknown"};
  return kNames[static_cast<std::size_t>(cause)];
}

}  // namespace ts::trace
