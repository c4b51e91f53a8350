#pragma once

#include <cstdint>

#include "core/base/cancel.h"
#include "core/run/engine.h"
#include "kernels/device/device.h"

namespace ts::kernels {

// The key of the reason why a step of these settings has no reference; null where it has one.
const char* why_no_reference(const spec::WorkloadSpec& spec);

// The errors of a step against the same one in fp64. Both have an account of `limit` bytes; of the
// first one its results stay. A step in fp16 with a gradient scaler has the first scale, from the
// setting down, at which its gradients are finite.
run::Outcome<run::ValueErrors> compare_with_fp64(const spec::WorkloadSpec& spec, Device& device,
                                                 std::int64_t limit,
                                                 const base::CancelToken& cancel);

}  // namespace ts::kernels
