#pragma once

#include <optional>
#include <string>

#include "core/run/engine.h"

namespace ts::kernels {

// NVML, the management library of the driver, loaded at run time and kept: clocks, temperature,
// power, the reasons for reduced clocks, and the memory that all processes hold. Changes no
// settings. One thread.
class Nvml {
 public:
  explicit Nvml(const char* library = "libnvidia-ml.so.1");
  // Empty if it can be queried; else the reason, in one sentence.
  [[nodiscard]] const std::string& unavailable() const noexcept { return unavailable_; }

  // The GPU at a PCI address ("0000:3B:00.0"): its number among all GPUs of the machine differs
  // from CUDA's. Values that a card does not report are 0. Unset if there is no such GPU or it does
  // not respond.
  [[nodiscard]] std::optional<run::GpuState> state(const std::string& pci_address) const;

 private:
  // The part of NVML's C interface that is needed. 0 is success, handles are pointers.
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
