#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/predict/outlook.h"

namespace ts::predict {

// A slider that is dragged moves on as it moved: what it comes to next can be known before it is
// asked for. Two settings that differ in nothing but one size are a drag; the settings it comes to
// next, the likeliest first: as many of the sliders' sizes further as before, then one size more.
// Empty where there is no drag. They may be impossible.
std::vector<spec::WorkloadSpec> next_of_drag(const spec::WorkloadSpec& before,
                                             const spec::WorkloadSpec& now);

// The newest forecasts, to be shown again without another dry run: those that a drag comes to and
// those that it comes back to. One owner thread.
class RecentForecasts {
 public:
  [[nodiscard]] std::shared_ptr<const Forecast> find(const spec::WorkloadSpec& spec,
                                                     const PredictionTarget& target) const;
  void keep(std::shared_ptr<const Forecast> forecast);

 private:
  static constexpr std::size_t kMost = 8;  // of about a megabyte each
  std::deque<std::shared_ptr<const Forecast>> kept_;
};

}  // namespace ts::predict
