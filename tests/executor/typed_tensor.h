#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/executor/executor.h"
#include "kernels/own_cuda/device.h"
#include "tests/own/random_values.h"

namespace ts::kernels::own_cuda {

using own::testing::random_values;
using own::testing::Values;

// A tensor of a type, in memory of the executor.
struct TypedTensor {
  std::string type;
  std::size_t count = 0;
  void* data = nullptr;

  TypedTensor(const char* name, std::string type_, std::size_t count_, bool writable)
      : type(std::move(type_)), count(count_) {
    const int bytes = type == "fp32" ? 4 : 2;
    data = executor::allocate(name, count * static_cast<std::size_t>(bytes), bytes, writable);
  }
  // The values as the type rounds them.
  Values set(const Values& values) const {
    for (std::size_t i = 0; i < count; ++i) {
      const auto x = static_cast<float>(values[i]);
      if (type == "fp32") narrow(x, static_cast<float*>(data)[i]);
      if (type == "bf16") narrow(x, static_cast<Bf16*>(data)[i]);
      if (type == "fp16") narrow(x, static_cast<Fp16*>(data)[i]);
    }
    return values_of();
  }
  [[nodiscard]] Values values_of() const {
    Values values(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = type == "fp32"   ? widen(static_cast<const float*>(data)[i])
                  : type == "bf16" ? widen(static_cast<const Bf16*>(data)[i])
                                   : widen(static_cast<const Fp16*>(data)[i]);
    }
    return values;
  }
};

inline void expect_near(const Values& got, const Values& exact, double tolerance,
                        const char* name) {
  double largest = 1;
  for (const double value : exact) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < exact.size(); ++i) {
    ASSERT_NEAR(got[i], exact[i], tolerance * largest) << name << "[" << i << "]";
  }
}

}  // namespace ts::kernels::own_cuda
