#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/allocator/replay.h"
#include "core/base/result.h"

namespace ts::allocator {

// One result of the model with a setting of PYTORCH_CUDA_ALLOC_CONF changed.
struct SettingTrial {
  std::string setting;             // "max_split_size_mb:128"
  std::int64_t refused = 0;        // requests
  std::int64_t peak_reserved = 0;  // bytes; without a limit of the device that is what it takes
};

// Replays the recording with sizes above which blocks are not split, and all other settings
// unchanged, so that the results can be compared with ExpandableAnswer::without: what lived before
// the recording is allocated anew. Only sizes that the recording did not have. Errors as replay().
base::Result<std::vector<SettingTrial>> try_split_sizes(const Snapshot& snapshot,
                                                        std::size_t device);

}  // namespace ts::allocator
