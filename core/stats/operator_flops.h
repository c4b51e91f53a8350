#pragma once

#include <string_view>

namespace ts::stats {

// Floating-point operations of one call, from its name and the shapes of its inputs as written in
// the trace ("[4, 512, 64] fp32, [4, 64, 512] fp32"); a multiply-add counts as two. Covers matrix
// products and fused attention (forward 4 B H T T_kv d, backward 2.5 times that; a mask does not
// halve it, because the shapes do not show masks). 0 for everything else, as torch.profiler's
// with_flops does for unknown operators.
double operator_flops(std::string_view name, std::string_view shapes);

// Bytes of the input tensors of a call, by the same shapes: the bytes read if each tensor is read
// once and in full. A tensor of unknown type counts as 0.
double input_bytes(std::string_view shapes);

// True for "aten::view", "aten::t" and others that give back the memory of their input and read
// nothing of it.
bool makes_view(std::string_view name);

}  // namespace ts::stats
