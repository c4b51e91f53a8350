#include "core/spec/spec_fields.h"

#include <fmt/format.h>

#include <array>

#include "core/spec/spec_reasons.h"
#include "core/text/numbers.h"

namespace ts::spec {

namespace {

#define TENSORSCOPE_NAME(name) #name,
constexpr std::array kWorkloads = {TENSORSCOPE_WORKLOADS(TENSORSCOPE_NAME)};
#undef TENSORSCOPE_NAME
constexpr std::array kDataTypes = {"fp32", "tf32", "bf16", "fp16"};
constexpr std::array kAutocasts = {"off", "bf16", "fp16"};
#define TENSORSCOPE_NAME(name, written) #written,
constexpr std::array kBackends = {TENSORSCOPE_BACKENDS(TENSORSCOPE_NAME)};
#undef TENSORSCOPE_NAME
constexpr std::array kPasses = {"forward", "forward+backward", "full_step", "generate"};
constexpr std::array kDevices = {"cpu", "cuda"};
constexpr std::array kFeedForwards = {"swiglu", "gelu", "geglu"};
constexpr std::array kNorms = {"rmsnorm", "layernorm"};
constexpr std::array kPositions = {"rope", "learned", "none"};
constexpr std::array kOptimizers = {"adamw_fused",        "adamw_foreach", "adamw_loop",
                                    "adamw_out_of_place", "adamw_8bit",    "sgd"};
constexpr std::array kOptimizerStates = {"parameter", "fp32", "fp32+master"};
constexpr std::array kSchedules = {"constant", "cosine"};
constexpr std::array kZeroGrads = {"none", "zero"};
constexpr std::array kCheckpoints = {"off", "blocks", "attention"};
constexpr std::array kWarmups = {"auto", "0", "1", "2", "5", "10"};
constexpr std::array kTokenizers = {"byte", "char"};
constexpr std::array kCaches = {"hot", "cold"};
constexpr std::array kCompiles = {"eager", "inductor", "max-autotune"};
constexpr std::array kKernels = {"torch", "own"};
constexpr std::array kForms = {"fused", "written"};
constexpr std::array kMasks = {"shared", "layer", "head"};
constexpr std::array kProducts = {"matmul", "einsum"};
constexpr std::array kLoraOns = {"qv", "qkvo", "all"};
constexpr std::array kLosses = {"auto", "mean", "cross_entropy", "own"};
constexpr std::array kHabits = {"none",    "no_zero_grad",    "kept_graph",  "kept_output",
                                "no_sync", "clip_after_step", "clip_scaled", "rebuild"};
constexpr std::array kPatchForms = {"conv", "linear"};
constexpr std::array kPools = {"class", "mean", "resampler"};
constexpr std::array kProjectors = {"linear", "mlp"};
constexpr std::array kFrozen = {"none", "encoder", "language", "both"};
constexpr std::array kExpertWeights = {"normalised", "softmax", "sigmoid"};
constexpr std::array kBlockForms = {"serial", "parallel", "shared_norm"};
constexpr std::array kTruths = {"true", "false"};
constexpr std::array kSections = {"workload",  "shape",  "model", "attention",  "precision", "pass",
                                  "optimizer", "memory", "data",  "generation", "device"};
static_assert(kSections.size() == kSectionCount);

constexpr std::int64_t kKi = 1024;
constexpr std::int64_t kMebibyte = kKi * kKi;
// No machine has more memory, and sums of it stay far from overflow.
constexpr std::int64_t kPebibyte = std::int64_t{1} << 50;

template <auto Member>
constexpr ChoiceField choice(std::span<const char* const> names) {
  return {[](const WorkloadSpec& spec) { return static_cast<int>(spec.*Member); },
          [](WorkloadSpec& spec, int value) {
            spec.*Member = static_cast<std::remove_reference_t<decltype(spec.*Member)>>(value);
          },
          names};
}

using W = WorkloadSpec;
using S = Section;

// clang-format off
// The upper bounds are far above what a machine can run; they keep every product of two sizes
// exact.
constexpr std::array<FieldRow, kFieldCount> kRows = {{
  {Field::workload, "workload", S::workload, choice<&W::workload>(kWorkloads), "what runs"},
  {Field::B, "B", S::shape, NumberField{&W::batch, {1, kKi * kKi}, {1, 256}}, "sequences at once", reason_adds},
  {Field::T, "T", S::shape, NumberField{&W::seq_len, {1, kKi * kKi}, {1, 64 * kKi}}, "tokens of a sequence; additions of accumulation", reason_length},
  {Field::d_model, "d_model", S::shape, NumberField{&W::d_model, {1, 64 * kKi}, {32, 8 * kKi}}, "width of the residual stream", reason_d_model},
  {Field::heads, "heads", S::shape, NumberField{&W::heads, {1, kKi}, {1, 128}}, "attention heads", reason_attention},
  {Field::d_head, "d_head", S::shape, NumberField{&W::d_head, {1, 4 * kKi}, {8, 256}}, "width of a head", reason_d_head},
  {Field::layers, "layers", S::shape, NumberField{&W::layers, {1, kKi}, {1, 128}}, "transformer blocks", reason_layers},
  {Field::d_ff, "d_ff", S::shape, NumberField{&W::d_ff, {1, kKi * kKi}, {8, 32 * kKi}}, "hidden width of the feed-forward part", reason_d_ff},
  {Field::vocab, "vocab", S::shape, NumberField{&W::vocab, {2, 16 * kKi * kKi}, {8, 256 * kKi}}, "different tokens, or classes", reason_vocab},
  {Field::dtype, "dtype", S::precision, choice<&W::dtype>(kDataTypes), "type of parameters and inputs", reason_sums},
  {Field::backend, "backend", S::attention, choice<&W::backend>(kBackends), "how attention is computed", reason_attention},
  {Field::pass, "pass", S::pass, choice<&W::pass>(kPasses), "how far a step goes"},
  {Field::causal, "causal", S::attention, FlagField{&W::causal}, "no position sees a later one", reason_causal},
  {Field::seed, "seed", S::device, SeedField{&W::seed}, "of parameters and inputs", reason_adds},
  {Field::device, "device", S::device, choice<&W::device>(kDevices), "where it runs"},
  {Field::device_index, "device_index", S::device, NumberField{&W::device_index, {0, 63}, {}}, "which GPU", reason_device_index},
  {Field::target_gpu, "target_gpu", S::device, TextField{&W::target_gpu}, "card whose capacity is the limit"},
  {Field::memory_limit, "memory_limit", S::device, BytesField{&W::memory_limit, {kMebibyte, kPebibyte}}, "bytes the allocator may hold, instead of the card's"},
  {Field::kv_heads, "kv_heads", S::attention, NumberField{&W::kv_heads, {0, kKi}, {1, 128}, Field::heads}, "heads of keys and values, shared by groups of queries", reason_kv_heads},
  {Field::T_kv, "T_kv", S::attention, NumberField{&W::seq_len_kv, {0, kKi * kKi}, {1, 64 * kKi}, Field::T}, "length of keys and values in cross attention", reason_t_kv},
  {Field::tile_q, "tile_q", S::attention, NumberField{&W::tile_q, {1, 64 * kKi}, {16, 512}}, "queries of a tile", reason_tiles},
  {Field::tile_k, "tile_k", S::attention, NumberField{&W::tile_k, {1, 64 * kKi}, {16, 512}}, "keys of a tile", reason_tiles},
  {Field::fused_qkv, "fused_qkv", S::model, FlagField{&W::fused_qkv}, "one projection for Q, K and V", reason_fused_qkv},
  {Field::mlp, "mlp", S::model, choice<&W::mlp>(kFeedForwards), "form of the MLP; gelu has biases", reason_mlp},
  {Field::ffn, "ffn", S::model, choice<&W::ffn>(kFeedForwards), "feed-forward part of a block", reason_block},
  {Field::norm, "norm", S::model, choice<&W::norm>(kNorms), "normalisation before each part", reason_norm},
  {Field::positions, "positions", S::model, choice<&W::positions>(kPositions), "how positions enter", reason_block},
  {Field::bias, "bias", S::model, FlagField{&W::bias}, "biases in linear layers (not SwiGLU's) and LayerNorm", reason_block},
  {Field::tied, "tied", S::model, FlagField{&W::tied}, "the head is the embedding", reason_tied},
  {Field::autocast, "autocast", S::precision, choice<&W::autocast>(kAutocasts), "matrix products in 16 bits, the rest in fp32", reason_autocast},
  {Field::grad_scaler, "grad_scaler", S::precision, FlagField{&W::grad_scaler}, "scale the loss so that fp16 gradients do not vanish", reason_scaler},
  {Field::init_scale, "init_scale", S::precision, NumberField{&W::init_scale, {1, kKi * kKi * kKi * kKi}, {1, kKi * kKi * kKi}}, "first scale", reason_scaler_on},
  {Field::growth_interval, "growth_interval", S::precision, NumberField{&W::growth_interval, {1, kKi * kKi}, {1, 4 * kKi}}, "clean steps before the scale doubles", reason_scaler_on},
  {Field::keep_graph, "keep_graph", S::pass, FlagField{&W::keep_graph}, "forward keeps what a backward would need", reason_keep_graph},
  {Field::optimizer, "optimizer", S::optimizer, choice<&W::optimizer>(kOptimizers), "who updates the parameters", reason_step},
  {Field::lr, "lr", S::optimizer, RealField{&W::learning_rate, 0, 1000}, "learning rate", reason_step},
  {Field::weight_decay, "weight_decay", S::optimizer, RealField{&W::weight_decay, 0, 1000}, "decoupled for AdamW, an L2 term for SGD", reason_step},
  {Field::momentum, "momentum", S::optimizer, RealField{&W::momentum, 0, 1}, "of SGD", reason_momentum},
  {Field::schedule, "schedule", S::optimizer, choice<&W::schedule>(kSchedules), "of the learning rate", reason_step},
  {Field::warmup_steps, "warmup_steps", S::optimizer, NumberField{&W::warmup_steps, {0, kKi * kKi}, {1, 16 * kKi}}, "steps of linear warm-up", reason_cosine},
  {Field::cycle_steps, "cycle_steps", S::optimizer, NumberField{&W::cycle_steps, {1, kKi * kKi * kKi}, {1, kKi * kKi}}, "step at which min_lr is reached", reason_cosine},
  {Field::min_lr, "min_lr", S::optimizer, RealField{&W::min_learning_rate, 0, 1000}, "learning rate at the end of the cosine", reason_cosine},
  {Field::clip, "clip", S::optimizer, RealField{&W::clip, 0, 1e9}, "largest total norm of the gradients; 0: no clipping", reason_step},
  {Field::zero_grad, "zero_grad", S::optimizer, choice<&W::zero_grad>(kZeroGrads), "gradients are dropped (none) or set to zero before a step", reason_backward},
  {Field::checkpoint, "checkpoint", S::memory, choice<&W::checkpoint>(kCheckpoints), "what the backward computes again instead of keeping it", reason_checkpoint},
  {Field::checkpoint_every, "checkpoint_every", S::memory, NumberField{&W::checkpoint_every, {1, kKi}, {1, 128}}, "blocks that are computed again together", reason_checkpoint_every},
  {Field::accumulate, "accumulate", S::memory, NumberField{&W::accumulate, {1, kKi}, {1, 128}}, "micro-batches of B sequences a step", reason_accumulate},
  {Field::warmups, "warmups", S::pass, choice<&W::warmups>(kWarmups), "steps before the timing; auto: until their times settle"},
  {Field::corpus, "corpus", S::data, TextField{&W::corpus}, "text file whose tokens are read; empty: random tokens", reason_lm},
  {Field::tokenizer, "tokenizer", S::data, choice<&W::tokenizer>(kTokenizers), "what a token of the corpus is", reason_corpus},
  {Field::new_tokens, "new_tokens", S::generation, NumberField{&W::new_tokens, {1, 16 * kKi}, {1, 4 * kKi}}, "tokens after the prompt of T", reason_generate},
  {Field::kv_cache, "kv_cache", S::generation, FlagField{&W::kv_cache}, "keep keys and values; else the whole text runs again for every token", reason_generate},
  {Field::temperature, "temperature", S::generation, RealField{&W::temperature, 0, 100}, "divides the logits; 0: the likeliest token", reason_generate},
  {Field::top_k, "top_k", S::generation, NumberField{&W::top_k, {0, 16 * kKi * kKi}, {1, 256 * kKi}, Field::vocab}, "sample from the k likeliest tokens", reason_generate},
  {Field::cache, "cache", S::pass, choice<&W::cache>(kCaches), "caches as the step before left them, or driven out before every step"},
  {Field::alloc_conf, "alloc_conf", S::device, TextField{&W::alloc_conf, "as PYTORCH_CUDA_ALLOC_CONF"}, "settings of the card's allocator, in predictions"},
  {Field::threads, "threads", S::device, NumberField{&W::threads, {0, kKi}, {1, 128}}, "CPU threads of an operator; 0: as many as LibTorch takes", reason_threads},
  {Field::cuda_graph, "cuda_graph", S::pass, FlagField{&W::cuda_graph}, "capture the step as a CUDA graph and replay it", reason_cuda_graph},
  {Field::projections, "projections", S::attention, FlagField{&W::projections}, "Q, K and V are made of one input by linear layers", reason_projections},
  {Field::compile, "compile", S::pass, choice<&W::compile>(kCompiles), "operator after operator, or a package that PyTorch's Inductor made ahead of time, also with kernels tried out", reason_compile},
  {Field::optimizer_state, "optimizer_state", S::optimizer, choice<&W::optimizer_state>(kOptimizerStates), "type of the moments of 16-bit parameters: theirs, as PyTorch's optimizers do, or fp32, also with fp32 master weights", reason_optimizer_state},
  {Field::model, "model", S::workload, TextField{&W::model, "a path"}, "file of torch.export whose module runs", reason_model},
  {Field::loss, "loss", S::pass, choice<&W::loss>(kLosses), "of an own model: the mean of its output, cross entropy on logits, or its own", reason_loss},
  {Field::dim1, "dim1", S::shape, NumberField{&W::dim1, {0, kKi * kKi}, {1, 64 * kKi}}, "first open dimension of an own model beside B and T; 0: as exported", reason_model},
  {Field::dim2, "dim2", S::shape, NumberField{&W::dim2, {0, kKi * kKi}, {1, 64 * kKi}}, "second open dimension of an own model beside B and T", reason_model},
  {Field::dim3, "dim3", S::shape, NumberField{&W::dim3, {0, kKi * kKi}, {1, 64 * kKi}}, "third open dimension of an own model beside B and T", reason_model},
  {Field::dim4, "dim4", S::shape, NumberField{&W::dim4, {0, kKi * kKi}, {1, 64 * kKi}}, "fourth open dimension of an own model beside B and T", reason_model},
  {Field::softmax, "softmax", S::attention, choice<&W::softmax>(kForms), "of naive attention: one operator, or exp of x - max, sum and quotient written out", reason_softmax},
  {Field::silu, "silu", S::model, choice<&W::silu>(kForms), "of SwiGLU: one operator, or x times sigmoid(x)", reason_silu},
  {Field::cross_entropy, "cross_entropy", S::model, choice<&W::cross_entropy>(kForms), "one operator, or the logarithm of a sum of exponentials written out", reason_cross_entropy},
  {Field::mask, "mask", S::attention, choice<&W::mask>(kMasks), "mask of naive attention: one for all layers, or made by every layer, also for every head", reason_mask},
  {Field::products, "products", S::model, choice<&W::products>(kProducts), "linear layers and products of naive attention: linear and matmul, or einsum", reason_products},
  {Field::rope_fp32, "rope_fp32", S::precision, FlagField{&W::rope_fp32}, "turn queries and keys in fp32, with casts to and fro", reason_rope_fp32},
  {Field::kernels, "kernels", S::model, choice<&W::kernels>(kKernels), "norms, softmax of naive attention, weighted sum and cross entropy: LibTorch's operators, or kernels of our own", reason_kernels},
  {Field::lora_rank, "lora_rank", S::model, NumberField{&W::lora_rank, {0, 64 * kKi}, {1, 512}}, "rank of adapters (LoRA), which alone are trained; 0: none", reason_block},
  {Field::lora_on, "lora_on", S::model, choice<&W::lora_on>(kLoraOns), "linear layers with an adapter: queries and values, all of attention, or the feed-forward part too", reason_lora_on},
  {Field::lora_alpha, "lora_alpha", S::model, RealField{&W::lora_alpha, 0, 1e6}, "an adapter adds lora_alpha / lora_rank times its product", reason_lora_on},
  {Field::lora_merged, "lora_merged", S::model, FlagField{&W::lora_merged}, "the adapters are added to the weights beforehand: the model is then as without", reason_lora_on},
  {Field::window, "window", S::attention, NumberField{&W::window, {0, kKi * kKi}, {1, 64 * kKi}}, "keys that a query sees at most: itself and those before it, without causal also those behind; 0: no limit", reason_window},
  {Field::packed, "packed", S::attention, NumberField{&W::packed, {0, kKi * kKi}, {1, 64 * kKi}}, "tokens of each of the sequences packed into T, which do not see each other; 0: one sequence", reason_masks},
  {Field::padding, "padding", S::attention, NumberField{&W::padding, {0, kKi * kKi}, {1, 64 * kKi}}, "padded keys of the last sequence of a batch, which no other token sees; those before it have evenly fewer", reason_masks},
  {Field::attn_dropout, "attn_dropout", S::attention, RealField{&W::attn_dropout, 0, 0.99}, "share of the probabilities of attention that are dropped", reason_attn_dropout},
  {Field::dropout, "dropout", S::model, RealField{&W::dropout, 0, 0.99}, "share of embeddings and of what attention and feed-forward add that is dropped", reason_dropout},
  {Field::experts, "experts", S::model, NumberField{&W::experts, {0, kKi}, {2, 128}}, "feed-forward parts of a block between which a router chooses; 0: one, without a router", reason_experts},
  {Field::experts_per_token, "experts_per_token", S::model, NumberField{&W::experts_per_token, {1, 64}, {1, 16}}, "experts that each token is sent to", reason_experts_on},
  {Field::capacity, "capacity", S::model, RealField{&W::capacity, 0, 1000}, "tokens that an expert takes, over an equal share of all; what is more is dropped; 0: all have room", reason_experts_on},
  {Field::habit, "habit", S::pass, choice<&W::habit>(kHabits), "a mistake of training loops, made on purpose", reason_habit},
  {Field::image, "image", S::shape, NumberField{&W::image, {1, 4 * kKi}, {16, 2 * kKi}}, "pixels of a side of an image, which has three channels", reason_images},
  {Field::patch, "patch", S::shape, NumberField{&W::patch, {1, kKi}, {4, 64}}, "pixels of a side of a patch, which becomes a token", reason_images},
  {Field::patches, "patches", S::model, choice<&W::patches>(kPatchForms), "what makes tokens of patches: a convolution, or a linear layer on their numbers", reason_images},
  {Field::stem_norm, "stem_norm", S::model, FlagField{&W::stem_norm}, "a norm before the first block of an encoder of images, whose patches then have no bias, as in CLIP", reason_images},
  {Field::pool, "pool", S::model, choice<&W::pool>(kPools), "what an encoder of images gives: vit a class token, vlm all patches; the mean of patches; or learned queries that attend to them", reason_images},
  {Field::image_tokens, "image_tokens", S::shape, NumberField{&W::image_tokens, {1, 64 * kKi}, {1, 2 * kKi}}, "tokens of an image behind pool mean or resampler", reason_image_tokens},
  {Field::images, "images", S::shape, NumberField{&W::images, {1, 64}, {1, 16}}, "images of a sequence, before its text", reason_joined},
  {Field::encoder_width, "encoder_width", S::shape, NumberField{&W::encoder_width, {1, 64 * kKi}, {32, 8 * kKi}}, "d_model of the encoder of images", reason_joined},
  {Field::encoder_heads, "encoder_heads", S::shape, NumberField{&W::encoder_heads, {1, kKi}, {1, 128}}, "heads of the encoder of images", reason_joined},
  {Field::encoder_layers, "encoder_layers", S::shape, NumberField{&W::encoder_layers, {1, kKi}, {1, 128}}, "blocks of the encoder of images", reason_joined},
  {Field::encoder_ff, "encoder_ff", S::shape, NumberField{&W::encoder_ff, {1, kKi * kKi}, {8, 32 * kKi}}, "d_ff of the encoder of images", reason_joined},
  {Field::projector, "projector", S::model, choice<&W::projector>(kProjectors), "from the encoder's width to that of the language model: one linear layer, or two with GELU between", reason_joined},
  {Field::frozen, "frozen", S::model, choice<&W::frozen>(kFrozen), "parts that are not trained; both: the projector alone is", reason_frozen},
  {Field::frozen_layers, "frozen_layers", S::model, NumberField{&W::frozen_layers, {0, kKi}, {1, 128}}, "blocks that are not trained, from the first on, nor what is before them; 0: all is trained", reason_frozen_layers},
  {Field::head_width, "head_width", S::attention, NumberField{&W::head_width, {0, 4 * kKi}, {8, 256}}, "width of a head of a block; 0: d_model / heads", reason_plain_block},
  {Field::qkv_bias, "qkv_bias", S::model, FlagField{&W::qkv_bias}, "biases of the projections to queries, keys and values alone", reason_query_form},
  {Field::qk_norm, "qk_norm", S::model, FlagField{&W::qk_norm}, "a norm of every head of queries and keys", reason_query_form},
  {Field::expert_ff, "expert_ff", S::model, NumberField{&W::expert_ff, {0, kKi * kKi}, {8, 32 * kKi}, Field::d_ff}, "hidden width of an expert", reason_experts_on},
  {Field::shared_ff, "shared_ff", S::model, NumberField{&W::shared_ff, {0, kKi * kKi}, {8, 32 * kKi}}, "hidden width of an expert that every token is sent to; 0: none", reason_experts_on},
  {Field::shared_gate, "shared_gate", S::model, FlagField{&W::shared_gate}, "a gate weighs the shared expert for each token", reason_shared_gate},
  {Field::dense_layers, "dense_layers", S::model, NumberField{&W::dense_layers, {0, kKi}, {1, 128}}, "first blocks without experts, with d_ff", reason_expert_layers},
  {Field::expert_every, "expert_every", S::model, NumberField{&W::expert_every, {1, kKi}, {1, 128}}, "experts are in every n-th block", reason_expert_layers},
  {Field::expert_weights, "expert_weights", S::model, choice<&W::expert_weights>(kExpertWeights), "weights of a token's experts: softmax made to sum to one, softmax as it is, or sigmoid made to sum to one", reason_experts_on},
  {Field::expert_scale, "expert_scale", S::model, RealField{&W::expert_scale, 0, 1000}, "multiplies the weights of a token's experts", reason_experts_on},
  {Field::kv_rank, "kv_rank", S::attention, NumberField{&W::kv_rank, {0, 64 * kKi}, {8, 2 * kKi}}, "latent attention: width of what keys and values are made of, which the cache keeps; 0: none", reason_plain_block},
  {Field::q_rank, "q_rank", S::attention, NumberField{&W::q_rank, {0, 64 * kKi}, {8, 2 * kKi}}, "of latent attention: width of what queries are made of; 0: the input", reason_latent},
  {Field::rope_width, "rope_width", S::attention, NumberField{&W::rope_width, {0, 4 * kKi}, {8, 256}}, "part of a head that rotary positions turn; 0: all of it, half of it with latent attention", reason_rope_width},
  {Field::v_width, "v_width", S::attention, NumberField{&W::v_width, {0, 4 * kKi}, {8, 256}}, "of latent attention: width of a head of values; 0: as of keys", reason_latent},
  {Field::full_every, "full_every", S::attention, NumberField{&W::full_every, {0, kKi}, {1, 128}}, "every n-th block has no window; 0: all have it", reason_full_every},
  {Field::block_form, "block_form", S::model, choice<&W::block_form>(kBlockForms), "feed-forward after attention, or beside it: behind a norm of its own, or behind the same norm", reason_plain_block},
  {Field::post_norm, "post_norm", S::model, FlagField{&W::post_norm}, "a norm of what attention and feed-forward give, before it is added", reason_plain_block},
  {Field::head_bias, "head_bias", S::model, FlagField{&W::head_bias}, "a bias of the last layer", reason_lm},
  {Field::softcap, "softcap", S::attention, RealField{&W::softcap, 0, 1e6}, "scores of naive attention become softcap tanh(score / softcap); 0: they do not", reason_plain_block},
  {Field::logit_softcap, "logit_softcap", S::model, RealField{&W::logit_softcap, 0, 1e6}, "the same of logits; 0: they stay as they are", reason_lm},
  {Field::max_positions, "max_positions", S::model, NumberField{&W::max_positions, {0, kKi * kKi}, {128, 32 * kKi}}, "rows of the table of learned positions, which limits T; 0: as many as there are tokens", reason_max_positions},
}};
// clang-format on

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].field) != i) return false;
  }
  return true;
}
static_assert(in_order(), "rows stand in the order of Field");

