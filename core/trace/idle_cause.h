#pragma once

#include <cstdint>

namespace ts::trace {

// Why a GPU ran no kernel for a while, by what came next.
enum class IdleCause : std::uint8_t {
  launch,           // the host came too late with the next launch and was busy with other things
  synchronisation,  // the host came too late because it had waited until the device was done
  copy,             // a copy or fill went on meanwhile, or kept the host
  device,           // the next launch had been made: what it depends on, or the start itself
  unknown,          // the next kernel's launch was not recorded
};
inline constexpr int kIdleCauseCount = 5;

// "idle: launch-bound", ...; the name of a slice on a track of kind gpu_idle.
constexpr const char* to_string(IdleCause cause) {
  switch (cause) {
    case IdleCause::launch:
      return "idle: launch-bound";
    case IdleCause::synchronisation:
      return "idle: synchronisation";
    case IdleCause::copy:
      return "idle: copy";
    case IdleCause::device:
      return "idle: device";
    case IdleCause::unknown:
      break;
  }
  return "idle: unknown";
}

}  // namespace ts::trace
