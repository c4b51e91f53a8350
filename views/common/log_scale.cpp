#include "views/common/log_scale.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/spec/size_steps.h"

namespace ts::views {

LogScale::LogScale(std::int64_t min, std::int64_t max) : min_(min), max_(max) {
  TS_CHECK(min >= 1 && min < max);
}

float LogScale::position(std::int64_t value) const {
  const auto clamped = static_cast<double>(std::clamp(value, min_, max_));
  const double low = std::log2(static_cast<double>(min_));
  const double high = std::log2(static_cast<double>(max_));
  return static_cast<float>((std::log2(clamped) - low) / (high - low));
}

std::int64_t LogScale::snapped(double value) const {
  if (value < 8) return std::llround(value);
  const double step = std::exp2(std::floor(std::log2(value))) / 8;
  return std::llround(std::round(value / step) * step);
}

std::int64_t LogScale::value_at(float position) const {
  const double low = std::log2(static_cast<double>(min_));
  const double high = std::log2(static_cast<double>(max_));
  const double part = std::clamp(static_cast<double>(position), 0.0, 1.0);
  return std::clamp(snapped(std::exp2(low + part * (high - low))), min_, max_);
}

std::int64_t LogScale::stepped(std::int64_t value, int steps) const {
  std::int64_t at = std::clamp(value, min_, max_);
  for (; steps > 0 && at < max_; --steps) at = spec::next_size(at);
  for (; steps < 0 && at > min_; ++steps) at = spec::previous_size(at);
  return std::clamp(at, min_, max_);
}

}  // namespace ts::views
