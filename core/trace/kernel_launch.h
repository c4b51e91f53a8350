#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/base/string_table.h"

namespace ts::trace {

// Launch parameters of a kernel, found by the detail of its slice: all slices with the same detail
// have the same parameters and the same operator.
struct KernelLaunch {
  base::StringId op = base::kNoString;
  std::array<std::int32_t, 3> grid{};
  std::array<std::int32_t, 3> block{};
  std::int32_t registers = 0;      // per thread
  std::int64_t shared_memory = 0;  // bytes per block, static and dynamic
};
using KernelLaunches = std::unordered_map<base::StringId, KernelLaunch>;  // by Slice::detail

// "64x1x1", the form used in files and details.
inline std::string extent_text(const std::array<std::int32_t, 3>& of) {
  return std::to_string(of[0]) + "x" + std::to_string(of[1]) + "x" + std::to_string(of[2]);
}

}  // namespace ts::trace
