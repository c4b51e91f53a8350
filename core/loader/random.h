#pragma once

#include <cstddef>
#include <cstdint>

namespace ts::loader {

// SplitMix64 (Steele, Lea and Flood 2014): the same numbers on every machine for a seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t bits = state_ += 0x9E3779B97F4A7C15U;
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31U);
  }
  // Below `end`, which is at least 1.
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(next() % end); }
  // From 0 on, below 1.
  double share() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  // Near the normal distribution, mean 0 and variance 1: twelve uniform ones added.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += share();
    return sum;
  }

 private:
  std::uint64_t state_;
};

}  // namespace ts::loader
