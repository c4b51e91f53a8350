#pragma once

#include "core/spec/workload_spec.h"

namespace ts::spec {

// Bytes of one number.
std::int64_t bytes_of(DataType type);

// The least bytes that one step of spec.pass must move between memory and the device's units, by
// formula. Every matrix product reads both factors and writes its product once. Attention that
// stores its scores moves four squares of T x T_kv in the forward (Q K^T written, softmax read and
// written, read by P V) and seven in the backward (P read for dV, dP written, both read and dS
// written by the softmax, dS read for dQ and dK); fused attention and tiles move only their inputs
// and outputs. The optimizer reads parameters, gradients and its state and writes them back. Norms,
// activations and casts are left out, because they may be fused. Data that a cache holds between
// two operators is counted too, so a small workload can be faster than memory seems to allow.
//   course: A2-27 (four squares), Dao et al. 2022, "FlashAttention", algorithms 0 and 1
double step_traffic(const WorkloadSpec& spec, AttentionBackend backend_ran);

}  // namespace ts::spec
