#include "kernels/own/attention_kernel.h"

namespace ts::kernels::own {

const char* name_of(const AttentionKernel& kernel) {
  if (&kernel == &kAvx512Attention) return "AVX-512";
  return &kernel == &kAvx2Attention ? "AVX2" : "portable";
}

bool runs_here(const AttentionKernel& kernel) {
  if (&kernel == &kAvx512Attention) return __builtin_cpu_supports("x86-64-v4") != 0;
  if (&kernel == &kAvx2Attention) return __builtin_cpu_supports("x86-64-v3") != 0;
  return true;
}

const AttentionKernel& attention_kernel(Element element) {
  if (element == Element::fp64) return kPortableAttention;
  if (runs_here(kAvx512Attention)) return kAvx512Attention;
  return runs_here(kAvx2Attention) ? kAvx2Attention : kPortableAttention;
}

}  // namespace ts::kernels::own
