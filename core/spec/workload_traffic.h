#pragma once

#include "core/spec/workload_spec.h"

namespace ts::spec {

// Bytes that one step of spec.pass must move between memory and the device's units at least, by
// formula: every matrix product reads both factors and writes its product once; attention that
// stores its scores moves four squares of T x T_kv in the forward (Q K^T written, softmax read and
// written, read by P V) and seven in the backward (P read for dV, dP written, both read and dS
// written by the softmax, dS read for dQ and dK), fused attention and tiles only their inputs and
// outputs; the optimizer reads parameters, gradients and its state and writes them back. Norms,
// activations and casts are left out, as fused kernels may. What a cache holds between two
// operators is counted all the same, so a small workload can be faster than memory seems to allow.
//   course: A2-27 (four squares), Dao et al. 2022, "FlashAttention", algorithms 0 and 1
double step_traffic(const WorkloadSpec& spec, AttentionBackend backend_ran);

}  // namespace ts::spec
