#pragma once

#include <span>
#include <string_view>

#include "core/spec/workload_spec.h"

namespace ts::spec {

// A named starting point. It sets the shape, the mask, the pass and the form of the model of one
// workload, and the attention backend where its source names one (flash with a type that a card has
// a kernel for). It does not change device, dtype, seed and target unless the exercise needs them.
// A size of 0 is not used by the workload and stays as it is.
struct Preset {
  const char* id;      // "small", "lab3", ...; stable, used by the command line
  const char* name;    // shown unchanged in every language: "small", "GPT-2 like"
  const char* source;  // which exercise it comes from
  WorkloadKind workload;
  std::int64_t batch = 0, seq_len = 0, d_model = 0, heads = 0;
  std::int64_t d_head = 0, layers = 0, d_ff = 0, vocab = 0;
  Pass pass;
  bool causal = false;
  const char* settings = "";  // further ones, as for --set: "norm=layernorm ffn=gelu"
};

// The source of presets that come from no exercise: the only source that is not a name.
inline constexpr const char* kRunsAnywhere = "runs anywhere";

// Ids are unique within one workload: block and lm share the sizes of CS336.
std::span<const Preset> presets();
// Sets another workload, with the first of its presets; the backend stays.
void choose_workload(WorkloadKind workload, WorkloadSpec& spec);
// "2.7B+as-written": the presets of a workload one after the other. False, with spec unchanged, if
// one of them is none of the workload's.
bool apply_presets(std::string_view ids, WorkloadSpec& spec);
// nullptr when that workload has no such preset.
const Preset* find_preset(WorkloadKind workload, std::string_view id);
void apply_preset(const Preset& preset, WorkloadSpec& spec);

}  // namespace ts::spec
