#include "core/allocator/setting_trials.h"

#include <array>
#include <utility>

namespace ts::allocator {

base::Result<std::vector<SettingTrial>> try_split_sizes(const Snapshot& snapshot,
                                                        std::size_t device) {
  constexpr std::array<std::int64_t, 2> kSizes{128, 512};  // MiB
  std::vector<SettingTrial> trials;
  auto recorded = recorded_settings(snapshot);
  if (!recorded) return tl::unexpected(recorded.error());
  for (const std::int64_t size : kSizes) {
    ReplayOptions options;
    options.settings = *recorded;
    options.settings->max_split_size = size << 20;
    options.start_anew = true;
    if (options.settings->max_split_size == recorded->max_split_size) continue;
    const auto result = replay(snapshot, device, options);
    if (!result) return tl::unexpected(result.error());
    trials.push_back({.setting = "max_split_size_mb:" + std::to_string(size),
                      .refused = result->simulated_ooms,
                      .peak_reserved = result->simulated.peak_reserved});
  }
  return trials;
}

}  // namespace ts::allocator
