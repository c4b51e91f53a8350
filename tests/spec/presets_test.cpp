#include "core/spec/presets.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"

namespace ts::spec {
namespace {

TEST(Presets, every_preset_is_a_possible_spec) {
  for (const Preset& preset : presets()) {
    WorkloadSpec spec;
    apply_preset(preset, spec);
    const auto problems = validate(spec);
    EXPECT_TRUE(problems.empty()) << preset.id << ": " << problems.front().sentence;
    EXPECT_EQ(spec.workload, preset.workload);
  }
}

TEST(Presets, ids_are_unique_within_a_workload_and_every_workload_has_some) {
  std::set<std::string> seen;
  std::set<WorkloadKind> kinds;
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(seen.insert(std::string(to_string(preset.workload)) + "/" + preset.id).second)
        << preset.id;
    kinds.insert(preset.workload);
    EXPECT_EQ(find_preset(preset.workload, preset.id), &preset);
  }
  // A model of one's own has the sizes of its file.
  EXPECT_EQ(kinds.size() + 1, field_choices(Field::workload).size());
  EXPECT_EQ(find_preset(WorkloadKind::attention, "2.7B"), nullptr);
}

TEST(Presets, leave_machine_and_number_format_alone) {
  WorkloadSpec spec;
  spec.device = DeviceKind::cuda;
  spec.device_index = 2;
  spec.dtype = DataType::bf16;
  spec.backend = AttentionBackend::math;
  spec.seed = 99;
  spec.target_gpu = "T4";
  spec.memory_limit = 1 << 30;
  spec.vocab = 777;  // unused by the MLP
  WorkloadSpec before = spec;
  apply_preset(*find_preset(WorkloadKind::mlp, "w7"), spec);
  before.workload = WorkloadKind::mlp;
  before.batch = 32;
  before.seq_len = 1;
  before.d_model = 512;
  before.d_ff = 1024;
  before.causal = false;
  EXPECT_EQ(spec, before);
}

TEST(Presets, have_the_usual_form_after_a_published_model) {
  WorkloadSpec usual;
  apply_preset(*find_preset(WorkloadKind::lm, "gpt2-xl"), usual);
  WorkloadSpec spec;
  spec.head_width = 256;
  spec.post_norm = true;
  spec.softcap = 50;
  spec.expert_weights = ExpertWeights::sigmoid;
  spec.max_positions = 64;
  apply_preset(*find_preset(WorkloadKind::lm, "gpt2-xl"), spec);
  EXPECT_EQ(spec, usual);
}

TEST(Presets, exercises_have_the_shapes_of_the_documents) {
  WorkloadSpec spec;
  apply_preset(*find_preset(WorkloadKind::attention, "acc1"), spec);
  EXPECT_EQ(spec.batch, 4);
  EXPECT_EQ(spec.heads, 8);
  EXPECT_EQ(spec.seq_len, 128);
  EXPECT_EQ(spec.d_head, 64);
  EXPECT_TRUE(spec.causal);
  apply_preset(*find_preset(WorkloadKind::attention, "lab3"), spec);
  EXPECT_EQ(spec.heads, 12);
  EXPECT_EQ(spec.seq_len, 512);
  EXPECT_FALSE(spec.causal);
}

// Whatever was chosen before.
TEST(Presets, run_the_backend_of_their_source) {
  const auto backend = [](WorkloadKind kind, const char* id, AttentionBackend before) {
    WorkloadSpec spec;
    spec.backend = before;
    apply_preset(*find_preset(kind, id), spec);
    return spec.backend;
  };
  using B = AttentionBackend;
  for (const B before : {B::naive, B::flash}) {
    EXPECT_EQ(backend(WorkloadKind::attention, "acc1", before), B::automatic);
    EXPECT_EQ(backend(WorkloadKind::attention, "lab3", before), B::naive);
    EXPECT_EQ(backend(WorkloadKind::attention, "a2-w1", before), B::naive);
    EXPECT_EQ(backend(WorkloadKind::attention, "a2-tiled", before), B::tiled);
    EXPECT_EQ(backend(WorkloadKind::attention, "w10", before), B::flash);
    EXPECT_EQ(backend(WorkloadKind::attention, "gqa", before), before) << "names none";
    EXPECT_EQ(backend(WorkloadKind::block, "gpt2", before), B::automatic);
    EXPECT_EQ(backend(WorkloadKind::lm, "gpt2-xl", before), B::automatic);
    EXPECT_EQ(backend(WorkloadKind::lm, "small", before), B::naive);
    EXPECT_EQ(backend(WorkloadKind::lm, "a2-train", before), B::naive);
    WorkloadSpec spec;
    spec.backend = before;
    choose_workload(WorkloadKind::attention, spec);
    EXPECT_EQ(spec.backend, before);
  }
}

// Flash has kernels for 16 bits only.
TEST(Presets, can_run_on_a_card) {
  for (const Preset& preset : presets()) {
    WorkloadSpec spec;
    spec.device = DeviceKind::cuda;
    apply_preset(preset, spec);
    const auto problems = validate(spec);
    EXPECT_TRUE(problems.empty()) << preset.id << ": " << problems.front().sentence;
  }
}

// From GPT-2 to a model of the course and back: nothing of the other form stays.
TEST(Presets, set_the_whole_form_of_a_model) {
  WorkloadSpec spec;
  apply_preset(*find_preset(WorkloadKind::lm, "gpt2"), spec);
  EXPECT_TRUE(spec.tied && spec.bias && spec.fused_qkv);
  EXPECT_EQ(spec.positions, Positions::learned);
  EXPECT_EQ(spec.norm, NormKind::layernorm);
  EXPECT_EQ(spec.ffn, FeedForward::gelu);
  apply_preset(*find_preset(WorkloadKind::lm, "small"), spec);
  WorkloadSpec fresh;
  apply_preset(*find_preset(WorkloadKind::lm, "small"), fresh);
  EXPECT_EQ(spec, fresh);
}

// The written-out model has the sizes of another preset, and a later one fuses everything again.
TEST(Presets, of_a_workload_follow_one_another) {
  WorkloadSpec plain;
  plain.workload = WorkloadKind::lm;
  WorkloadSpec spec = plain;
  ASSERT_TRUE(apply_presets("2.7B", plain));
  ASSERT_TRUE(apply_presets("2.7B+as-written", spec));
  EXPECT_EQ(spec.d_model, 2560);
  EXPECT_EQ(spec.layers, 32);
  EXPECT_EQ(parameter_count(spec), parameter_count(plain));
  EXPECT_NE(writing(spec), Writing());
  EXPECT_EQ(spec.optimizer, OptimizerKind::adamw_out_of_place);
  ASSERT_TRUE(apply_presets("2.7B", spec));
  EXPECT_EQ(writing(spec), Writing());
  EXPECT_EQ(spec.optimizer, WorkloadSpec().optimizer);
  const WorkloadSpec before = spec;
  EXPECT_FALSE(apply_presets("small+w7", spec));
  EXPECT_FALSE(apply_presets("small+", spec));
  EXPECT_EQ(spec, before);
}

TEST(Presets, without_sizes_take_those_of_the_workload) {
  WorkloadSpec spec;
  apply_preset(*find_preset(WorkloadKind::attention, "lab3"), spec);
  apply_preset(*find_preset(WorkloadKind::lm, "as-written"), spec);
  WorkloadSpec tiny;
  tiny.workload = WorkloadKind::lm;
  ASSERT_TRUE(apply_presets("tiny+as-written", tiny));
  EXPECT_EQ(spec.heads, tiny.heads);
  EXPECT_EQ(spec.d_model, tiny.d_model);
  EXPECT_EQ(spec.seq_len, tiny.seq_len);
  EXPECT_TRUE(validate(spec).empty());
}

TEST(Presets, tiny_is_light) {
  WorkloadSpec spec;
  apply_preset(*find_preset(WorkloadKind::lm, "tiny"), spec);
  // Two slow cores do 10 GFLOP in a second.
  EXPECT_LT(step_flops(spec, AttentionBackend::naive).total(), 2e9);
  EXPECT_LT(parameter_count(spec), 2'000'000);
}

}  // namespace
}  // namespace ts::spec