template <class Enum, std::size_t N>
const char* value_name(const std::array<const char*, N>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

struct ValuesText {
  std::string operator()(const NumberField& number) const {
    std::string text = text::grouped(number.range.min) + " to " + text::grouped(number.range.max);
    if (number.zero_is) text += std::string(", 0 as ") + field_name(*number.zero_is);
    return text;
  }
  std::string operator()(const BytesField&) const { return "2GiB, 512MiB, auto"; }
  std::string operator()(const RealField& real) const {
    return fmt::format("{} to {}", real.min, real.max);
  }
  std::string operator()(const ChoiceField& choices) const {
    return fmt::format("{}", fmt::join(choices.names, ", "));
  }
  std::string operator()(const FlagField&) const { return "true, false"; }
  std::string operator()(const SeedField&) const { return "a whole number"; }
  std::string operator()(const TextField& text) const { return text.values; }
};

struct ValueText {
  const WorkloadSpec& spec;

  std::string operator()(const ChoiceField& choice) const {
    return choice.names[static_cast<std::size_t>(choice.get(spec))];
  }
  std::string operator()(const FlagField& flag) const { return kTruths[spec.*flag.member ? 0 : 1]; }
  template <class Kind>
  std::string operator()(const Kind& kind) const {
    return fmt::format("{}", spec.*kind.member);
  }
};

}  // namespace

