#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/message.h"
#include "core/base/result.h"

namespace ts::spec {

// All workloads. core/spec/workload_traits.cpp has a row for each, kernels/workloads/NAME.cpp
// implements it. The enumerators, the names and the table of makers come from this list.
#define TENSORSCOPE_WORKLOADS(EACH) \
  EACH(attention)                   \
  EACH(mlp)                         \
  EACH(block)                       \
  EACH(lm)                          \
  EACH(weighted_sum)                \
  EACH(toy)                         \
  EACH(accumulation)                \
  EACH(layernorm)                   \
  EACH(norm)                        \
  EACH(softmax)                     \
  EACH(cross_entropy)               \
  EACH(vit)                         \
  EACH(vlm)                         \
  EACH(own_model)

#define TENSORSCOPE_ENUMERATOR(name) name,
enum class WorkloadKind : std::uint8_t { TENSORSCOPE_WORKLOADS(TENSORSCOPE_ENUMERATOR) };
inline constexpr int kWorkloadCount = [] {
  enum : int { TENSORSCOPE_WORKLOADS(TENSORSCOPE_ENUMERATOR) count };
  return static_cast<int>(count);
}();
#undef TENSORSCOPE_ENUMERATOR
// tf32: tensors as fp32, matrix products of CUDA with 10 bits of mantissa.
enum class DataType : std::uint8_t { fp32, tf32, bf16, fp16 };
enum class Autocast : std::uint8_t { off, bf16, fp16 };
// All attention backends and their written names; core/spec/backend_traits.cpp has a row for each.
// tiled: FlashAttention-2 written in operators, one tile after the other. own: the same by kernels
// of this project.
#define TENSORSCOPE_BACKENDS(EACH) \
  EACH(naive, naive)               \
  EACH(math, math)                 \
  EACH(flash, flash)               \
  EACH(efficient, efficient)       \
  EACH(cudnn, cudnn)               \
  EACH(tiled, tiled)               \
  EACH(own, own)                   \
  EACH(automatic, auto)

#define TENSORSCOPE_ENUMERATOR(name, written) name,
enum class AttentionBackend : std::uint8_t { TENSORSCOPE_BACKENDS(TENSORSCOPE_ENUMERATOR) };
inline constexpr int kBackendCount = [] {
  enum : int { TENSORSCOPE_BACKENDS(TENSORSCOPE_ENUMERATOR) count };
  return static_cast<int>(count);
}();
#undef TENSORSCOPE_ENUMERATOR
// generate: a prompt of T tokens, then new tokens one after the other.
enum class Pass : std::uint8_t { forward, forward_backward, full_step, generate };
enum class DeviceKind : std::uint8_t { cpu, cuda };
enum class FeedForward : std::uint8_t { swiglu, gelu, geglu };
enum class NormKind : std::uint8_t { rmsnorm, layernorm };
enum class Positions : std::uint8_t { rope, learned, none };
enum class OptimizerKind : std::uint8_t {
  adamw_fused,
  adamw_foreach,
  adamw_loop,
  adamw_out_of_place,
  adamw_8bit,
  sgd
};
// The type of AdamW's moments and of SGD's momentum where parameters have 16 bits. parameter: as
// PyTorch's optimizers make them. fp32: 12 bytes a parameter with weight and gradient.
// fp32_master: with fp32 master weights that the update changes, 16 bytes.
enum class OptimizerState : std::uint8_t { parameter, fp32, fp32_master };
enum class Schedule : std::uint8_t { constant, cosine };
enum class ZeroGrad : std::uint8_t { none, zero };
enum class Checkpoint : std::uint8_t { off, blocks, attention };
// The two parts of a block, attention and feed-forward. serial: the second works on what the first
// has added. parallel: both work on the input of the block, each behind a norm of its own
// (GPT-NeoX). shared_norm: both work on the output of one norm (GPT-J, Phi).
enum class BlockForm : std::uint8_t { serial, parallel, shared_norm };
// The token of a corpus: one of 256 bytes, or one of the characters that occur in it.
enum class Tokenizer : std::uint8_t { byte, character };
// Steps before the timing begins. automatic: until the step times settle. A number is for the
// exercise on warm-up: nothing runs before these steps, and the recording comes after the timing.
enum class Warmups : std::uint8_t { automatic, none, one, two, five, ten };
// The state of the caches of the processor, or of the card, at the start of a step. hot: as the
// previous step left them. cold: they are evicted before every step.
enum class Cache : std::uint8_t { hot, cold };
// eager: operator after operator. inductor: a package that PyTorch's Inductor made of the step
// ahead of time, on this machine. max_autotune: the same, and for each product Inductor times its
// own kernels against the library's and takes the fastest.
enum class Compile : std::uint8_t { eager, inductor, max_autotune };
// The scalar from which an own model's backward starts. automatic: its first output if that is one
// number, cross entropy where it looks tokens up, else the mean.
enum class Loss : std::uint8_t { automatic, mean, cross_entropy, own };
// Who computes norms, the softmax of naive attention, weighted sums and the cross entropy. torch:
// LibTorch's operators. own: kernels of this project; the projection to logits is part of their
// cross entropy.
enum class Kernels : std::uint8_t { torch, own };
// Softmax of naive attention, SiLU and cross entropy. fused: one operator of LibTorch's. written:
// in plain ones, as the assignment asks for: exp of x - max, its sum, the quotient; x sigmoid(x);
// the logarithm of a sum of exponentials less the logit of the class.
enum class Form : std::uint8_t { fused, written };
// The causal mask of naive attention. shared: made once for all layers. layer: made by every layer
// in every forward, [T, T]. head: the same, for every sequence and head, [B, H, T, T].
enum class CausalMask : std::uint8_t { shared, layer, head };
// Linear layers and the products of naive attention. einsum: autocast keeps no cast of a weight,
// for einsum multiplies a view of it.
enum class ProductForm : std::uint8_t { matmul, einsum };
// The linear layers of a block that have an adapter (LoRA). qv: to queries and values, as the paper
// has it. qkvo: all four of attention. all: also those of the feed-forward part.
enum class LoraOn : std::uint8_t { qv, qkvo, all };
// How what the experts of a token make of it is weighed: by the softmax of the router's scores,
// made to sum to one (Mixtral) or as it is (DeepSeek-V2), or by their sigmoid, made to sum to one
// (DeepSeek-V3).
enum class ExpertWeights : std::uint8_t { normalised, softmax, sigmoid };
// How an image becomes tokens: by a convolution with the size and stride of a patch, or by a linear
// layer on the numbers of each patch.
enum class PatchForm : std::uint8_t { convolution, linear };
// The result of an encoder of images. class_token: in vit one more token's, in vlm all patches,
// without that token. mean: in vit one token, in vlm the means of neighbours. resampler: learned
// queries attend to the patches.
enum class Pool : std::uint8_t { class_token, mean, resampler };
// The way from images to the width of the language model: one linear layer, or two with GELU
// between.
enum class Projector : std::uint8_t { linear, mlp };
// The parts of a vision-language model that are not trained: they have neither gradients of their
// parameters nor state. both: the projector alone is trained.
enum class Frozen : std::uint8_t { none, encoder, language, both };
// A mistake of training loops, made on purpose so that its effect can be seen.
//   no_zero_grad     gradients of earlier steps are not dropped, so they add up
//   kept_graph       the loss of every step (or the output of a forward that keeps its graph) is
//                    kept with its graph, and the backward does not free it (retain_graph)
//   kept_output      the output of a step lives until the next one has its own
//   no_sync          the clock does not wait for the device
//   clip_after_step  gradients are clipped when the optimizer has used them
//   clip_scaled      gradients are clipped before they are unscaled
//   rebuild          model and optimizer are built anew in every step
enum class Habit : std::uint8_t {
  none,
  no_zero_grad,
  kept_graph,
  kept_output,
  no_sync,
  clip_after_step,
  clip_scaled,
  rebuild
};

// All settings that determine a run. It is the key of every cache and export; the JSON round trip
// is exact. Symbols: B batch, T sequence length. Fields that a workload does not use keep their
// value and have no effect (see field_applies).
struct WorkloadSpec {
  WorkloadKind workload = WorkloadKind::attention;
  std::int64_t batch = 4;      // B, of one micro-batch
  std::int64_t seq_len = 512;  // T
  std::int64_t d_model = 512;
  std::int64_t heads = 8;
  std::int64_t d_head = 64;  // attention only; block and lm use d_model / heads
  std::int64_t layers = 4;
  std::int64_t d_ff = 2048;
  std::int64_t vocab = 10000;
  DataType dtype = DataType::fp32;
  AttentionBackend backend = AttentionBackend::naive;
  Pass pass = Pass::forward_backward;
  bool causal = true;
  std::uint64_t seed = 0;
  DeviceKind device = DeviceKind::cpu;
  std::int64_t device_index = 0;
  std::string target_gpu = "RTX 4090";  // name in the GPU catalogue: capacity line and verdict
  std::int64_t memory_limit = 0;        // bytes the allocator may hold; 0: capacity of target_gpu,
                                        // at most 80 % of RAM on cpu
  std::int64_t kv_heads = 0;            // grouped queries share keys and values; 0: heads
  std::int64_t seq_len_kv = 0;          // T_kv of cross attention; 0: T
  std::int64_t tile_q = 64;             // rows and columns of a tile of tiled and own
  std::int64_t tile_k = 64;
  bool fused_qkv = false;                 // one projection of Q, K and V instead of three
  FeedForward mlp = FeedForward::gelu;    // of the workload mlp
  FeedForward ffn = FeedForward::swiglu;  // of block and lm
  NormKind norm = NormKind::rmsnorm;
  Positions positions = Positions::rope;
  bool bias = false;  // of block and lm: linear layers (not SwiGLU's) and LayerNorm
  bool tied = false;  // the head is the embedding
  Autocast autocast = Autocast::off;
  bool grad_scaler = false;
  std::int64_t init_scale = 65536;
  std::int64_t growth_interval = 2000;  // clean steps before the scale doubles
  bool keep_graph = false;              // forward pass: with autograd's graph
  OptimizerKind optimizer = OptimizerKind::adamw_fused;
  double learning_rate = 3e-4;
  double weight_decay = 0.1;
  double momentum = 0;  // SGD
  Schedule schedule = Schedule::constant;
  std::int64_t warmup_steps = 200;
  std::int64_t cycle_steps = 10000;
  double min_learning_rate = 3e-5;
  double clip = 0;  // largest total norm of the gradients; 0: no clipping
  ZeroGrad zero_grad = ZeroGrad::none;
  Checkpoint checkpoint = Checkpoint::off;
  std::int64_t checkpoint_every = 1;  // blocks that are run again together
  std::int64_t accumulate = 1;        // micro-batches of a step
  Warmups warmups = Warmups::automatic;
  std::string corpus;  // path of a text whose tokens are read; empty: random tokens
  Tokenizer tokenizer = Tokenizer::byte;
  std::int64_t new_tokens = 32;  // of pass generate, as are the next three
  bool kv_cache = true;
  double temperature = 1;  // 0: always the most likely token
  std::int64_t top_k = 0;  // sample from the k most likely tokens; 0: from all
  Cache cache = Cache::hot;
  // PYTORCH_CUDA_ALLOC_CONF of the target card, in predictions; empty: PyTorch's defaults.
  std::string alloc_conf;
  std::int64_t threads = 0;  // CPU threads that an operator may use; 0: LibTorch's own number
  bool cuda_graph = false;   // the step is captured once and replayed
  bool projections = false;  // attention: Q, K, V come from one input [B, T, heads * d_head]
  Compile compile = Compile::eager;
  OptimizerState optimizer_state = OptimizerState::fp32;
  std::string model;      // path of the .pt2 of an own model
  std::int64_t dim1 = 0;  // its open dimensions beside B and T, in order; 0: as exported
  std::int64_t dim2 = 0;
  std::int64_t dim3 = 0;
  std::int64_t dim4 = 0;
  Loss loss = Loss::automatic;
  Form softmax = Form::fused;
  Form silu = Form::fused;
  Form cross_entropy = Form::fused;
  CausalMask mask = CausalMask::shared;
  ProductForm products = ProductForm::matmul;
  bool rope_fp32 = false;  // rotary positions in fp32, whatever the type, with casts to and fro
  Kernels kernels = Kernels::torch;
  // Adapters of low rank beside linear layers of blocks (of vlm in its language model), which are
  // frozen as all else then is; 0: none.
  std::int64_t lora_rank = 0;
  LoraOn lora_on = LoraOn::qv;
  double lora_alpha = 16;    // an adapter adds lora_alpha / lora_rank times its product
  bool lora_merged = false;  // the adapters are added to the weights beforehand
  std::int64_t window = 0;   // keys that a query sees at most (sliding window); 0: no limit
  std::int64_t packed = 0;   // tokens of each sequence of several that are packed into T; 0: one
  std::int64_t padding = 0;  // padded keys of the shortest sequence of a batch
  double attn_dropout = 0;   // share of the probabilities of attention that are dropped
  double dropout = 0;        // the same of embeddings and of what is added to the residual stream
  std::int64_t experts = 0;  // feed-forward parts between which a router chooses; 0: one, no router
  std::int64_t experts_per_token = 2;
  double capacity =
      1.25;  // room of an expert, over an equal share of the tokens; 0: for all tokens
  Habit habit = Habit::none;
  std::int64_t image = 224;  // pixels of a side; an image has three channels
  std::int64_t patch = 16;
  PatchForm patches = PatchForm::convolution;
  bool stem_norm = false;  // a norm before the first block; the patches then have no bias (CLIP)
  Pool pool = Pool::class_token;
  std::int64_t image_tokens = 64;  // of pool mean (vlm) and resampler
  std::int64_t images = 1;         // of a sequence, before its text
  std::int64_t encoder_width = 256;
  std::int64_t encoder_heads = 4;
  std::int64_t encoder_layers = 4;
  std::int64_t encoder_ff = 1024;
  Projector projector = Projector::mlp;
  Frozen frozen = Frozen::none;
  std::int64_t frozen_layers = 0;  // what is before the blocks, and so many of these
  // For block and lm. Width of the heads of queries and keys; 0: d_model / heads.
  std::int64_t head_width = 0;
  bool qkv_bias = false;  // biases of the projections to queries, keys and values alone
  bool qk_norm = false;   // a norm of every head of queries and keys, before positions enter
  // Experts: their hidden width (0: d_ff); that of one more that every token is sent to (0: none),
  // and whether a gate weighs it; blocks without experts, from the first on; experts in every n-th.
  std::int64_t expert_ff = 0;
  std::int64_t shared_ff = 0;
  bool shared_gate = false;
  std::int64_t dense_layers = 0;
  std::int64_t expert_every = 1;
  ExpertWeights expert_weights = ExpertWeights::normalised;
  double expert_scale = 1;  // multiplies these weights
  // Latent attention (DeepSeek-V2): width of what keys and values are made of, and the cache keeps;
  // 0: there is none. Width of what queries are made of (0: the input); of the part of a head that
  // rotary positions turn (0: half; without latent attention the whole head, and the setting
  // applies there too); of a head of values (0: as keys).
  std::int64_t kv_rank = 0;
  std::int64_t q_rank = 0;
  std::int64_t rope_width = 0;
  std::int64_t v_width = 0;
  std::int64_t full_every = 0;  // blocks with a window: every n-th has none; 0: all have it
  BlockForm block_form = BlockForm::serial;
  bool post_norm = false;  // a norm of what attention and feed-forward give, before it is added
  bool head_bias = false;  // of the last layer of lm
  // Scores of naive attention, and logits, become cap tanh(x / cap) (Gemma 2); 0: they do not.
  double softcap = 0;
  double logit_softcap = 0;
  std::int64_t max_positions = 0;  // rows of lm's table of learned positions; 0: context_length()
  friend bool operator==(const WorkloadSpec&, const WorkloadSpec&) = default;
};

// The settable fields, by the name used in JSON and in --set name=value; core/spec/spec_fields.h
// has a row of facts on each.
enum class Field : std::uint8_t {
  workload,
  B,
  T,
  d_model,
  heads,
  d_head,
  layers,
  d_ff,
  vocab,
  dtype,
  backend,
  pass,
  causal,
  seed,
  device,
  device_index,
  target_gpu,
  memory_limit,
  kv_heads,
  T_kv,
  tile_q,
  tile_k,
  fused_qkv,
  mlp,
  ffn,
  norm,
  positions,
  bias,
  tied,
  autocast,
  grad_scaler,
  init_scale,
  growth_interval,
  keep_graph,
  optimizer,
  lr,
  weight_decay,
  momentum,
  schedule,
  warmup_steps,
  cycle_steps,
  min_lr,
  clip,
  zero_grad,
  checkpoint,
  checkpoint_every,
  accumulate,
  warmups,
  corpus,
  tokenizer,
  new_tokens,
  kv_cache,
  temperature,
  top_k,
  cache,
  alloc_conf,
  threads,
  cuda_graph,
  projections,
  compile,
  optimizer_state,
  model,
  loss,
  dim1,
  dim2,
  dim3,
  dim4,
  softmax,
  silu,
  cross_entropy,
  mask,
  products,
  rope_fp32,
  kernels,
  lora_rank,
  lora_on,
  lora_alpha,
  lora_merged,
  window,
  packed,
  padding,
  attn_dropout,
  dropout,
  experts,
  experts_per_token,
  capacity,
  habit,
  image,
  patch,
  patches,
  stem_norm,
  pool,
  image_tokens,
  images,
  encoder_width,
  encoder_heads,
  encoder_layers,
  encoder_ff,
  projector,
  frozen,
  frozen_layers,
  head_width,
  qkv_bias,
  qk_norm,
  expert_ff,
  shared_ff,
  shared_gate,
  dense_layers,
  expert_every,
  expert_weights,
  expert_scale,
  kv_rank,
  q_rank,
  rope_width,
  v_width,
  full_every,
  block_form,
  post_norm,
  head_bias,
  softcap,
  logit_softcap,
  max_positions,
};
inline constexpr int kFieldCount = static_cast<int>(Field::max_positions) + 1;

const char* field_name(Field field);

// Smallest and largest possible value of a field that is a plain number; {0, 0} for the others.
struct FieldRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};
FieldRange field_range(Field field);

