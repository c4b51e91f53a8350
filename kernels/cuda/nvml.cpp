#include "kernels/cuda/nvml.h"

#include <dlfcn.h>

namespace ts::kernels {
namespace {

// Values of nvmlClockType_t and nvmlTemperatureSensors_t.
constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;
constexpr int kSensorOfChip = 0;

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Nvml::Nvml(const char* library) {
  load(library);
}

void Nvml::load(const char* name) {
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    unavailable_ = std::string("The driver's management library was not found (") + name + ")";
    return;
  }
  Functions f;
  const bool all = find(library, "nvmlInit_v2", f.init) &&
                   find(library, "nvmlErrorString", f.error_string) &&
                   find(library, "nvmlDeviceGetHandleByPciBusId_v2", f.handle) &&
                   find(library, "nvmlDeviceGetMemoryInfo", f.memory) &&
                   find(library, "nvmlDeviceGetClockInfo", f.clock) &&
                   find(library, "nvmlDeviceGetTemperature", f.temperature) &&
                   find(library, "nvmlDeviceGetPowerUsage", f.power) &&
                   find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", f.throttle);
  if (!all) {
    unavailable_ = std::string(name) + " lacks functions: the driver is too old";
    return;
  }
  if (const int result = f.init(); result != 0) {
    unavailable_ =
        std::string("The driver's management library does not start: ") + f.error_string(result);
    return;
  }
  functions_ = f;
}

std::optional<run::GpuState> Nvml::state(const std::string& pci_address) const {
  void* device = nullptr;
  if (!unavailable_.empty() || functions_.handle(pci_address.c_str(), &device) != 0)
    return std::nullopt;
  Memory memory{};
  if (functions_.memory(device, &memory) != 0) return std::nullopt;
  run::GpuState state;
  state.used_bytes = static_cast<std::int64_t>(memory.used);
  state.total_bytes = static_cast<std::int64_t>(memory.total);
  unsigned number = 0;
  if (functions_.clock(device, kSmClock, &number) == 0)
    state.sm_clock_mhz = static_cast<std::int32_t>(number);
  if (functions_.clock(device, kMemoryClock, &number) == 0)
    state.memory_clock_mhz = static_cast<std::int32_t>(number);
  if (functions_.temperature(device, kSensorOfChip, &number) == 0)
    state.temperature_c = static_cast<std::int32_t>(number);
  if (functions_.power(device, &number) == 0) state.power_w = static_cast<double>(number) * 1e-3;
  unsigned long long reasons = 0;
  if (functions_.throttle(device, &reasons) == 0) state.throttle = reasons;
  return state;
}

}  // namespace ts::kernels