const char* to_string(WorkloadKind value) {
  return value_name(kWorkloads, value);
}
const char* to_string(DataType value) {
  return value_name(kDataTypes, value);
}
const char* to_string(AttentionBackend value) {
  return value_name(kBackends, value);
}
const char* to_string(Pass value) {
  return value_name(kPasses, value);
}
const char* to_string(DeviceKind value) {
  return value_name(kDevices, value);
}
const char* to_string(Cache value) {
  return value_name(kCaches, value);
}
const char* to_string(Compile value) {
  return value_name(kCompiles, value);
}
const char* to_string(Habit value) {
  return value_name(kHabits, value);
}
const char* to_string(Section value) {
  return value_name(kSections, value);
}

std::span<const FieldRow> field_rows() {
  return kRows;
}

const FieldRow& field_row(Field field) {
  return kRows[static_cast<std::size_t>(field)];
}

const char* field_name(Field field) {
  return field_row(field).name;
}

FieldRange field_range(Field field) {
  if (const auto* number = field_as<NumberField>(field)) return number->range;
  if (const auto* bytes = field_as<BytesField>(field)) return {0, bytes->range.max};
  return {};
}

std::string field_reason(const WorkloadSpec& spec, Field field) {
  const FieldRow& row = field_row(field);
  if (const char* const fixed = reason_own_model(spec, row)) return fixed;
  const char* const reason = row.reason != nullptr ? row.reason(spec) : nullptr;
  return reason != nullptr ? reason : "";
}

