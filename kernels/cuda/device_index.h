#pragma once

#include <c10/core/Device.h>

namespace ts::kernels {

inline c10::DeviceIndex index_of(int device) {
  return static_cast<c10::DeviceIndex>(device);
}

}  // namespace ts::kernels
