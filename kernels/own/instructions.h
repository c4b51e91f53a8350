#pragma once

#include <array>
#include <cstdint>

namespace ts::kernels::own {

// The type of the numbers in memory.
enum class Element : std::uint8_t { fp32, fp64, bf16, fp16 };

// The instructions that a kernel is compiled for. portable: those of every processor, in plain
// loops with sums in fp64, for every element. The others are in vectors with sums in fp32, not for
// fp64.
enum class Instructions : std::uint8_t { portable, avx2, avx512 };
inline constexpr std::array kAllInstructions = {Instructions::portable, Instructions::avx2,
                                                Instructions::avx512};

const char* name_of(Instructions instructions);  // portable AVX2 AVX-512
bool runs_here(Instructions instructions);
// The fastest for the element on this processor, of those that use_at_most() allows.
Instructions fastest(Element element);
// From now on, to measure one against the other. Any thread.
void use_at_most(Instructions most);

}  // namespace ts::kernels::own
