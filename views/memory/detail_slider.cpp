#include "views/memory/detail_slider.h"

#include <algorithm>
#include <cmath>

#include "core/text/numbers.h"

namespace ts::views {
namespace {

constexpr float kDecades = 5;

}  // namespace

std::uint32_t detail_at(float part) {
  const float inside = std::clamp(part, 0.0F, 1.0F);
  if (inside >= 0.995F) return kAllBlocks;
  const float number = std::pow(10.0F, inside * kDecades) - 1;
  // Two digits are precise enough and change less often.
  if (number < 100) return static_cast<std::uint32_t>(std::lround(number));
  const float step = std::pow(10.0F, std::floor(std::log10(number)) - 1);
  return static_cast<std::uint32_t>(std::lround(number / step) * std::lround(step));
}

float detail_part(std::uint32_t detail) {
  if (detail == kAllBlocks) return 1;
  return std::clamp(std::log10(static_cast<float>(detail) + 1) / kDecades, 0.0F, 1.0F);
}

std::string detail_text(const ViewContext& context, std::size_t blocks) {
  const auto count = static_cast<std::int64_t>(blocks);
  const std::uint32_t detail = context.state.detail;
  if (detail >= blocks)
    return context.texts("memory.detail_all", {{"count", text::grouped(count)}});
  return context.texts("memory.detail",
                       {{"count", text::grouped(detail)}, {"all", text::grouped(count)}});
}

}  // namespace ts::views
