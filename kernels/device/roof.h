#pragma once

#include "core/base/cancel.h"
#include "core/run/engine.h"
#include "kernels/device/device.h"

namespace ts::kernels {

// The best matrix product of two squares that the device reaches in this type: the roof with which
// workloads are compared. Sizes double from 512 up to 8192, while a product of the next size takes
// no longer than a fifth of a second; of each size the fastest of several counts. On a processor
// the roof of a 16-bit type is that of fp32 where this is higher: without arithmetic of 16 bits
// products of such numbers are slow, but a kernel may widen them. Also the fastest of several
// copies of 256 MiB, with read and written bytes counted, as STREAM's Copy does. Throws Cancelled.
// Worker thread, no execution active.
run::Roof best_rates(Device& device, spec::DataType type, const base::CancelToken& cancel);

}  // namespace ts::kernels
