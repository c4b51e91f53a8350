#include "core/spec/presets.h"

#include <algorithm>
#include <array>

#include "core/base/check.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/joined.h"

namespace ts::spec {

namespace {

constexpr auto kForward = Pass::forward;
constexpr auto kTrain = Pass::forward_backward;
constexpr auto kStep = Pass::full_step;
constexpr auto kAttention = WorkloadKind::attention;
constexpr auto kMlp = WorkloadKind::mlp;
constexpr auto kBlock = WorkloadKind::block;
constexpr auto kLm = WorkloadKind::lm;
constexpr auto kSum = WorkloadKind::weighted_sum;
constexpr auto kToy = WorkloadKind::toy;
constexpr auto kAdd = WorkloadKind::accumulation;
constexpr auto kRange = WorkloadKind::layernorm;
constexpr auto kNorm = WorkloadKind::norm;
constexpr auto kSoftmax = WorkloadKind::softmax;
constexpr auto kEntropy = WorkloadKind::cross_entropy;
constexpr auto kVit = WorkloadKind::vit;
constexpr auto kVlm = WorkloadKind::vlm;

// PyTorch's scaled_dot_product_attention chooses the kernel, or attention is written out.
constexpr const char* kSdpa = "kv_heads=0 T_kv=0 projections=off backend=auto";
constexpr const char* kStandard = "kv_heads=0 T_kv=0 projections=off backend=naive";
// Every part that can be is one operator of LibTorch's.
#define TENSORSCOPE_FUSED \
  " softmax=fused silu=fused cross_entropy=fused mask=shared products=matmul rope_fp32=off"
// The settings in which the models of the course differ from GPT-2 as nanoGPT implements it.
constexpr const char* kCs336 =
    "norm=rmsnorm positions=rope ffn=swiglu bias=off tied=off fused_qkv=off kv_heads=0 "
    "backend=naive" TENSORSCOPE_FUSED;
constexpr const char* kGpt2 =
    "norm=layernorm positions=learned ffn=gelu bias=on tied=on fused_qkv=on kv_heads=0 "
    "backend=auto" TENSORSCOPE_FUSED;
constexpr const char* kA2Training =
    "norm=rmsnorm positions=rope ffn=swiglu bias=off tied=off fused_qkv=off kv_heads=0 "
    "backend=naive lr=3e-4 min_lr=3e-5 schedule=cosine warmup_steps=200 cycle_steps=10000 clip=1 "
    "weight_decay=0.1" TENSORSCOPE_FUSED;
#define TENSORSCOPE_VIT                                                                      \
  "norm=layernorm positions=learned ffn=gelu bias=on fused_qkv=off kv_heads=0 patches=conv " \
  "frozen_layers=0 lora_rank=0 backend=auto" TENSORSCOPE_FUSED
constexpr const char* kTinyVit = TENSORSCOPE_VIT " image=32 patch=8 stem_norm=off pool=class";
constexpr const char* kVit16 = TENSORSCOPE_VIT " image=224 patch=16 stem_norm=off pool=class";
constexpr const char* kClip14 = TENSORSCOPE_VIT " image=224 patch=14 stem_norm=on pool=class";
#undef TENSORSCOPE_VIT
// The language model as Llama's, behind CLIP's encoder.
#define TENSORSCOPE_VLM                                                                \
  "norm=rmsnorm positions=rope ffn=swiglu bias=off tied=off fused_qkv=off kv_heads=0 " \
  "patches=conv stem_norm=on pool=class images=1 projector=mlp lora_rank=0 "           \
  "backend=auto" TENSORSCOPE_FUSED
constexpr const char* kTinyVlm = TENSORSCOPE_VLM
    " image=32 patch=8 encoder_width=64 encoder_heads=4 encoder_layers=2 encoder_ff=256 "
    "frozen=none";
// labs.md, W11: LLaVA's parts at an eighth of their width, of the blocks a quarter.
constexpr const char* kToyVlm = TENSORSCOPE_VLM
    " image=336 patch=14 encoder_width=128 encoder_heads=2 encoder_layers=6 encoder_ff=512 "
    "frozen=encoder";
constexpr const char* kLlava = TENSORSCOPE_VLM
    " image=336 patch=14 encoder_width=1024 encoder_heads=16 encoder_layers=24 encoder_ff=4096 "
    "frozen=encoder dtype=bf16";
#undef TENSORSCOPE_VLM
#undef TENSORSCOPE_FUSED
// The model of the course with every part that the assignment has written by hand. It has no sizes:
// those chosen before stay.
constexpr const char* kAsWritten =
    "norm=rmsnorm positions=rope ffn=swiglu bias=off tied=off fused_qkv=off kv_heads=0 "
    "backend=naive softmax=written silu=written cross_entropy=written mask=head products=einsum "
    "rope_fp32=on optimizer=adamw_out_of_place";

// 10B is from a later edition of the assignment, whose xl has the shape of 2.7B here.
// clang-format off
// The first line of a preset names it, the second has its sizes.
constexpr std::array kPresets = {
  Preset{.id = "acc1", .name = "SDPA demo", .source = "ACC-1", .workload = kAttention,
         .batch = 4, .seq_len = 128, .heads = 8, .d_head = 64,
         .pass = kForward, .causal = true, .settings = kSdpa},
  Preset{.id = "lab3", .name = "FlashAttention lab", .source = "LAB-3", .workload = kAttention,
         .batch = 4, .seq_len = 512, .heads = 12, .d_head = 64,
         .pass = kForward, .settings = kStandard},
  Preset{.id = "a2-grid", .name = "A2 grid point", .source = "A2-21", .workload = kAttention,
         .batch = 8, .seq_len = 1024, .heads = 1, .d_head = 64,
         .pass = kTrain, .settings = kStandard},
  Preset{.id = "a2-w1", .name = "A2 self-attention", .source = "A2-21", .workload = kAttention,
         .batch = 8, .seq_len = 1024, .heads = 1, .d_head = 64,
         .pass = kTrain, .settings = "kv_heads=0 T_kv=0 projections=on fused_qkv=off backend=naive"},
  Preset{.id = "a2-tiled", .name = "A2 tiled attention", .source = "A2-30", .workload = kAttention,
         .batch = 1, .seq_len = 1024, .heads = 1, .d_head = 64,
         .pass = kTrain, .settings = "kv_heads=0 T_kv=0 projections=off backend=tiled tile_q=64 tile_k=64"},
  Preset{.id = "gqa", .name = "Grouped queries", .source = "VLM-35", .workload = kAttention,
         .batch = 2, .seq_len = 1024, .heads = 32, .d_head = 128,
         .pass = kTrain, .causal = true, .settings = "kv_heads=4 T_kv=0 projections=off"},
  Preset{.id = "cross", .name = "Cross attention", .source = "VLM-5", .workload = kAttention,
         .batch = 4, .seq_len = 512, .heads = 8, .d_head = 64,
         .pass = kTrain, .settings = "kv_heads=0 T_kv=576 projections=off"},
  Preset{.id = "w10", .name = "Fused QKV", .source = "VLM-25", .workload = kAttention,
         .batch = 8, .seq_len = 2048, .heads = 32, .d_head = 128,
         .pass = kTrain, .settings = "kv_heads=0 T_kv=0 projections=on fused_qkv=on backend=flash dtype=bf16"},
  Preset{.id = "w7", .name = "MLP 512-1024-512", .source = "ACC-3", .workload = kMlp,
         .batch = 32, .seq_len = 1, .d_model = 512, .d_ff = 1024,
         .pass = kTrain, .settings = "mlp=gelu"},
  Preset{.id = "swiglu", .name = "SwiGLU of small", .source = "CS336", .workload = kMlp,
         .batch = 4, .seq_len = 512, .d_model = 768, .d_ff = 3072,
         .pass = kTrain, .settings = "mlp=swiglu"},
  Preset{.id = "tiny", .name = "tiny", .source = kRunsAnywhere, .workload = kBlock,
         .batch = 2, .seq_len = 128, .d_model = 128, .heads = 4, .d_ff = 512,
         .pass = kTrain, .causal = true, .settings = kCs336},
  Preset{.id = "small", .name = "small", .source = "CS336", .workload = kBlock,
         .batch = 4, .seq_len = 512, .d_model = 768, .heads = 12, .d_ff = 3072,
         .pass = kTrain, .causal = true, .settings = kCs336},
  Preset{.id = "medium", .name = "medium", .source = "CS336", .workload = kBlock,
         .batch = 4, .seq_len = 512, .d_model = 1024, .heads = 16, .d_ff = 4096,
         .pass = kTrain, .causal = true, .settings = kCs336},
  Preset{.id = "large", .name = "large", .source = "CS336", .workload = kBlock,
         .batch = 4, .seq_len = 512, .d_model = 1280, .heads = 20, .d_ff = 5120,
         .pass = kTrain, .causal = true, .settings = kCs336},
  Preset{.id = "xl", .name = "xl", .source = "CS336", .workload = kBlock,
         .batch = 4, .seq_len = 512, .d_model = 1600, .heads = 25, .d_ff = 6400,
         .pass = kTrain, .causal = true, .settings = kCs336},
  Preset{.id = "2.7B", .name = "2.7B", .source = "CS336", .workload = kBlock,
         .batch = 4, .seq_len = 512, .d_model = 2560, .heads = 32, .d_ff = 10240,
         .pass = kTrain, .causal = true, .settings = kCs336},
  Preset{.id = "10B", .name = "10B", .source = "CS336", .workload = kBlock,
         .batch = 4, .seq_len = 512, .d_model = 4608, .heads = 36, .d_ff = 12288,
         .pass = kTrain, .causal = true, .settings = kCs336},
  Preset{.id = "a2-lm", .name = "A2-LM", .source = "A2-7", .workload = kBlock,
         .batch = 32, .seq_len = 128, .d_model = 512, .heads = 8, .d_ff = 2048,
         .pass = kTrain, .causal = true, .settings = kCs336},
  Preset{.id = "gpt2", .name = "GPT-2", .source = "nanoGPT", .workload = kBlock,
         .batch = 12, .seq_len = 1024, .d_model = 768, .heads = 12, .d_ff = 3072,
         .pass = kTrain, .causal = true, .settings = kGpt2},
  Preset{.id = "as-written", .name = "as the assignment writes it", .source = "CS336", .workload = kBlock,
         .pass = kTrain, .causal = true, .settings = kAsWritten},
  Preset{.id = "tiny", .name = "tiny", .source = kRunsAnywhere, .workload = kLm,
         .batch = 2, .seq_len = 128, .d_model = 128, .heads = 4, .layers = 2, .d_ff = 512, .vocab = 1000,
         .pass = kStep, .causal = true, .settings = kCs336},
  Preset{.id = "small", .name = "small", .source = "CS336", .workload = kLm,
         .batch = 4, .seq_len = 512, .d_model = 768, .heads = 12, .layers = 12, .d_ff = 3072, .vocab = 10000,
         .pass = kStep, .causal = true, .settings = kCs336},
  Preset{.id = "medium", .name = "medium", .source = "CS336", .workload = kLm,
         .batch = 4, .seq_len = 512, .d_model = 1024, .heads = 16, .layers = 24, .d_ff = 4096, .vocab = 10000,
         .pass = kStep, .causal = true, .settings = kCs336},
  Preset{.id = "large", .name = "large", .source = "CS336", .workload = kLm,
         .batch = 4, .seq_len = 512, .d_model = 1280, .heads = 20, .layers = 36, .d_ff = 5120, .vocab = 10000,
         .pass = kStep, .causal = true, .settings = kCs336},
  Preset{.id = "xl", .name = "xl", .source = "CS336", .workload = kLm,
         .batch = 4, .seq_len = 512, .d_model = 1600, .heads = 25, .layers = 48, .d_ff = 6400, .vocab = 10000,
         .pass = kStep, .causal = true, .settings = kCs336},
  Preset{.id = "2.7B", .name = "2.7B", .source = "CS336", .workload = kLm,
         .batch = 4, .seq_len = 512, .d_model = 2560, .heads = 32, .layers = 32, .d_ff = 10240, .vocab = 10000,
         .pass = kStep, .causal = true, .settings = kCs336},
  Preset{.id = "10B", .name = "10B", .source = "CS336", .workload = kLm,
         .batch = 4, .seq_len = 512, .d_model = 4608, .heads = 36, .layers = 50, .d_ff = 12288, .vocab = 10000,
         .pass = kStep, .causal = true, .settings = kCs336},
  Preset{.id = "a2-lm", .name = "A2-LM", .source = "A2-7", .workload = kLm,
         .batch = 32, .seq_len = 128, .d_model = 512, .heads = 8, .layers = 6, .d_ff = 2048, .vocab = 50000,
         .pass = kStep, .causal = true, .settings = kCs336},
  Preset{.id = "a2-train", .name = "A2-LM training", .source = "A2-7", .workload = kLm,
         .batch = 32, .seq_len = 128, .d_model = 512, .heads = 8, .layers = 6, .d_ff = 2048, .vocab = 50000,
         .pass = kStep, .causal = true, .settings = kA2Training},
  Preset{.id = "gpt2", .name = "GPT-2", .source = "nanoGPT", .workload = kLm,
         .batch = 12, .seq_len = 1024, .d_model = 768, .heads = 12, .layers = 12, .d_ff = 3072, .vocab = 50304,
         .pass = kStep, .causal = true, .settings = kGpt2},
  Preset{.id = "gpt2-medium", .name = "GPT-2 medium", .source = "nanoGPT", .workload = kLm,
         .batch = 12, .seq_len = 1024, .d_model = 1024, .heads = 16, .layers = 24, .d_ff = 4096, .vocab = 50304,
         .pass = kStep, .causal = true, .settings = kGpt2},
  Preset{.id = "gpt2-large", .name = "GPT-2 large", .source = "nanoGPT", .workload = kLm,
         .batch = 12, .seq_len = 1024, .d_model = 1280, .heads = 20, .layers = 36, .d_ff = 5120, .vocab = 50304,
         .pass = kStep, .causal = true, .settings = kGpt2},
  Preset{.id = "gpt2-xl", .name = "GPT-2 xl", .source = "nanoGPT", .workload = kLm,
         .batch = 12, .seq_len = 1024, .d_model = 1600, .heads = 25, .layers = 48, .d_ff = 6400, .vocab = 50304,
         .pass = kStep, .causal = true, .settings = kGpt2},
  Preset{.id = "as-written", .name = "as the assignment writes it", .source = "CS336", .workload = kLm,
         .pass = kStep, .causal = true, .settings = kAsWritten},
  Preset{.id = "w6", .name = "weighted sum", .source = "A2-26", .workload = kSum,
         .batch = 16, .seq_len = 1024, .d_model = 1024,
         .pass = kTrain},
  Preset{.id = "toy", .name = "toy model", .source = "A2-11", .workload = kToy,
         .batch = 1, .seq_len = 1, .d_model = 100, .d_ff = 10, .vocab = 10,
         .pass = kTrain, .settings = "autocast=fp16"},
  Preset{.id = "a2-sums", .name = "1,000 times 0.01", .source = "A2-10", .workload = kAdd,
         .seq_len = 1000,
         .pass = kForward},
  Preset{.id = "a2-12", .name = "1e-3 to 1e4", .source = "A2-12", .workload = kRange,
         .batch = 4, .seq_len = 64, .d_model = 512,
         .pass = kForward},
  Preset{.id = "2.7B", .name = "2.7B", .source = "CS336", .workload = kNorm,
         .batch = 4, .seq_len = 512, .d_model = 2560,
         .pass = kTrain, .settings = "norm=rmsnorm"},
  Preset{.id = "a2-grid", .name = "A2 grid point", .source = "A2-21", .workload = kSoftmax,
         .batch = 8, .seq_len = 1024, .d_model = 1024,
         .pass = kTrain},
  Preset{.id = "2.7B", .name = "2.7B", .source = "CS336", .workload = kEntropy,
         .batch = 4, .seq_len = 512, .d_model = 2560, .vocab = 10000,
         .pass = kTrain},
  Preset{.id = "tiny", .name = "tiny", .source = kRunsAnywhere, .workload = kVit,
         .batch = 4, .seq_len = 17, .d_model = 64, .heads = 4, .layers = 2, .d_ff = 256, .vocab = 10,
         .pass = kStep, .settings = kTinyVit},
  Preset{.id = "vit-b16", .name = "ViT-B/16", .source = "ViT", .workload = kVit,
         .batch = 8, .seq_len = 197, .d_model = 768, .heads = 12, .layers = 12, .d_ff = 3072, .vocab = 1000,
         .pass = kStep, .settings = kVit16},
  Preset{.id = "vit-l16", .name = "ViT-L/16", .source = "ViT", .workload = kVit,
         .batch = 8, .seq_len = 197, .d_model = 1024, .heads = 16, .layers = 24, .d_ff = 4096, .vocab = 1000,
         .pass = kStep, .settings = kVit16},
  Preset{.id = "clip-l14", .name = "CLIP ViT-L/14", .source = "CLIP", .workload = kVit,
         .batch = 8, .seq_len = 257, .d_model = 1024, .heads = 16, .layers = 24, .d_ff = 4096, .vocab = 1000,
         .pass = kStep, .settings = kClip14},
  Preset{.id = "tiny", .name = "tiny", .source = kRunsAnywhere, .workload = kVlm,
         .batch = 2, .seq_len = 32, .d_model = 128, .heads = 4, .layers = 2, .d_ff = 512, .vocab = 1000,
         .pass = kStep, .causal = true, .settings = kTinyVlm},
  Preset{.id = "w11", .name = "toy VLM", .source = "VLM-36", .workload = kVlm,
         .batch = 2, .seq_len = 64, .d_model = 512, .heads = 4, .layers = 8, .d_ff = 1376, .vocab = 4000,
         .pass = kStep, .causal = true, .settings = kToyVlm},
  Preset{.id = "llava-7b", .name = "LLaVA 1.5 7B", .source = "LLaVA", .workload = kVlm,
         .batch = 4, .seq_len = 512, .d_model = 4096, .heads = 32, .layers = 32, .d_ff = 11008, .vocab = 32064,
         .pass = kStep, .causal = true, .settings = kLlava},
};
// clang-format on

void keep_or_set(std::int64_t& field, std::int64_t value) {
  if (value > 0) field = value;
}

void apply_settings(std::string_view settings, WorkloadSpec& spec) {
  for (const std::string_view setting : text::words(settings))
    TS_CHECK(set_setting(spec, setting).has_value());
}

// The settings in which published models differ from these presets. One whose config.json was open
// before may have set them.
constexpr std::array kUsualSettings = {
    Field::head_width,   Field::qkv_bias,    Field::qk_norm,        Field::expert_ff,
    Field::shared_ff,    Field::shared_gate, Field::dense_layers,   Field::expert_every,
    Field::kv_rank,      Field::q_rank,      Field::rope_width,     Field::v_width,
    Field::expert_scale, Field::full_every,  Field::expert_weights, Field::block_form,
    Field::post_norm,    Field::head_bias,   Field::softcap,        Field::logit_softcap,
    Field::max_positions};

void apply_usual_form(WorkloadSpec& spec) {
  const WorkloadSpec usual;
  for (const Field field : kUsualSettings) {
    const auto set = set_field(spec, field_name(field), field_text(usual, field));
    TS_CHECK(set.has_value());
  }
}

}  // namespace

std::span<const Preset> presets() {
  return kPresets;
}

const Preset* find_preset(WorkloadKind workload, std::string_view id) {
  for (const Preset& preset : kPresets) {
    if (preset.workload == workload && preset.id == id) return &preset;
  }
  return nullptr;
}

bool apply_presets(std::string_view ids, WorkloadSpec& spec) {
  WorkloadSpec changed = spec;
  for (;;) {
    const std::size_t end = ids.find('+');
    const Preset* const preset = find_preset(spec.workload, ids.substr(0, end));
    if (preset == nullptr) return false;
    apply_preset(*preset, changed);
    if (end == std::string_view::npos) break;
    ids.remove_prefix(end + 1);
  }
  spec = changed;
  return true;
}

void choose_workload(WorkloadKind workload, WorkloadSpec& spec) {
  spec.workload = workload;
  const auto* const first = std::ranges::find(kPresets, workload, &Preset::workload);
  if (first == std::end(kPresets)) return;
  const AttentionBackend backend = spec.backend;
  apply_preset(*first, spec);
  spec.backend = backend;
}

void apply_preset(const Preset& preset, WorkloadSpec& spec) {
  // Sizes of another workload are none of its own.
  const bool has_sizes = preset.seq_len > 0;
  if (!has_sizes && spec.workload != preset.workload) choose_workload(preset.workload, spec);
  spec.workload = preset.workload;
  keep_or_set(spec.batch, preset.batch);
  keep_or_set(spec.seq_len, preset.seq_len);
  keep_or_set(spec.d_model, preset.d_model);
  keep_or_set(spec.heads, preset.heads);
  keep_or_set(spec.d_head, preset.d_head);
  keep_or_set(spec.layers, preset.layers);
  keep_or_set(spec.d_ff, preset.d_ff);
  keep_or_set(spec.vocab, preset.vocab);
  spec.pass = preset.pass;
  spec.causal = preset.causal;
  // A part of the model as the assignment writes it, whose other parts a preset with sizes sets.
  if (has_sizes && spec.optimizer == OptimizerKind::adamw_out_of_place) {
    spec.optimizer = WorkloadSpec().optimizer;
  }
  if (has_sizes) apply_usual_form(spec);
  apply_settings(preset.settings, spec);
}

}  // namespace ts::spec
