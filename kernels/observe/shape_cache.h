#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <array>
#include <cstdint>

#include "core/base/string_table.h"

namespace ts::kernels {

// "fp32", "bf16", "int64": the names of the program, else those of LibTorch.
const char* type_name(at::ScalarType type);

// The shapes of tensors with their types, as texts: "[4, 64, 128] bf16". A step has few, so that
// each is written once. One owner thread.
class ShapeCache {
 public:
  explicit ShapeCache(base::StringTable& strings) : strings_(&strings) {}
  base::StringId find(const at::Tensor& tensor);

 private:
  struct Slot {
    c10::SmallVector<std::int64_t, 5> sizes;
    at::ScalarType type = at::ScalarType::Undefined;
    base::StringId id = base::kNoString;
  };
  base::StringTable* strings_;
  std::array<Slot, 128> slots_;
};

}  // namespace ts::kernels
