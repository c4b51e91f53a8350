#pragma once

#include <algorithm>

namespace ts::app {

// On a projector only the share of the picture's height counts: text that is readable at 1080 lines
// is readable at 720 or 2160 when it scales with them. A larger chosen scale stays. Height in
// pixels.
inline float projector_scale(float chosen, float height) {
  constexpr float kAt1080 = 1.6F;
  constexpr float kLargest = 4 * kAt1080;  // 4320 lines
  return std::max(std::clamp(kAt1080 * height / 1080, 1.0F, kLargest), chosen);
}

}  // namespace ts::app
