#include "kernels/device/precision.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

#include "core/spec/workload_math.h"
#include "kernels/dry_run/meta_autocast.h"

namespace ts::kernels {
namespace {

bool has_autocast(c10::DeviceType device) {
  return device == c10::DeviceType::CPU || device == c10::DeviceType::CUDA ||
         device == c10::DeviceType::Meta;
}

// Sets autocast on this thread.
void set_autocast(const AutocastState& state) {
  if (state.device == c10::DeviceType::Meta) return set_meta_autocast_type(state.type);
  at::autocast::set_autocast_enabled(state.device, state.type.has_value());
  if (state.type) at::autocast::set_autocast_dtype(state.device, *state.type);
}

void clear_cast_weights(c10::DeviceType device) {
  if (device == c10::DeviceType::Meta) return clear_meta_autocast_cache();
  at::autocast::clear_cache();
}

}  // namespace

c10::ScalarType scalar_type(spec::DataType dtype) {
  switch (dtype) {
    case spec::DataType::bf16:
      return at::kBFloat16;
    case spec::DataType::fp16:
      return at::kHalf;
    case spec::DataType::fp32:
    case spec::DataType::tf32:
      break;
  }
  return at::kFloat;
}

AutocastState AutocastState::of(const spec::WorkloadSpec& spec, c10::DeviceType device) {
  AutocastState state;
  state.device = device;
  const spec::DataType type = spec::compute_type(spec);
  if (type != spec.dtype) state.type = scalar_type(type);
  return state;
}

AutocastState AutocastState::current(c10::DeviceType device) {
  AutocastState state;
  state.device = device;
  if (device == c10::DeviceType::Meta) {
    state.type = meta_autocast_type();
  } else if (has_autocast(device) && at::autocast::is_autocast_enabled(device)) {
    state.type = at::autocast::get_autocast_dtype(device);
  }
  return state;
}

AutocastScope::AutocastScope(const AutocastState& state) {
  if (!state.type || !has_autocast(state.device)) return;
  active_ = true;
  before_ = AutocastState::current(state.device);
  if (state.device != c10::DeviceType::Meta) {
    dtype_before_ = at::autocast::get_autocast_dtype(state.device);
  }
  set_autocast(state);
  at::autocast::increment_nesting();
}

AutocastScope::~AutocastScope() {
  if (!active_) return;
  if (at::autocast::decrement_nesting() == 0) clear_cast_weights(before_.device);
  set_autocast(before_);
  // The type is kept even if the switch is off.
  if (dtype_before_) at::autocast::set_autocast_dtype(before_.device, *dtype_before_);
}

Float32Scope::Float32Scope(spec::DataType dtype) : before_(at::globalContext().allowTF32CuBLAS()) {
  at::globalContext().setAllowTF32CuBLAS(dtype == spec::DataType::tf32);
}

Float32Scope::~Float32Scope() {
  at::globalContext().setAllowTF32CuBLAS(before_);
}

}  // namespace ts::kernels
