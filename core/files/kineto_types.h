#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ts::files {

// A type of numbers by the name of torch.profiler and by ours, and the bytes of one number.
struct KinetoType {
  std::string_view kineto, ours;
  std::int64_t bytes = 0;
};
inline constexpr auto kKinetoTypes = std::to_array<KinetoType>({{"float", "fp32", 4},
                                                                {"double", "fp64", 8},
                                                                {"c10::Half", "fp16", 2},
                                                                {"c10::BFloat16", "bf16", 2},
                                                                {"long int", "int64", 8},
                                                                {"long", "int64", 8},
                                                                {"int", "int32", 4},
                                                                {"unsigned char", "uint8", 1},
                                                                {"bool", "bool", 1}});

}  // namespace ts::files
