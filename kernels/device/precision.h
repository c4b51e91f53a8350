#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <optional>

#include "core/spec/workload_spec.h"

namespace ts::kernels {

// The type of parameters and inputs; tf32 is stored as fp32.
c10::ScalarType scalar_type(spec::DataType dtype);

// Autocast of one kind of device on this thread.
struct AutocastState {
  c10::DeviceType device = c10::DeviceType::CPU;
  std::optional<c10::ScalarType> type;  // nothing: off

  static AutocastState of(const spec::WorkloadSpec& spec, c10::DeviceType device);
  static AutocastState current(c10::DeviceType device);
};

// While it lives, operators of LibTorch's list run in the 16-bit type, those of its fp32 list in
// fp32; weights are cast once and the casts dropped with the outermost scope. On meta by the rules
// of the thread's dry run (dry_run/meta_autocast.h). Thread-local in LibTorch; restored at the end.
class AutocastScope {
 public:
  explicit AutocastScope(const AutocastState& state);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  AutocastState before_;
  std::optional<c10::ScalarType> dtype_before_;
  bool active_ = false;
};

// While it lives, sets whether fp32 matrix products of CUDA may round their inputs to tf32.
// Process-wide in LibTorch; restored at the end. Worker thread.
class Float32Scope {
 public:
  explicit Float32Scope(spec::DataType dtype);
  ~Float32Scope();
  Float32Scope(const Float32Scope&) = delete;
  Float32Scope& operator=(const Float32Scope&) = delete;

 private:
  bool before_;
};

}  // namespace ts::kernels
