#include <array>
#include <atomic>

#include "kernels/own/attention_kernel.h"
#include "kernels/own/row_kernels.h"

namespace ts::kernels::own {
namespace {

std::atomic<Instructions> most_allowed = Instructions::avx512;

bool may_run(Instructions instructions) {
  return instructions <= most_allowed.load(std::memory_order_relaxed) && runs_here(instructions);
}

template <class Kernel>
const Kernel& of(Instructions instructions, const Kernel& portable, const Kernel& avx2,
                 const Kernel& avx512) {
  switch (instructions) {
    case Instructions::avx512:
      return avx512;
    case Instructions::avx2:
      return avx2;
    case Instructions::portable:
      break;
  }
  return portable;
}

Instructions instructions_of(const AttentionKernel& kernel) {
  if (&kernel == &kAvx512Attention) return Instructions::avx512;
  return &kernel == &kAvx2Attention ? Instructions::avx2 : Instructions::portable;
}

}  // namespace

const char* name_of(Instructions instructions) {
  constexpr std::array kNames = {"portable", "AVX2", "AVX-512"};
  return kNames[static_cast<std::size_t>(instructions)];
}

bool runs_here(Instructions instructions) {
  switch (instructions) {
    case Instructions::avx512:
      return __builtin_cpu_supports("x86-64-v4") != 0;
    case Instructions::avx2:
      return __builtin_cpu_supports("x86-64-v3") != 0;
    case Instructions::portable:
      break;
  }
  return true;
}

Instructions fastest(Element element) {
  if (element == Element::fp64) return Instructions::portable;
  if (may_run(Instructions::avx512)) return Instructions::avx512;
  return may_run(Instructions::avx2) ? Instructions::avx2 : Instructions::portable;
}

void use_at_most(Instructions most) {
  most_allowed.store(most, std::memory_order_relaxed);
}

const char* name_of(const AttentionKernel& kernel) {
  if (&kernel == &kAvx512Bf16Attention) return "AVX512-BF16";
  return name_of(instructions_of(kernel));
}

bool runs_here(const AttentionKernel& kernel) {
  if (&kernel == &kAvx512Bf16Attention) {
    return runs_here(Instructions::avx512) && __builtin_cpu_supports("avx512bf16") != 0;
  }
  return runs_here(instructions_of(kernel));
}

const AttentionKernel& attention_kernel(Element element) {
  const Instructions instructions = fastest(element);
  const bool pairs = element == Element::bf16 && instructions == Instructions::avx512;
  if (pairs && runs_here(kAvx512Bf16Attention)) return kAvx512Bf16Attention;
  return of(instructions, kPortableAttention, kAvx2Attention, kAvx512Attention);
}

const NormKernel& norm_kernel(Instructions instructions) {
  return of(instructions, kPortableNorm, kAvx2Norm, kAvx512Norm);
}

const SoftmaxKernel& softmax_kernel(Instructions instructions) {
  return of(instructions, kPortableSoftmax, kAvx2Softmax, kAvx512Softmax);
}

const WeightedSumKernel& weighted_sum_kernel(Instructions instructions) {
  return of(instructions, kPortableWeightedSum, kAvx2WeightedSum, kAvx512WeightedSum);
}

const CrossEntropyKernel& cross_entropy_kernel(Instructions instructions) {
  return of(instructions, kPortableCrossEntropy, kAvx2CrossEntropy, kAvx512CrossEntropy);
}

}  // namespace ts::kernels::own
