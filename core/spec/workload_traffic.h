#pragma once

#include <cstdint>
#include <vector>

#include "core/spec/workload_spec.h"
#include "core/spec/workload_traits.h"

namespace ts::spec {

// A model in parts whose matrix products have the same number of rows and the same backward: what
// FLOPs and bytes are counted from.
struct ModelPart {
  std::vector<Product> products;  // of every row
  double rows = 0;                // of one micro-batch
  // Products of the backward for one of the forward: 2 where weights and inputs get gradients, 1
  // where only one of them does, 0 where nothing here and before it is trained.
  double backward = 2;
  bool in_blocks = false;  // what checkpointing of blocks runs again
  // Its attention: the settings of its heads, calls, sequences of a micro-batch, and their lengths.
  WorkloadSpec attends = {};
  std::int64_t calls = 0;
  double sequences = 0;
  double queries = 0;
  double keys = 0;
};

// For any pass but generate.
std::vector<ModelPart> model_parts(const WorkloadSpec& spec);

// Forward FLOPs of Q K^T and P V of a part in one micro-batch, as a backend computes them.
double attention_flops(const ModelPart& part, AttentionBackend backend);

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
