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

// The settable fields, by the name used in JSON and in --set name=value: the enumerators, and the
// rest of each row of core/spec/spec_fields.h. The upper bounds are far above what a machine can
// run; they keep every product of two sizes exact.
// clang-format off
#define TENSORSCOPE_FIELDS(EACH) \
  EACH(workload, S::workload, choice<&W::workload>(kWorkloads), "what runs") \
  EACH(B, S::shape, NumberField{&W::batch, {1, kKi * kKi}, {1, 256}}, "sequences at once", reason_adds) \
  EACH(T, S::shape, NumberField{&W::seq_len, {1, kKi * kKi}, {1, 64 * kKi}}, "tokens of a sequence; additions of accumulation", reason_length) \
  EACH(d_model, S::shape, NumberField{&W::d_model, {1, 64 * kKi}, {32, 8 * kKi}}, "width of the residual stream", reason_d_model) \
  EACH(heads, S::shape, NumberField{&W::heads, {1, kKi}, {1, 128}}, "attention heads", reason_attention) \
  EACH(d_head, S::shape, NumberField{&W::d_head, {1, 4 * kKi}, {8, 256}}, "width of a head", reason_d_head) \
  EACH(layers, S::shape, NumberField{&W::layers, {1, kKi}, {1, 128}}, "transformer blocks", reason_layers) \
  EACH(d_ff, S::shape, NumberField{&W::d_ff, {1, kKi * kKi}, {8, 32 * kKi}}, "hidden width of the feed-forward part", reason_d_ff) \
  EACH(vocab, S::shape, NumberField{&W::vocab, {2, 16 * kKi * kKi}, {8, 256 * kKi}}, "different tokens, or classes", reason_vocab) \
  EACH(dtype, S::precision, choice<&W::dtype>(kDataTypes), "type of parameters and inputs", reason_sums) \
  EACH(backend, S::attention, choice<&W::backend>(kBackends), "how attention is computed", reason_attention) \
  EACH(pass, S::pass, choice<&W::pass>(kPasses), "how far a step goes") \
  EACH(causal, S::attention, FlagField{&W::causal}, "no position sees a later one", reason_causal) \
  EACH(seed, S::device, SeedField{&W::seed}, "of parameters and inputs", reason_adds) \
  EACH(device, S::device, choice<&W::device>(kDevices), "where it runs") \
  EACH(device_index, S::device, NumberField{&W::device_index, {0, 63}, {}}, "which GPU", reason_device_index) \
  EACH(target_gpu, S::device, TextField{&W::target_gpu}, "card whose capacity is the limit") \
  EACH(memory_limit, S::device, BytesField{&W::memory_limit, {kMebibyte, kPebibyte}}, "bytes the allocator may hold, instead of the card's") \
  EACH(kv_heads, S::attention, NumberField{&W::kv_heads, {0, kKi}, {1, 128}, Field::heads}, "heads of keys and values, shared by groups of queries", reason_kv_heads) \
  EACH(T_kv, S::attention, NumberField{&W::seq_len_kv, {0, kKi * kKi}, {1, 64 * kKi}, Field::T}, "length of keys and values in cross attention", reason_t_kv) \
  EACH(tile_q, S::attention, NumberField{&W::tile_q, {1, 64 * kKi}, {16, 512}}, "queries of a tile", reason_tiles) \
  EACH(tile_k, S::attention, NumberField{&W::tile_k, {1, 64 * kKi}, {16, 512}}, "keys of a tile", reason_tiles) \
  EACH(fused_qkv, S::model, FlagField{&W::fused_qkv}, "one projection for Q, K and V", reason_fused_qkv) \
  EACH(mlp, S::model, choice<&W::mlp>(kFeedForwards), "form of the MLP; gelu has biases", reason_mlp) \
  EACH(ffn, S::model, choice<&W::ffn>(kFeedForwards), "feed-forward part of a block", reason_block) \
  EACH(norm, S::model, choice<&W::norm>(kNorms), "normalisation before each part", reason_norm) \
  EACH(positions, S::model, choice<&W::positions>(kPositions), "how positions enter", reason_block) \
  EACH(bias, S::model, FlagField{&W::bias}, "biases in linear layers (not SwiGLU's) and LayerNorm", reason_block) \
  EACH(tied, S::model, FlagField{&W::tied}, "the head is the embedding", reason_tied) \
  EACH(autocast, S::precision, choice<&W::autocast>(kAutocasts), "matrix products in 16 bits, the rest in fp32", reason_autocast) \
  EACH(grad_scaler, S::precision, FlagField{&W::grad_scaler}, "scale the loss so that fp16 gradients do not vanish", reason_scaler) \
  EACH(init_scale, S::precision, NumberField{&W::init_scale, {1, kKi * kKi * kKi * kKi}, {1, kKi * kKi * kKi}}, "first scale", reason_scaler_on) \
  EACH(growth_interval, S::precision, NumberField{&W::growth_interval, {1, kKi * kKi}, {1, 4 * kKi}}, "clean steps before the scale doubles", reason_scaler_on) \
  EACH(keep_graph, S::pass, FlagField{&W::keep_graph}, "forward keeps what a backward would need", reason_keep_graph) \
  EACH(optimizer, S::optimizer, choice<&W::optimizer>(kOptimizers), "who updates the parameters", reason_step) \
  EACH(lr, S::optimizer, RealField{&W::learning_rate, 0, 1000}, "learning rate", reason_step) \
  EACH(weight_decay, S::optimizer, RealField{&W::weight_decay, 0, 1000}, "decoupled for AdamW, an L2 term for SGD", reason_step) \
  EACH(momentum, S::optimizer, RealField{&W::momentum, 0, 1}, "of SGD", reason_momentum) \
  EACH(schedule, S::optimizer, choice<&W::schedule>(kSchedules), "of the learning rate", reason_step) \
  EACH(warmup_steps, S::optimizer, NumberField{&W::warmup_steps, {0, kKi * kKi}, {1, 16 * kKi}}, "steps of linear warm-up", reason_cosine) \
  EACH(cycle_steps, S::optimizer, NumberField{&W::cycle_steps, {1, kKi * kKi * kKi}, {1, kKi * kKi}}, "step at which min_lr is reached", reason_cosine) \
  EACH(min_lr, S::optimizer, RealField{&W::min_learning_rate, 0, 1000}, "learning rate at the end of the cosine", reason_cosine) \
  EACH(clip, S::optimizer, RealField{&W::clip, 0, 1e9}, "largest total norm of the gradients; 0: no clipping", reason_step) \
  EACH(zero_grad, S::optimizer, choice<&W::zero_grad>(kZeroGrads), "gradients are dropped (none) or set to zero before a step", reason_backward) \
  EACH(checkpoint, S::memory, choice<&W::checkpoint>(kCheckpoints), "what the backward computes again instead of keeping it", reason_checkpoint) \
  EACH(checkpoint_every, S::memory, NumberField{&W::checkpoint_every, {1, kKi}, {1, 128}}, "blocks that are computed again together", reason_checkpoint_every) \
  EACH(accumulate, S::memory, NumberField{&W::accumulate, {1, kKi}, {1, 128}}, "micro-batches of B sequences a step", reason_accumulate) \
  EACH(warmups, S::pass, choice<&W::warmups>(kWarmups), "steps before the timing; auto: until their times settle") \
  EACH(corpus, S::data, TextField{&W::corpus}, "text file whose tokens are read; empty: random tokens", reason_lm) \
  EACH(tokenizer, S::data, choice<&W::tokenizer>(kTokenizers), "what a token of the corpus is", reason_corpus) \
  EACH(new_tokens, S::generation, NumberField{&W::new_tokens, {1, 16 * kKi}, {1, 4 * kKi}}, "tokens after the prompt of T", reason_generate) \
  EACH(kv_cache, S::generation, FlagField{&W::kv_cache}, "keep keys and values; else the whole text runs again for every token", reason_generate) \
  EACH(temperature, S::generation, RealField{&W::temperature, 0, 100}, "divides the logits; 0: the likeliest token", reason_generate) \
  EACH(top_k, S::generation, NumberField{&W::top_k, {0, 16 * kKi * kKi}, {1, 256 * kKi}, Field::vocab}, "sample from the k likeliest tokens", reason_generate) \
  EACH(cache, S::pass, choice<&W::cache>(kCaches), "caches as the step before left them, or driven out before every step") \
  EACH(alloc_conf, S::device, TextField{&W::alloc_conf, "as PYTORCH_CUDA_ALLOC_CONF"}, "settings of the card's allocator, in predictions") \
  EACH(threads, S::device, NumberField{&W::threads, {0, kKi}, {1, 128}}, "CPU threads of an operator; 0: as many as LibTorch takes", reason_threads) \
  EACH(cuda_graph, S::pass, FlagField{&W::cuda_graph}, "capture the step as a CUDA graph and replay it", reason_cuda_graph) \
  EACH(projections, S::attention, FlagField{&W::projections}, "Q, K and V are made of one input by linear layers", reason_projections) \
  EACH(compile, S::pass, choice<&W::compile>(kCompiles), "operator after operator, or a package that PyTorch's Inductor made ahead of time, also with kernels tried out", reason_compile) \
  EACH(optimizer_state, S::optimizer, choice<&W::optimizer_state>(kOptimizerStates), "type of the moments of 16-bit parameters: theirs, as PyTorch's optimizers do, or fp32, also with fp32 master weights", reason_optimizer_state) \
  EACH(model, S::workload, TextField{&W::model, "a path"}, "file of torch.export whose module runs", reason_model) \
  EACH(loss, S::pass, choice<&W::loss>(kLosses), "of an own model: the mean of its output, cross entropy on logits, or its own", reason_loss) \
  EACH(dim1, S::shape, NumberField{&W::dim1, {0, kKi * kKi}, {1, 64 * kKi}}, "first open dimension of an own model beside B and T; 0: as exported", reason_model) \
  EACH(dim2, S::shape, NumberField{&W::dim2, {0, kKi * kKi}, {1, 64 * kKi}}, "second open dimension of an own model beside B and T", reason_model) \
  EACH(dim3, S::shape, NumberField{&W::dim3, {0, kKi * kKi}, {1, 64 * kKi}}, "third open dimension of an own model beside B and T", reason_model) \
  EACH(dim4, S::shape, NumberField{&W::dim4, {0, kKi * kKi}, {1, 64 * kKi}}, "fourth open dimension of an own model beside B and T", reason_model) \
  EACH(softmax, S::attention, choice<&W::softmax>(kForms), "of naive attention: one operator, or exp of x - max, sum and quotient written out", reason_softmax) \
  EACH(silu, S::model, choice<&W::silu>(kForms), "of SwiGLU: one operator, or x times sigmoid(x)", reason_silu) \
  EACH(cross_entropy, S::model, choice<&W::cross_entropy>(kForms), "one operator, or the logarithm of a sum of exponentials written out", reason_cross_entropy) \
  EACH(mask, S::attention, choice<&W::mask>(kMasks), "mask of naive attention: one for all layers, or made by every layer, also for every head", reason_mask) \
  EACH(products, S::model, choice<&W::products>(kProducts), "linear layers and products of naive attention: linear and matmul, or einsum", reason_products) \
  EACH(rope_fp32, S::precision, FlagField{&W::rope_fp32}, "turn queries and keys in fp32, with casts to and fro", reason_rope_fp32) \
  EACH(kernels, S::model, choice<&W::kernels>(kKernels), "norms, softmax of naive attention, weighted sum and cross entropy: LibTorch's operators, or kernels of our own", reason_kernels) \
  EACH(lora_rank, S::model, NumberField{&W::lora_rank, {0, 64 * kKi}, {1, 512}}, "rank of adapters (LoRA), which alone are trained; 0: none", reason_block) \
  EACH(lora_on, S::model, choice<&W::lora_on>(kLoraOns), "linear layers with an adapter: queries and values, all of attention, or the feed-forward part too", reason_lora_on) \
  EACH(lora_alpha, S::model, RealField{&W::lora_alpha, 0, 1e6}, "an adapter adds lora_alpha / lora_rank times its product", reason_lora_on) \
  EACH(lora_merged, S::model, FlagField{&W::lora_merged}, "the adapters are added to the weights beforehand: the model is then as without", reason_lora_on) \
  EACH(window, S::attention, NumberField{&W::window, {0, kKi * kKi}, {1, 64 * kKi}}, "keys that a query sees at most: itself and those before it, without causal also those behind; 0: no limit", reason_window) \
  EACH(packed, S::attention, NumberField{&W::packed, {0, kKi * kKi}, {1, 64 * kKi}}, "tokens of each of the sequences packed into T, which do not see each other; 0: one sequence", reason_masks) \
  EACH(padding, S::attention, NumberField{&W::padding, {0, kKi * kKi}, {1, 64 * kKi}}, "padded keys of the last sequence of a batch, which no other token sees; those before it have evenly fewer", reason_masks) \
  EACH(attn_dropout, S::attention, RealField{&W::attn_dropout, 0, 0.99}, "share of the probabilities of attention that are dropped", reason_attn_dropout) \
  EACH(dropout, S::model, RealField{&W::dropout, 0, 0.99}, "share of embeddings and of what attention and feed-forward add that is dropped", reason_dropout) \
  EACH(experts, S::model, NumberField{&W::experts, {0, kKi}, {2, 128}}, "feed-forward parts of a block between which a router chooses; 0: one, without a router", reason_experts) \
  EACH(experts_per_token, S::model, NumberField{&W::experts_per_token, {1, 64}, {1, 16}}, "experts that each token is sent to", reason_experts_on) \
  EACH(capacity, S::model, RealField{&W::capacity, 0, 1000}, "tokens that an expert takes, over an equal share of all; what is more is dropped; 0: all have room", reason_experts_on) \
  EACH(habit, S::pass, choice<&W::habit>(kHabits), "a mistake of training loops, made on purpose", reason_habit) \
  EACH(image, S::shape, NumberField{&W::image, {1, 4 * kKi}, {16, 2 * kKi}}, "pixels of a side of an image, which has three channels", reason_images) \
  EACH(patch, S::shape, NumberField{&W::patch, {1, kKi}, {4, 64}}, "pixels of a side of a patch, which becomes a token", reason_images) \
  EACH(patches, S::model, choice<&W::patches>(kPatchForms), "what makes tokens of patches: a convolution, or a linear layer on their numbers", reason_images) \
  EACH(stem_norm, S::model, FlagField{&W::stem_norm}, "a norm before the first block of an encoder of images, whose patches then have no bias, as in CLIP", reason_images) \
  EACH(pool, S::model, choice<&W::pool>(kPools), "what an encoder of images gives: vit a class token, vlm all patches; the mean of patches; or learned queries that attend to them", reason_images) \
  EACH(image_tokens, S::shape, NumberField{&W::image_tokens, {1, 64 * kKi}, {1, 2 * kKi}}, "tokens of an image behind pool mean or resampler", reason_image_tokens) \
  EACH(images, S::shape, NumberField{&W::images, {1, 64}, {1, 16}}, "images of a sequence, before its text", reason_joined) \
  EACH(encoder_width, S::shape, NumberField{&W::encoder_width, {1, 64 * kKi}, {32, 8 * kKi}}, "d_model of the encoder of images", reason_joined) \
  EACH(encoder_heads, S::shape, NumberField{&W::encoder_heads, {1, kKi}, {1, 128}}, "heads of the encoder of images", reason_joined) \
  EACH(encoder_layers, S::shape, NumberField{&W::encoder_layers, {1, kKi}, {1, 128}}, "blocks of the encoder of images", reason_joined) \
  EACH(encoder_ff, S::shape, NumberField{&W::encoder_ff, {1, kKi * kKi}, {8, 32 * kKi}}, "d_ff of the encoder of images", reason_joined) \
  EACH(projector, S::model, choice<&W::projector>(kProjectors), "from the encoder's width to that of the language model: one linear layer, or two with GELU between", reason_joined) \
  EACH(frozen, S::model, choice<&W::frozen>(kFrozen), "parts that are not trained; both: the projector alone is", reason_frozen) \
  EACH(frozen_layers, S::model, NumberField{&W::frozen_layers, {0, kKi}, {1, 128}}, "blocks that are not trained, from the first on, nor what is before them; 0: all is trained", reason_frozen_layers) \
  EACH(head_width, S::attention, NumberField{&W::head_width, {0, 4 * kKi}, {8, 256}}, "width of a head of a block; 0: d_model / heads", reason_plain_block) \
  EACH(qkv_bias, S::model, FlagField{&W::qkv_bias}, "biases of the projections to queries, keys and values alone", reason_query_form) \
  EACH(qk_norm, S::model, FlagField{&W::qk_norm}, "a norm of every head of queries and keys", reason_query_form) \
  EACH(expert_ff, S::model, NumberField{&W::expert_ff, {0, kKi * kKi}, {8, 32 * kKi}, Field::d_ff}, "hidden width of an expert", reason_experts_on) \
  EACH(shared_ff, S::model, NumberField{&W::shared_ff, {0, kKi * kKi}, {8, 32 * kKi}}, "hidden width of an expert that every token is sent to; 0: none", reason_experts_on) \
  EACH(shared_gate, S::model, FlagField{&W::shared_gate}, "a gate weighs the shared expert for each token", reason_shared_gate) \
  EACH(dense_layers, S::model, NumberField{&W::dense_layers, {0, kKi}, {1, 128}}, "first blocks without experts, with d_ff", reason_expert_layers) \
  EACH(expert_every, S::model, NumberField{&W::expert_every, {1, kKi}, {1, 128}}, "experts are in every n-th block", reason_expert_layers) \
  EACH(expert_weights, S::model, choice<&W::expert_weights>(kExpertWeights), "weights of a token's experts: softmax made to sum to one, softmax as it is, or sigmoid made to sum to one", reason_experts_on) \
  EACH(expert_scale, S::model, RealField{&W::expert_scale, 0, 1000}, "multiplies the weights of a token's experts", reason_experts_on) \
  EACH(kv_rank, S::attention, NumberField{&W::kv_rank, {0, 64 * kKi}, {8, 2 * kKi}}, "latent attention: width of what keys and values are made of, which the cache keeps; 0: none", reason_plain_block) \
  EACH(q_rank, S::attention, NumberField{&W::q_rank, {0, 64 * kKi}, {8, 2 * kKi}}, "of latent attention: width of what queries are made of; 0: the input", reason_latent) \
  EACH(rope_width, S::attention, NumberField{&W::rope_width, {0, 4 * kKi}, {8, 256}}, "part of a head that rotary positions turn; 0: all of it, half of it with latent attention", reason_rope_width) \
  EACH(v_width, S::attention, NumberField{&W::v_width, {0, 4 * kKi}, {8, 256}}, "of latent attention: width of a head of values; 0: as of keys", reason_latent) \
  EACH(full_every, S::attention, NumberField{&W::full_every, {0, kKi}, {1, 128}}, "every n-th block has no window; 0: all have it", reason_full_every) \
  EACH(block_form, S::model, choice<&W::block_form>(kBlockForms), "feed-forward after attention, or beside it: behind a norm of its own, or behind the same norm", reason_plain_block) \
  EACH(post_norm, S::model, FlagField{&W::post_norm}, "a norm of what attention and feed-forward give, before it is added", reason_plain_block) \
  EACH(head_bias, S::model, FlagField{&W::head_bias}, "a bias of the last layer", reason_lm) \
  EACH(softcap, S::attention, RealField{&W::softcap, 0, 1e6}, "scores of naive attention become softcap tanh(score / softcap); 0: they do not", reason_plain_block) \
  EACH(logit_softcap, S::model, RealField{&W::logit_softcap, 0, 1e6}, "the same of logits; 0: they stay as they are", reason_lm) \
  EACH(max_positions, S::model, NumberField{&W::max_positions, {0, kKi * kKi}, {128, 32 * kKi}}, "rows of the table of learned positions, which limits T; 0: as many as there are tokens", reason_max_positions)
// clang-format on

#define TENSORSCOPE_ENUMERATOR(name, ...) name,
enum class Field : std::uint8_t { TENSORSCOPE_FIELDS(TENSORSCOPE_ENUMERATOR) };
inline constexpr int kFieldCount = [] {
  enum : int { TENSORSCOPE_FIELDS(TENSORSCOPE_ENUMERATOR) count };
  return static_cast<int>(count);
}();
#undef TENSORSCOPE_ENUMERATOR

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
