#include "core/run/presets.h"

#include <array>

namespace ts::run {

namespace {

constexpr auto kForward = Pass::forward;
constexpr auto kTrain = Pass::forward_backward;
constexpr auto kStep = Pass::full_step;
constexpr auto kAttention = WorkloadKind::attention;
constexpr auto kMlp = WorkloadKind::mlp;
constexpr auto kBlock = WorkloadKind::block;
constexpr auto kLm = WorkloadKind::lm;

// clang-format off
// id, name, source, workload,                                  B,    T,    d,  H, dh,  L,    ff,     V
constexpr std::array kPresets = {
  Preset{"acc1", "SDPA demo", "ACC-1", kAttention,              4,  128,    0,  8, 64,  0,     0,     0, kForward, true},
  Preset{"lab3", "FlashAttention lab", "LAB-3", kAttention,     4,  512,    0, 12, 64,  0,     0,     0, kForward, false},
  Preset{"a2-grid", "A2 grid point", "A2-21", kAttention,       8, 1024,    0,  1, 64,  0,     0,     0, kTrain, false},
  Preset{"w7", "MLP 512-1024-512", "ACC-3", kMlp,              32,    1,  512,  0,  0,  0,  1024,     0, kTrain, false},
  Preset{"tiny", "tiny", "runs anywhere", kBlock,               2,  128,  128,  4,  0,  0,   512,     0, kTrain, true},
  Preset{"small", "small", "CS336", kBlock,                     4,  512,  768, 12,  0,  0,  3072,     0, kTrain, true},
  Preset{"medium", "medium", "CS336", kBlock,                   4,  512, 1024, 16,  0,  0,  4096,     0, kTrain, true},
  Preset{"large", "large", "CS336", kBlock,                     4,  512, 1280, 20,  0,  0,  5120,     0, kTrain, true},
  Preset{"xl", "xl", "CS336", kBlock,                           4,  512, 1600, 25,  0,  0,  6400,     0, kTrain, true},
  Preset{"2.7B", "2.7B", "CS336", kBlock,                       4,  512, 2560, 32,  0,  0, 10240,     0, kTrain, true},
  Preset{"a2-lm", "A2-LM", "A2-7", kBlock,                     32,  128,  512,  8,  0,  0,  2048,     0, kTrain, true},
  Preset{"tiny", "tiny", "runs anywhere", kLm,                  2,  128,  128,  4,  0,  2,   512,  1000, kStep, true},
  Preset{"small", "small", "CS336", kLm,                        4,  512,  768, 12,  0, 12,  3072, 10000, kStep, true},
  Preset{"medium", "medium", "CS336", kLm,                      4,  512, 1024, 16,  0, 24,  4096, 10000, kStep, true},
  Preset{"large", "large", "CS336", kLm,                        4,  512, 1280, 20,  0, 36,  5120, 10000, kStep, true},
  Preset{"xl", "xl", "CS336", kLm,                              4,  512, 1600, 25,  0, 48,  6400, 10000, kStep, true},
  Preset{"2.7B", "2.7B", "CS336", kLm,                          4,  512, 2560, 32,  0, 32, 10240, 10000, kStep, true},
  Preset{"a2-lm", "A2-LM", "A2-7", kLm,                        32,  128,  512,  8,  0,  6,  2048, 50000, kStep, true},
};
// clang-format on

void keep_or_set(std::int64_t& field, std::int64_t value) {
  if (value > 0) field = value;
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

void apply_preset(const Preset& preset, WorkloadSpec& spec) {
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
}

}  // namespace ts::run
