#pragma once

#include "core/base/cancel.h"
#include "core/run/engine.h"
#include "kernels/device/device.h"

namespace ts::kernels {

// The best matrix product of two squares that the device manages in this type: the roof that real
// workloads are held against. Sizes double from 512 up to 8192, as long as a product of the next
// takes no longer than a fifth of a second; of each size the fastest of several counts. Beside it
// the fastest of several copies of 256 MiB, read and written bytes counted, as STREAM's Copy does.
// Throws Cancelled. Worker thread, no execution at work.
run::Roof best_rates(Device& device, spec::DataType type, const base::CancelToken& cancel);

}  // namespace ts::kernels
