#pragma once

#include <memory>

#include "core/base/message.h"
#include "core/capture/gpu_capture.h"
#include "kernels/cuda/api.h"
#include "kernels/cuda/nvml.h"

namespace ts::kernels {

// libtensorscope_cuda.so from the folder of this library, loaded permanently if an NVIDIA driver is
// present. In a process that has no LibTorch for CUDA yet, construct it before the first call into
// LibTorch.
class CudaLibrary {
 public:
  CudaLibrary();
  // Null if CUDA cannot be used; unavailable() gives the reason in one sentence.
  [[nodiscard]] const CudaApi* api() const noexcept { return api_; }
  [[nodiscard]] const base::Message& unavailable() const noexcept { return unavailable_; }
  // Tries what records the devices, on this one: it takes a context there. Once, needs api();
  // before it there is no capture().
  void start_capture(int device);
  // Launches a kernel of kernels/own_cuda, whose compiled form is beside this library: null, or a
  // sentence why not. Needs api(); any thread.
  const char* launch(CudaLaunch launch) const;
  // Records the devices: their kernels by CUPTI or, if not_recorded() gives a reason why not, their
  // operators by CUDA events; null if neither works.
  [[nodiscard]] capture::GpuCapture* capture() const noexcept { return capture_.get(); }
  // How launches are marked while it records.
  [[nodiscard]] const capture::LaunchMarks& marks() const noexcept { return source_.marks; }
  [[nodiscard]] const base::Message& not_recorded() const noexcept { return not_recorded_; }
  // Null if there is no GPU to query.
  [[nodiscard]] const Nvml* nvml() const noexcept { return nvml_.get(); }

 private:
  const CudaApi* api_ = nullptr;
  base::Message unavailable_;
  capture::GpuSource source_{};
  std::unique_ptr<capture::GpuCapture> capture_;
  base::Message not_recorded_;
  std::unique_ptr<Nvml> nvml_;
};

}  // namespace ts::kernels
