#pragma once

#include <cstdint>
#include <string_view>

#include "core/spec/workload_spec.h"

namespace ts::spec {

// Formulas of the course (labs.md section 3), for any valid spec. FLOPs count a multiply-add as
// two.

// Sizes that follow from a spec.
// Width of a head of queries and keys: d_head for attention, else head_width or d_model / heads.
std::int64_t head_size(const WorkloadSpec& spec);
std::int64_t value_size(const WorkloadSpec& spec);  // of a head of values
// Numbers that a cache of keys and values keeps of a token in each layer: 2 kv_heads head_size, or
// kv_rank and the turned part of a key in latent attention.
std::int64_t cached_numbers(const WorkloadSpec& spec);
std::int64_t kv_head_count(const WorkloadSpec& spec);
// T; of vit the tokens of its encoder, of vlm those of images and text.
std::int64_t sequence_length(const WorkloadSpec& spec);
std::int64_t kv_length(const WorkloadSpec& spec);  // T_kv for attention, else sequence_length
// The number of positions of a model: T, and room for the tokens that pass generate adds.
std::int64_t context_length(const WorkloadSpec& spec);
// Rows of the table of learned positions of a language model.
std::int64_t position_rows(const WorkloadSpec& spec);
std::int64_t micro_batches(const WorkloadSpec& spec);  // of a step; 1 where that does not apply
// True if the forward keeps what a backward needs.
bool keeps_graph(const WorkloadSpec& spec);
// True if the step is captured as a CUDA graph and replayed.
bool captures_step(const WorkloadSpec& spec);
// True if the step runs from a package that was compiled ahead of time.
bool compiles_step(const WorkloadSpec& spec);
// True if kernels of this project compute norms, softmax, weighted sums and cross entropy.
bool uses_own_kernels(const WorkloadSpec& spec);
// How the parts of a model are written, as the settings of these names say; what a setting does not
// apply to is one operator of LibTorch's.
struct Writing {
  Form softmax = Form::fused;
  Form silu = Form::fused;
  Form cross_entropy = Form::fused;
  CausalMask mask = CausalMask::shared;
  ProductForm products = ProductForm::matmul;
  bool rope_fp32 = false;
  friend bool operator==(const Writing&, const Writing&) = default;
};
Writing writing(const WorkloadSpec& spec);
// The adapters of a model (LoRA, Hu et al. 2021): y = W x + scale B A x, with A [rank, in] and
// B [out, rank] in fp32 whatever the type of W, as PEFT keeps them.
struct Lora {
  std::int64_t rank = 0;  // 0: there are none
  LoraOn on = LoraOn::qv;
  double scale = 0;
  bool merged = false;  // W + scale B A takes the place of W when the model is made
};
Lora lora(const WorkloadSpec& spec);
// True if there are adapters beside frozen weights: then only they have gradients and state.
bool trains_adapters(const WorkloadSpec& spec);
// The type in which matrix products run: autocast's, else that of the tensors.
DataType compute_type(const WorkloadSpec& spec);
// The checkpointing of a pass with a backward, off where it does not apply.
Checkpoint checkpointing(const WorkloadSpec& spec);

// True if a full step has a gradient scaler, or clips its gradients.
bool scales_loss(const WorkloadSpec& spec);
bool clips(const WorkloadSpec& spec);

// The mistake that the steps make; none where the setting does not apply.
Habit habit(const WorkloadSpec& spec);
// True if every step leaves its graph behind, beside those of all steps before.
bool keeps_graphs(const WorkloadSpec& spec);

// The optimizer's state beside 16-bit parameters; parameter where that does not apply.
OptimizerState optimizer_state(const WorkloadSpec& spec);
// Bytes of the optimizer's moments for each trained parameter. Of adamw_8bit without its scales.
std::int64_t moment_bytes(const WorkloadSpec& spec);
// True if the optimizer computes AdamW as PyTorch does, in any of its ways.
bool is_plain_adamw(OptimizerKind kind);

// The number of parameters: the weights of all matrix products of the workload, its biases, norms
// and embeddings (core/spec/workload_traits.cpp), and its adapters, unless they are merged.
std::int64_t parameter_count(const WorkloadSpec& spec);
// Those that are trained: all, all but frozen ones, or the adapters alone, rank (in + out) for each
// of their layers.
std::int64_t trained_count(const WorkloadSpec& spec);
// True if some parameters are not trained.
bool freezes(const WorkloadSpec& spec);
// B T (sequence_length), times the micro-batches of a step; B new_tokens for pass generate; T for a
// workload without input. Workloads without a sequence count rows; 0: the batch of a user's model
// is fixed in its file.
std::int64_t tokens_per_step(const WorkloadSpec& spec);

struct Flops {
  double forward = 0;
  double backward = 0;   // 2x forward of matrix products; attention 2.5x where it recomputes scores
  double recompute = 0;  // the forward that checkpointing repeats; not counted by MFU
  [[nodiscard]] double total() const { return forward + backward + recompute; }
};
// The FLOPs of one step of spec.pass. Only matrix products are counted (a weighted sum is one), so
// the optimizer adds nothing. F-1: attention forward 4 B H T T_kv d (d the mean
// of the widths of keys and values), halved when causal (useful
// share (T + 1) / (2 T)) only for backends that skip masked pairs, by tiles or exactly
// (BackendTraits). Other masks are tensors, of which
// tiled alone skips what is hidden. F-2: LM forward 2 B T [L (2 d^2 + 2 d kv_heads d_head + 3 d ff)
// + V d] + attention, 2 d ff with GELU; the first two terms are 4 d^2 if there are as many key
// heads as heads. `automatic` counts as math, because the kernel that ran is not known. Pass
// generate: the prompt, then each new token by itself (with kv_cache) or with all tokens before it;
// the head for the last position only. With adapters the products of frozen weights have no
// gradient of the weight, so their backward is once the forward; that of the adapters is twice
// theirs. Of experts those count that a token is sent to, without places that stay empty. What the
// first block of lm can leave out beyond this, since nothing before it is trained, is counted. The
// same holds behind frozen blocks, and for the projector of vlm behind a frozen encoder. A frozen
// part has no backward where nothing before it is trained, else that of its inputs
// (core/spec/workload_traffic.h).
Flops step_flops(const WorkloadSpec& spec, AttentionBackend backend_ran);

// The part of the pairs of queries and keys of a sequence that a backend computes.
double computed_share(const WorkloadSpec& spec, AttentionBackend backend, std::int64_t seq_len);

// FLOPs of Q K^T and P V for one pair of a query and a key, of all heads of a layer.
double pair_flops(const WorkloadSpec& spec);

// Maps ExecutionFacts::backend_ran to a backend of the formulas: every fused kernel (flash,
// mem-efficient, cuDNN) skips masked tiles and recomputes scores as flash does.
AttentionBackend backend_for_formulas(std::string_view backend_ran);

}  // namespace ts::spec
