#pragma once

#include <cstddef>
#include <cstdint>

namespace ts::stepper {

// A number near the normal distribution, mean 0 and variance 1: four uniform ones added. The same
// on every machine for a seed, a tensor and an index.
inline float seeded_number(std::int64_t seed, std::uint64_t tensor, std::size_t index) {
  // SplitMix64 (Steele, Lea and Flood 2014).
  std::uint64_t bits = static_cast<std::uint64_t>(seed) * 0xD1342543DE82EF95U +
                       tensor * 0xA0761D6478BD642FU + index * 0x9E3779B97F4A7C15U +
                       0x9E3779B97F4A7C15U;
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
  bits ^= bits >> 31U;
  constexpr std::uint64_t kMask = 0xFFFF;
  const std::uint64_t sum =
      (bits & kMask) + ((bits >> 16U) & kMask) + ((bits >> 32U) & kMask) + (bits >> 48U);
  constexpr float kScale = 1.7320508F / 65536;  // four variances of 1/12 become 1
  return (static_cast<float>(sum) - 2 * 65535.0F) * kScale;
}

}  // namespace ts::stepper
