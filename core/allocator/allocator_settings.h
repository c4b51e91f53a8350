#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ts::allocator {

// Settings of PyTorch 2.11's CUDA caching allocator, parsed from the string of
// PYTORCH_CUDA_ALLOC_CONF:
// "max_split_size_mb:128,expandable_segments:True,roundup_power2_divisions:[256:1,>:8]". Settings
// that do not change the placement (release_lock_on_cudamalloc, pinned_*, ...) are accepted and
// ignored; backend:cudaMallocAsync is refused, since it is another allocator.
struct AllocatorSettings {
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
  // Divisions per power of two of a request: 1 MiB, 2 MiB, ... 32 GiB and above; 0 or 1: off.
  static constexpr int kDivisionSteps = 16;

  bool expandable_segments = false;
  std::int64_t max_split_size = kUnlimited;                      // bytes
  std::int64_t max_non_split_rounding = std::int64_t{20} << 20;  // bytes
  double garbage_collection_threshold = 0;  // 0: off; fraction of the allowed bytes
  std::array<std::int64_t, kDivisionSteps> roundup_power2_divisions{};
  friend bool operator==(const AllocatorSettings&, const AllocatorSettings&) = default;

  // The error names the faulty option and the values that it accepts.
  static base::Result<AllocatorSettings> parse(std::string_view text);
  [[nodiscard]] std::string to_string() const;  // empty for the defaults

  // Bytes of a block for a request: a multiple of 512, or of its power-of-two division.
  [[nodiscard]] std::int64_t round_size(std::int64_t bytes) const;
};

}  // namespace ts::allocator
