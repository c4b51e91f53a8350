#pragma once

#include <cstdint>

#include "core/base/cancel.h"
#include "core/run/engine.h"
#include "kernels/device/device.h"

namespace ts::kernels {

// Makes a package for the spec's step if there is none. A new one is compared with the eager step
// once before it is kept: loss and every gradient, or the output, within the precision of the
// types. That takes the memory of an eager step, and of a second copy of its gradients, under
// `limit`. Worker thread.
run::Outcome<void> compile_step(const spec::WorkloadSpec& spec, std::unique_ptr<Device> device,
                                std::int64_t limit, const base::CancelToken& cancel);

}  // namespace ts::kernels
