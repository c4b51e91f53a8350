#pragma once

#include <optional>
#include <string>

#include "core/run/engine.h"

namespace ts::kernels {

// NVML, the management library that comes with the driver, loaded at run time and kept: clocks,
// temperature, power, what holds the clocks down, and the memory that all processes hold. Nothing
// is set. One thread.
class Nvml {
 public:
  explicit Nvml(const char* library = "libnvidia-ml.so.1");
  // Empty when it can be asked; else why not, in one sentence.
  [[nodiscard]] const std::string& unavailable() const noexcept { return unavailable_; }

  // The GPU at a PCI address ("0000:3B:00.0"): its number among all of the machine is another one
  // than CUDA's. What a card does not tell is 0. Unset when there is no such GPU or it does not
  // answer.
  [[nodiscard]] std::optional<run::GpuState> state(const std::string& pci_address) const;

 private:
  // NVML's C interface, the part that is needed. 0 is success, handles are pointers.
  struct Memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
  };
  struct Functions {
    int (*init)() = nullptr;
    const char* (*error_string)(int) = nullptr;
    int (*handle)(const char* pci_address, void** device) = nullptr;
    int (*memory)(void* device, Memory* memory) = nullptr;
    int (*clock)(void* device, int type, unsigned* megahertz) = nullptr;
    int (*temperature)(void* device, int sensor, unsigned* celsius) = nullptr;
    int (*power)(void* device, unsigned* milliwatts) = nullptr;
    int (*throttle)(void* device, unsigned long long* reasons) = nullptr;
  };
  void load(const char* library);

  Functions functions_;
  std::string unavailable_;
};

}  // namespace ts::kernels
