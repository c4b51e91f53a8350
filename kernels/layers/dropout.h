#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <memory>

namespace ts::kernels {

// Zero for each number with probability `share`, the others divided by 1 - share (at::dropout);
// x itself for 0. Draws from LibTorch's own generator of the device, which alone its fused
// attention uses.
at::Tensor drop(const at::Tensor& x, double share);

// A state of LibTorch's own generator of a device. A device without data has none. Allocates
// nothing that is counted.
class RandomState {
 public:
  // The current state, or that of a seed.
  static RandomState of(c10::Device device);
  static RandomState seeded(c10::Device device, std::uint64_t seed);
  void restore() const;

 private:
  struct Numbers;
  RandomState(c10::Device device, std::shared_ptr<const Numbers> numbers)
      : device_(device), numbers_(std::move(numbers)) {}

  c10::Device device_;
  std::shared_ptr<const Numbers> numbers_;  // null: none
};

// While it lives, the own generator of the device goes on from a state, which takes what it has
// become.
class DrawsFrom {
 public:
  DrawsFrom(c10::Device device, RandomState& state);
  ~DrawsFrom();
  DrawsFrom(const DrawsFrom&) = delete;
  DrawsFrom& operator=(const DrawsFrom&) = delete;
  // True if there is one on this thread.
  static bool alive();

 private:
  c10::Device device_;
  RandomState& state_;
  RandomState before_;
};

}  // namespace ts::kernels
