#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/predict/outlook.h"

namespace ts::predict {

// A slider that is dragged usually continues as before, so its next settings can be predicted
// before they are requested. Two settings that differ in one size only are a drag. Returns the next
// settings, the most likely first: as many of the sliders' sizes further as before, then one size
// more. Empty if there is no drag. They may be impossible.
std::vector<spec::WorkloadSpec> next_of_drag(const spec::WorkloadSpec& before,
                                             const spec::WorkloadSpec& now);

// The newest forecasts, to be shown again without another dry run: those that a drag reaches and
// those that it returns to. One owner thread.
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