// Empty when the field matters for this spec, else the reason why not, as a key of the locale files
// (field.reason.*).
std::string field_reason(const WorkloadSpec& spec, Field field);
inline bool field_applies(const WorkloadSpec& spec, Field field) {
  return field_reason(spec, field).empty();
}

const char* to_string(WorkloadKind value);      // attention mlp block lm weighted_sum toy ...
const char* to_string(DataType value);          // fp32 tf32 bf16 fp16
const char* to_string(AttentionBackend value);  // naive math flash efficient cudnn tiled own auto
const char* to_string(Pass value);              // forward forward+backward full_step generate
const char* to_string(DeviceKind value);        // cpu cuda
const char* to_string(Cache value);             // hot cold
const char* to_string(Compile value);           // eager inductor max-autotune
const char* to_string(Habit value);             // none no_zero_grad kept_graph ...

// A problem with one field, in plain English; `key` and `arguments` give the same sentence from the
// locale files (spec.error.*).
struct SpecProblem : base::Message {
  Field field = Field::workload;
};

// True if a pass has a backward.
inline bool has_backward(Pass pass) {
  return pass == Pass::forward_backward || pass == Pass::full_step;
}

// Each invalid value has its sentence. Empty: the spec can be run, as far as can be said without
// the machine (memory, a missing device). A number out of range is a problem in every field;
// combinations are checked only for fields that apply.
std::vector<SpecProblem> validate(const WorkloadSpec& spec);

nlohmann::json to_json(const WorkloadSpec& spec);
// Missing keys take their default. Unknown keys, wrong types and impossible values are errors that
// name the key.
base::Result<WorkloadSpec> spec_from_json(const nlohmann::json& json);
// --set name=value. Counts accept k, M, G (1000) and Ki, Mi, Gi (1024): "2Ki"; memory_limit accepts
// "2GiB", "512 MiB", "1.5GB" and "auto". Only this value is checked; call validate() when all are
// set. On an error the spec is unchanged.
base::Result<void> set_field(WorkloadSpec& spec, std::string_view name, std::string_view value);
// The reason why a text is not a valid value of the setting: its error, with the key of its words.
std::optional<SpecProblem> value_problem(Field field, std::string_view value);

}  // namespace ts::spec
