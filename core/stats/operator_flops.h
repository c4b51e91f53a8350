#pragma once

#include <string_view>

namespace ts::stats {

// Floating-point operations of one call, from its name and the shapes of its inputs as the trace
// has them ("[4, 512, 64] fp32, [4, 64, 512] fp32"); a multiply-add counts as two. Matrix products
// and fused attention (forward 4 B H T T_kv d, backward 2.5 times that; halved by no mask, which
// the shapes do not tell); 0 for everything else, as torch.profiler's with_flops has it for what it
// does not know.
double operator_flops(std::string_view name, std::string_view shapes);

// Bytes of the tensors that a call was given, by the same shapes: what it reads if it reads each of
// them once and in full. A tensor without a known type counts nothing.
double input_bytes(std::string_view shapes);

}  // namespace ts::stats
