#pragma once

#include <cstdint>
#include <vector>

#include "core/spec/workload_spec.h"

namespace ts::spec {

// Bytes of one number.
std::int64_t bytes_of(DataType type);

// The least bytes that one step of spec.pass must move between memory and the device's units, by
// formula. Every matrix product reads both factors and writes its product once. Attention that
// stores its scores moves four squares of T x T_kv in the forward (Q K^T written, softmax read and
// written, read by P V) and seven in the backward (P read for dV, dP written, both read and dS
// written by the softmax, dS read for dQ and dK); fused attention and tiles move only their inputs
// and outputs, and the mask where it is a tensor. Dropout of stored scores writes two more of them,
// one of which may have a byte a number, and reads that in the backward. The optimizer reads
// parameters, gradients and its state and writes them back. Norms, activations and casts are left
// out, because they may be fused. Data that a cache holds between two operators is counted too, so
// a small workload can be faster than memory seems to allow.
//   course: A2-27 (four squares), Dao et al. 2022, "FlashAttention", algorithms 0 and 1
double step_traffic(const WorkloadSpec& spec, AttentionBackend backend_ran);

// Operators of a step that follow one another, so that a device needs at least the sum of their
// times. Their FLOPs add up to step_flops(), their bytes to step_traffic().
struct StepPart {
  enum class Kind : std::uint8_t { products, attention, softmax, optimizer, prefill, decode };
  Kind kind = Kind::products;
  double flops = 0;
  double bytes = 0;
};
const char* to_string(StepPart::Kind kind);  // products attention softmax optimizer prefill decode
// Every matrix product by itself, with its backward; attention forward and backward, where it
// stores scores without its softmax, which is a part of its own; the optimizer. A generation: the
// prompt, and all tokens after the first.
std::vector<StepPart> step_parts(const WorkloadSpec& spec, AttentionBackend backend_ran);

}  // namespace ts::spec
