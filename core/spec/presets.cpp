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
// id, name, source, workload,                                  B,    T,    d,  H,  dh,  L,    ff,     V
constexpr std::array kPresets = {
  Preset{"acc1", "SDPA demo", "ACC-1", kAttention,              4,  128,    0,  8,  64,  0,     0,     0, kForward, true, kSdpa},
  Preset{"lab3", "FlashAttention lab", "LAB-3", kAttention,     4,  512,    0, 12,  64,  0,     0,     0, kForward, false, kStandard},
  Preset{"a2-grid", "A2 grid point", "A2-21", kAttention,       8, 1024,    0,  1,  64,  0,     0,     0, kTrain, false, kStandard},
  Preset{"a2-w1", "A2 self-attention", "A2-21", kAttention,     8, 1024,    0,  1,  64,  0,     0,     0, kTrain, false, "kv_heads=0 T_kv=0 projections=on fused_qkv=off backend=naive"},
  Preset{"a2-tiled", "A2 tiled attention", "A2-30", kAttention,  1, 1024,    0,  1,  64,  0,     0,     0, kTrain, false, "kv_heads=0 T_kv=0 projections=off backend=tiled tile_q=64 tile_k=64"},
  Preset{"gqa", "Grouped queries", "VLM-35", kAttention,        2, 1024,    0, 32, 128,  0,     0,     0, kTrain, true, "kv_heads=4 T_kv=0 projections=off"},
  Preset{"cross", "Cross attention", "VLM-5", kAttention,       4,  512,    0,  8,  64,  0,     0,     0, kTrain, false, "kv_heads=0 T_kv=576 projections=off"},
  Preset{"w10", "Fused QKV", "VLM-25", kAttention,              8, 2048,    0, 32, 128,  0,     0,     0, kTrain, false, "kv_heads=0 T_kv=0 projections=on fused_qkv=on backend=flash dtype=bf16"},
  Preset{"w7", "MLP 512-1024-512", "ACC-3", kMlp,              32,    1,  512,  0,   0,  0,  1024,     0, kTrain, false, "mlp=gelu"},
  Preset{"swiglu", "SwiGLU of small", "CS336", kMlp,            4,  512,  768,  0,   0,  0,  3072,     0, kTrain, false, "mlp=swiglu"},
  Preset{"tiny", "tiny", kRunsAnywhere, kBlock,               2,  128,  128,  4,   0,  0,   512,     0, kTrain, true, kCs336},
  Preset{"small", "small", "CS336", kBlock,                     4,  512,  768, 12,   0,  0,  3072,     0, kTrain, true, kCs336},
  Preset{"medium", "medium", "CS336", kBlock,                   4,  512, 1024, 16,   0,  0,  4096,     0, kTrain, true, kCs336},
  Preset{"large", "large", "CS336", kBlock,                     4,  512, 1280, 20,   0,  0,  5120,     0, kTrain, true, kCs336},
  Preset{"xl", "xl", "CS336", kBlock,                           4,  512, 1600, 25,   0,  0,  6400,     0, kTrain, true, kCs336},
  Preset{"2.7B", "2.7B", "CS336", kBlock,                       4,  512, 2560, 32,   0,  0, 10240,     0, kTrain, true, kCs336},
  Preset{"10B", "10B", "CS336", kBlock,                         4,  512, 4608, 36,   0,  0, 12288,     0, kTrain, true, kCs336},
  Preset{"a2-lm", "A2-LM", "A2-7", kBlock,                     32,  128,  512,  8,   0,  0,  2048,     0, kTrain, true, kCs336},
  Preset{"gpt2", "GPT-2", "nanoGPT", kBlock,                   12, 1024,  768, 12,   0,  0,  3072,     0, kTrain, true, kGpt2},
  Preset{"as-written", "as the assignment writes it", "CS336", kBlock, 0, 0, 0, 0, 0, 0, 0, 0, kTrain, true, kAsWritten},
  Preset{"tiny", "tiny", kRunsAnywhere, kLm,                  2,  128,  128,  4,   0,  2,   512,  1000, kStep, true, kCs336},
  Preset{"small", "small", "CS336", kLm,                        4,  512,  768, 12,   0, 12,  3072, 10000, kStep, true, kCs336},
  Preset{"medium", "medium", "CS336", kLm,                      4,  512, 1024, 16,   0, 24,  4096, 10000, kStep, true, kCs336},
  Preset{"large", "large", "CS336", kLm,                        4,  512, 1280, 20,   0, 36,  5120, 10000, kStep, true, kCs336},
  Preset{"xl", "xl", "CS336", kLm,                              4,  512, 1600, 25,   0, 48,  6400, 10000, kStep, true, kCs336},
  Preset{"2.7B", "2.7B", "CS336", kLm,                          4,  512, 2560, 32,   0, 32, 10240, 10000, kStep, true, kCs336},
  Preset{"10B", "10B", "CS336", kLm,                            4,  512, 4608, 36,   0, 50, 12288, 10000, kStep, true, kCs336},
  Preset{"a2-lm", "A2-LM", "A2-7", kLm,                        32,  128,  512,  8,   0,  6,  2048, 50000, kStep, true, kCs336},
  Preset{"a2-train", "A2-LM training", "A2-7", kLm,            32,  128,  512,  8,   0,  6,  2048, 50000, kStep, true, kA2Training},
  Preset{"gpt2", "GPT-2", "nanoGPT", kLm,                      12, 1024,  768, 12,   0, 12,  3072, 50304, kStep, true, kGpt2},
  Preset{"gpt2-medium", "GPT-2 medium", "nanoGPT", kLm,        12, 1024, 1024, 16,   0, 24,  4096, 50304, kStep, true, kGpt2},
  Preset{"gpt2-large", "GPT-2 large", "nanoGPT", kLm,          12, 1024, 1280, 20,   0, 36,  5120, 50304, kStep, true, kGpt2},
  Preset{"gpt2-xl", "GPT-2 xl", "nanoGPT", kLm,                12, 1024, 1600, 25,   0, 48,  6400, 50304, kStep, true, kGpt2},
  Preset{"as-written", "as the assignment writes it", "CS336", kLm, 0, 0, 0, 0, 0, 0, 0, 0, kStep, true, kAsWritten},
  Preset{"w6", "weighted sum", "A2-26", kSum,                  16, 1024, 1024,  0,   0,  0,     0,     0, kTrain, false, ""},
  Preset{"toy", "toy model", "A2-11", kToy,                     1,    1,  100,  0,   0,  0,    10,    10, kTrain, false, "autocast=fp16"},
  Preset{"a2-sums", "1,000 times 0.01", "A2-10", kAdd,          0, 1000,    0,  0,   0,  0,     0,     0, kForward, false, ""},
  Preset{"a2-12", "1e-3 to 1e4", "A2-12", kRange,               4,   64,  512,  0,   0,  0,     0,     0, kForward, false, ""},
  Preset{"2.7B", "2.7B", "CS336", kNorm,                        4,  512, 2560,  0,   0,  0,     0,     0, kTrain, false, "norm=rmsnorm"},
  Preset{"a2-grid", "A2 grid point", "A2-21", kSoftmax,         8, 1024, 1024,  0,   0,  0,     0,     0, kTrain, false, ""},
  Preset{"2.7B", "2.7B", "CS336", kEntropy,                     4,  512, 2560,  0,   0,  0,     0, 10000, kTrain, false, ""},
  Preset{"tiny", "tiny", kRunsAnywhere, kVit,                   4,   17,   64,  4,   0,  2,   256,    10, kStep, false, kTinyVit},
  Preset{"vit-b16", "ViT-B/16", "ViT", kVit,                    8,  197,  768, 12,   0, 12,  3072,  1000, kStep, false, kVit16},
  Preset{"vit-l16", "ViT-L/16", "ViT", kVit,                    8,  197, 1024, 16,   0, 24,  4096,  1000, kStep, false, kVit16},
  Preset{"clip-l14", "CLIP ViT-L/14", "CLIP", kVit,             8,  257, 1024, 16,   0, 24,  4096,  1000, kStep, false, kClip14},
  Preset{"tiny", "tiny", kRunsAnywhere, kVlm,                   2,   32,  128,  4,   0,  2,   512,  1000, kStep, true, kTinyVlm},
  Preset{"w11", "toy VLM", "VLM-36", kVlm,                      2,   64,  512,  4,   0,  8,  1376,  4000, kStep, true, kToyVlm},
  Preset{"llava-7b", "LLaVA 1.5 7B", "LLaVA", kVlm,             4,  512, 4096, 32,   0, 32, 11008, 32064, kStep, true, kLlava},
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
