#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "kernels/own/instructions.h"
#include "kernels/own/number.h"
#include "tests/own/random_values.h"

namespace ts::kernels::own::testing {

// Memory of exactly the numbers, so that a sanitizer sees an access beside them.
class TypedNumbers {
 public:
  TypedNumbers(Element element, std::size_t count)
      : element_(element), count_(count), data_(std::malloc(count * bytes_of(element))) {
    put(Values(count, 0));
  }
  TypedNumbers(Element element, const Values& values) : TypedNumbers(element, values.size()) {
    put(values);
  }

  void put(const Values& values) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (element_ == Element::fp32) narrow(values[i], static_cast<float*>(data())[i]);
      if (element_ == Element::fp64) narrow(values[i], static_cast<double*>(data())[i]);
      if (element_ == Element::bf16) narrow(values[i], static_cast<Bf16*>(data())[i]);
      if (element_ == Element::fp16) narrow(values[i], static_cast<Fp16*>(data())[i]);
    }
  }
  // As the type rounds them.
  [[nodiscard]] Values values() const {
    Values values(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      switch (element_) {
        case Element::fp32:
          values[i] = double{static_cast<const float*>(data())[i]};
          break;
        case Element::fp64:
          values[i] = static_cast<const double*>(data())[i];
          break;
        case Element::bf16:
          values[i] = double{widen(static_cast<const Bf16*>(data())[i])};
          break;
        case Element::fp16:
          values[i] = double{widen(static_cast<const Fp16*>(data())[i])};
          break;
      }
    }
    return values;
  }
  [[nodiscard]] void* data() const { return data_.get(); }

  static std::size_t bytes_of(Element element) {
    if (element == Element::fp64) return 8;
    return element == Element::fp32 ? 4 : 2;
  }
  // The largest relative error of one rounding, with room for sums in the type of the kernel.
  static double tolerance(Element element) {
    if (element == Element::fp64) return 1e-12;
    if (element == Element::fp32) return 1e-5;
    return element == Element::fp16 ? 2e-3 : 1.6e-2;
  }

 private:
  struct Free {
    void operator()(void* data) const { std::free(data); }
  };
  Element element_;
  std::size_t count_;
  std::unique_ptr<void, Free> data_;
};

// The instructions that run here, each with the elements that it takes.
struct Way {
  Instructions instructions;
  Element element;
};
inline std::vector<Way> ways() {
  std::vector<Way> all;
  for (const Instructions one :
       {Instructions::portable, Instructions::avx2, Instructions::avx512}) {
    for (const Element element : {Element::fp64, Element::fp32, Element::bf16, Element::fp16}) {
      const bool takes = one == Instructions::portable || element != Element::fp64;
      if (runs_here(one) && takes) all.push_back({one, element});
    }
  }
  return all;
}

}  // namespace ts::kernels::own::testing