std::span<const char* const> field_choices(Field field) {
  if (const auto* choices = field_as<ChoiceField>(field)) return choices->names;
  if (field_as<FlagField>(field) != nullptr) return kTruths;
  return {};
}

std::string field_text(const WorkloadSpec& spec, Field field) {
  return std::visit(ValueText{spec}, field_row(field).kind);
}

std::string settings_words(const WorkloadSpec& spec, std::span<const Field> fields) {
  std::string words = to_string(spec.workload);
  const char* join = ": ";
  for (const Field field : fields) {
    if (!field_applies(spec, field)) continue;
    words += std::string(join) + field_name(field) + " = " + field_text(spec, field);
    join = ", ";
  }
  return words;
}

std::string field_help() {
  std::string help = "Settings of --set KEY=VALUE:\n";
  for (int i = 0; i < kSectionCount; ++i) {
    const auto section = static_cast<Section>(i);
    help += fmt::format("  {}\n", to_string(section));
    for (const FieldRow& row : kRows) {
      if (row.section != section) continue;
      help += fmt::format("    {:<16} {}: {}\n", row.name, row.help,
                          std::visit(ValuesText{}, row.kind));
    }
  }
  return help;
}

bool memory_grows_with(Field field) {
  switch (field) {
    case Field::B:
    case Field::T:
    case Field::d_model:
    case Field::heads:
    case Field::d_head:
    case Field::layers:
    case Field::d_ff:
    case Field::vocab:
    case Field::images:
    case Field::encoder_layers:
    case Field::dim1:
    case Field::dim2:
    case Field::dim3:
    case Field::dim4:
      return true;
    default:
      return false;
  }
}

}  // namespace ts::spec
