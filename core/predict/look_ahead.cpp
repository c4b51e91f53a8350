#include "core/predict/look_ahead.h"

#include <algorithm>
#include <utility>

#include "core/spec/size_steps.h"
#include "core/spec/spec_fields.h"

namespace ts::predict {
namespace {

// The size that is `sizes` sizes above `size`, or below if negative; 0: out of range.
std::int64_t moved(std::int64_t size, int sizes) {
  for (; sizes > 0 && size > 0; --sizes) size = spec::next_size(size);
  for (; sizes < 0 && size > 0; ++sizes) size = size > 1 ? spec::previous_size(size) : 0;
  return size;
}

// The number of sizes between the two, negative downwards; 0: more than a drag covers in a frame.
int sizes_between(std::int64_t before, std::int64_t now) {
  constexpr int kMost = 8;
  const int direction = before < now ? 1 : -1;
  for (int sizes = 1; sizes <= kMost; ++sizes) {
    if (moved(before, direction * sizes) == now) return direction * sizes;
  }
  return 0;
}

}  // namespace

std::vector<spec::WorkloadSpec> next_of_drag(const spec::WorkloadSpec& before,
                                             const spec::WorkloadSpec& now) {
  for (const spec::FieldRow& row : spec::field_rows()) {
    const auto* const number = std::get_if<spec::NumberField>(&row.kind);
    if (number == nullptr || number->slider.max == 0) continue;
    const std::int64_t size = now.*number->member;
    if (before.*number->member == size) continue;
    spec::WorkloadSpec next = before;
    next.*number->member = size;
    const int stride = next == now ? sizes_between(before.*number->member, size) : 0;
    if (stride == 0) return {};
    std::vector<spec::WorkloadSpec> all;
    for (const int further : {stride, stride + (stride > 0 ? 1 : -1)}) {
      next.*number->member = moved(size, further);
      if (next.*number->member > 0) all.push_back(next);
    }
    return all;
  }
  return {};
}

std::shared_ptr<const Forecast> RecentForecasts::find(const spec::WorkloadSpec& spec,
                                                      const PredictionTarget& target) const {
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& forecast) {
    return forecast->run.spec == spec && same_memory(forecast->target, target);
  });
  return found == kept_.end() ? nullptr : *found;
}

void RecentForecasts::keep(std::shared_ptr<const Forecast> forecast) {
  kept_.push_back(std::move(forecast));
  if (kept_.size() > kMost) kept_.pop_front();
}

}  // namespace ts::predict
