#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

#include "core/memory/record.h"

namespace ts::kernels {

// Assigns the live block of the tensor to the category from now on, in the recording of the calling
// thread or its dry run. `name` is the path of a parameter, else empty.
void own_block(const at::Tensor& tensor, memory::Category category, std::string_view name = {});

}  // namespace ts::kernels
