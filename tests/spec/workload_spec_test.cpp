#include "core/spec/workload_spec.h"
#include "core/spec/own_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "core/spec/presets.h"
#include "core/spec/workload_math.h"
#include "tests/spec/random_spec.h"

namespace ts::spec {
namespace {

using testing::HasSubstr;

WorkloadSpec changed(const std::function<void(WorkloadSpec&)>& change) {
  WorkloadSpec spec;
  change(spec);
  return spec;
}

// The one sentence that is wrong with a spec.
std::string problem(const WorkloadSpec& spec) {
  const auto problems = validate(spec);
  EXPECT_EQ(problems.size(), 1U);
  return problems.empty() ? "" : problems.front().sentence;
}

// Only what every step does alike, without a look from the host, can be replayed.
TEST(WorkloadSpec, a_step_is_captured_where_it_can_be_replayed) {
  WorkloadSpec spec;
  spec.workload = WorkloadKind::lm;
  spec.pass = Pass::full_step;
  spec.cuda_graph = true;
  const auto reason = [&] { return field_reason(spec, Field::cuda_graph); };
  EXPECT_EQ(reason(), "field.reason.only_gpu");
  EXPECT_FALSE(captures_step(spec));
  spec.device = DeviceKind::cuda;
  EXPECT_EQ(reason(), "");
  EXPECT_TRUE(captures_step(spec));
  spec.schedule = Schedule::cosine;
  EXPECT_EQ(reason(), "field.reason.rate_differs");
  spec.schedule = Schedule::constant;
  for (const auto optimizer : {OptimizerKind::adamw_foreach, OptimizerKind::adamw_loop,
                               OptimizerKind::adamw_out_of_place, OptimizerKind::adamw_8bit}) {
    spec.optimizer = optimizer;
    EXPECT_EQ(reason(), "field.reason.host_counts_steps");
  }
  spec.optimizer = OptimizerKind::sgd;
  EXPECT_EQ(reason(), "");
  spec.autocast = Autocast::fp16;
  spec.grad_scaler = true;
  EXPECT_EQ(reason(), "field.reason.host_skips");
  spec.optimizer = OptimizerKind::adamw_fused;
  EXPECT_EQ(reason(), "");
  spec.pass = Pass::generate;
  EXPECT_EQ(reason(), "field.reason.tokens_differ");
  spec.cuda_graph = false;
  spec.pass = Pass::forward;
  EXPECT_FALSE(captures_step(spec));
}

TEST(WorkloadSpec, a_step_is_compiled_where_inductor_makes_all_of_it) {
  WorkloadSpec spec;
  spec.workload = WorkloadKind::lm;
  const auto reason = [&] { return field_reason(spec, Field::compile); };
  for (const auto compile : {Compile::max_autotune, Compile::inductor}) {
    spec.compile = compile;
    for (const auto pass : {Pass::forward, Pass::forward_backward, Pass::full_step}) {
      spec.pass = pass;
      EXPECT_EQ(reason(), "");
      EXPECT_TRUE(compiles_step(spec));
    }
  }
  spec.checkpoint = Checkpoint::blocks;
  EXPECT_EQ(reason(), "field.reason.inductor_recomputes");
  spec.checkpoint = Checkpoint::off;
  spec.backend = AttentionBackend::tiled;
  EXPECT_EQ(reason(), "field.reason.tiles_not_compiled");
  spec.backend = AttentionBackend::naive;
  spec.pass = Pass::generate;
  EXPECT_EQ(reason(), "field.reason.tokens_grow");
  spec.pass = Pass::forward;
  spec.keep_graph = true;
  EXPECT_EQ(reason(), "field.reason.compiled_without_graph");
  spec.keep_graph = false;
  spec.device = DeviceKind::cuda;
  EXPECT_EQ(reason(), "field.reason.compiled_for_cpu");
  EXPECT_FALSE(compiles_step(spec));
  spec.device = DeviceKind::cpu;
  spec.workload = WorkloadKind::accumulation;
  EXPECT_EQ(reason(), "field.reason.only_sums");
  spec.workload = WorkloadKind::lm;
  spec.compile = Compile::eager;
  EXPECT_FALSE(compiles_step(spec));
}

TEST(WorkloadSpec, a_habit_needs_what_it_is_about) {
  using H = Habit;
  WorkloadSpec lm;
  lm.workload = WorkloadKind::lm;
  const auto problem = [](WorkloadSpec spec, H habit) {
    spec.habit = habit;
    const auto problems = validate(spec);
    return problems.empty() ? std::string() : problems[0].key;
  };
  EXPECT_EQ(problem(lm, H::no_zero_grad), "");
  EXPECT_EQ(problem(lm, H::kept_graph), "");
  EXPECT_EQ(problem(lm, H::no_sync), "spec.error.habit_gpu");
  EXPECT_EQ(problem(lm, H::rebuild), "spec.error.habit_step");
  EXPECT_EQ(problem(lm, H::clip_after_step), "spec.error.habit_clip");
  auto forward = lm;
  forward.pass = Pass::forward;
  EXPECT_EQ(problem(forward, H::no_zero_grad), "spec.error.habit_backward");
  EXPECT_EQ(problem(forward, H::kept_graph), "spec.error.habit_graph");
  forward.keep_graph = true;
  EXPECT_EQ(problem(forward, H::kept_graph), "");
  auto full = lm;
  full.pass = Pass::full_step;
  full.clip = 1;
  EXPECT_EQ(problem(full, H::clip_after_step), "");
  EXPECT_EQ(problem(full, H::clip_scaled), "spec.error.habit_scaled");
  full.autocast = Autocast::bf16;
  full.grad_scaler = true;
  EXPECT_EQ(problem(full, H::clip_scaled), "");
  auto compiled = full;
  compiled.compile = Compile::inductor;
  compiled.habit = H::rebuild;
  EXPECT_EQ(field_reason(compiled, Field::habit), "field.reason.step_is_fixed");
  EXPECT_EQ(habit(compiled), H::none) << "it has no effect there";
}

TEST(WorkloadSpec, adapters_fit_their_layers_and_are_trained_or_merged) {
  WorkloadSpec spec;
  spec.workload = WorkloadKind::lm;
  spec.d_model = 64;
  spec.heads = 8;
  spec.kv_heads = 2;
  spec.lora_rank = 17;
  const auto problem = [&] {
    const auto problems = validate(spec);
    return problems.empty() ? std::string() : problems[0].sentence;
  };
  EXPECT_EQ(problem(), "LoRA rank 17 is more than a layer of 64 x 16 can have: at most 16");
  spec.lora_rank = 16;
  EXPECT_EQ(problem(), "");
  spec.lora_on = LoraOn::all;
  spec.d_ff = 9;
  EXPECT_EQ(problem(), "LoRA rank 16 is more than a layer of 64 x 9 can have: at most 9");
  spec.lora_rank = 9;
  EXPECT_EQ(problem(), "");
  EXPECT_TRUE(trains_adapters(spec));
  spec.lora_merged = true;
  ASSERT_EQ(validate(spec).size(), 1U);
  EXPECT_EQ(validate(spec)[0].key, "spec.error.lora_merged_trains");
  spec.pass = Pass::forward;
  EXPECT_EQ(problem(), "");
  EXPECT_FALSE(trains_adapters(spec));
  spec.keep_graph = true;
  EXPECT_EQ(validate(spec)[0].key, "spec.error.lora_merged_trains");
  spec.lora_merged = false;
  spec.fused_qkv = true;
  EXPECT_EQ(problem(), "");
  spec.lora_on = LoraOn::qv;
  EXPECT_EQ(validate(spec)[0].key, "spec.error.lora_fused_qkv");
}

TEST(WorkloadSpec, adapters_matter_in_blocks_alone) {
  WorkloadSpec spec;
  spec.workload = WorkloadKind::block;
  EXPECT_EQ(field_reason(spec, Field::lora_on), "field.reason.no_adapters");
  spec.lora_rank = 4;
  EXPECT_EQ(field_reason(spec, Field::lora_on), "");
  EXPECT_EQ(field_reason(spec, Field::compile), "field.reason.adapters_not_compiled");
  spec.pass = Pass::full_step;
  spec.dtype = DataType::bf16;
  EXPECT_EQ(field_reason(spec, Field::optimizer_state), "field.reason.state_is_fp32");
  EXPECT_EQ(optimizer_state(spec), OptimizerState::parameter) << "adapters are fp32";
  spec.workload = WorkloadKind::mlp;
  EXPECT_EQ(field_reason(spec, Field::lora_rank), "field.reason.no_blocks");
  EXPECT_FALSE(trains_adapters(spec));
  EXPECT_EQ(field_reason(spec, Field::compile), "");
}

TEST(WorkloadSpec, default_is_possible) {
  EXPECT_TRUE(validate(WorkloadSpec{}).empty());
}

TEST(WorkloadSpec, each_number_out_of_range_has_its_sentence) {
  struct Case {
    const char* name;
    std::function<void(WorkloadSpec&, std::int64_t)> set;
  };
  const Case cases[] = {
      {"B", [](auto& spec, auto value) { spec.batch = value; }},
      {"T", [](auto& spec, auto value) { spec.seq_len = value; }},
      {"d_model", [](auto& spec, auto value) { spec.d_model = value; }},
      {"heads", [](auto& spec, auto value) { spec.heads = value; }},
      {"d_head", [](auto& spec, auto value) { spec.d_head = value; }},
      {"layers", [](auto& spec, auto value) { spec.layers = value; }},
      {"d_ff", [](auto& spec, auto value) { spec.d_ff = value; }},
      {"vocab", [](auto& spec, auto value) { spec.vocab = value; }},
  };
  for (const auto& [name, set] : cases) {
    for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-3}, INT64_MIN, INT64_MAX}) {
      for (const auto kind :
           {WorkloadKind::attention, WorkloadKind::mlp, WorkloadKind::block, WorkloadKind::lm}) {
        WorkloadSpec spec;
        spec.workload = kind;
        set(spec, value);
        EXPECT_THAT(problem(spec), HasSubstr(std::string(name) + " must be between")) << value;
      }
    }
  }
  EXPECT_EQ(problem(changed([](auto& spec) { spec.seq_len = 0; })),
            "T must be between 1 and 1,048,576, not 0");
  EXPECT_EQ(problem(changed([](auto& spec) { spec.batch = -4; })),
            "B must be between 1 and 1,048,576, not \u22124");
  EXPECT_THAT(problem(changed([](auto& spec) { spec.device_index = -1; })),
              HasSubstr("device_index"));
}

TEST(WorkloadSpec, heads_must_divide_the_model_width) {
  for (const auto kind : {WorkloadKind::block, WorkloadKind::lm}) {
    auto spec = changed([&](auto& s) { s.workload = kind; });
    spec.heads = 7;
    EXPECT_EQ(problem(spec),
              "heads = 7 does not divide d_model = 512: the nearest number that does is 8");
    spec.heads = 1024;
    EXPECT_THAT(problem(spec), HasSubstr("nearest number that does is 512"));
  }
  // Where the width is heads x d_head, or there are no heads, nothing has to divide.
  for (const auto kind : {WorkloadKind::attention, WorkloadKind::mlp}) {
    EXPECT_TRUE(validate(changed([&](auto& spec) {
                  spec.workload = kind;
                  spec.heads = 7;
                })).empty());
  }
}

TEST(WorkloadSpec, rotary_positions_need_an_even_head) {
  auto spec = changed([](auto& s) { s.workload = WorkloadKind::lm; });
  spec.d_model = 24;
  spec.heads = 8;
  EXPECT_EQ(problem(spec),
            "d_model / heads must be even, not 3: rotary positions turn pairs of numbers");
  spec.workload = WorkloadKind::attention;
  spec.d_head = 3;
  EXPECT_TRUE(validate(spec).empty());
}

TEST(WorkloadSpec, attention_has_nothing_to_update) {
  EXPECT_THAT(problem(changed([](auto& spec) { spec.pass = Pass::full_step; })),
              HasSubstr("Pass full_step has nothing to update"));
  // Unless it makes Q, K and V itself; then they come from one sequence.
  const auto projected = changed([](auto& spec) {
    spec.projections = true;
    spec.pass = Pass::full_step;
  });
  EXPECT_TRUE(validate(projected).empty());
  EXPECT_EQ(field_reason(projected, Field::T_kv), "field.reason.one_input");
  EXPECT_TRUE(field_applies(projected, Field::fused_qkv));
  EXPECT_EQ(field_reason(WorkloadSpec{}, Field::fused_qkv), "field.reason.no_projections");
  EXPECT_EQ(field_reason(changed([](auto& spec) { spec.workload = WorkloadKind::mlp; }),
                         Field::projections),
            "field.reason.only_attention_alone");
}

TEST(WorkloadSpec, forced_flash_on_cuda_has_its_limits) {
  auto spec = changed([](auto& s) {
    s.backend = AttentionBackend::flash;
    s.device = DeviceKind::cuda;
  });
  EXPECT_THAT(problem(spec), HasSubstr("needs bf16 or fp16, as dtype or by autocast"));
  spec.autocast = Autocast::fp16;
  EXPECT_TRUE(validate(spec).empty());
  spec.autocast = Autocast::off;
  for (const auto dtype : {DataType::bf16, DataType::fp16}) {
    spec.dtype = dtype;
    EXPECT_TRUE(validate(spec).empty());
  }
  spec.d_head = 257;
  EXPECT_THAT(problem(spec), HasSubstr("d_head up to 256, not 257"));
  spec.device = DeviceKind::cpu;
  spec.dtype = DataType::fp32;
  EXPECT_TRUE(validate(spec).empty());
  spec.device = DeviceKind::cuda;
  spec.workload = WorkloadKind::mlp;  // backend does not apply
  EXPECT_TRUE(validate(spec).empty());
}

TEST(WorkloadSpec, some_backends_and_tf32_are_for_cuda) {
  for (const auto backend : {AttentionBackend::efficient, AttentionBackend::cudnn}) {
    auto spec = changed([&](auto& s) { s.backend = backend; });
    EXPECT_THAT(problem(spec), HasSubstr("has kernels for CUDA only"));
    spec.device = DeviceKind::cuda;
    spec.dtype = DataType::bf16;
    EXPECT_TRUE(validate(spec).empty());
  }
  auto spec = changed([](auto& s) { s.dtype = DataType::tf32; });
  EXPECT_THAT(problem(spec), HasSubstr("Dtype tf32 is a mode of CUDA's matrix products"));
  spec.device = DeviceKind::cuda;
  EXPECT_TRUE(validate(spec).empty());
  spec.backend = AttentionBackend::efficient;  // has fp32 kernels
  EXPECT_TRUE(validate(spec).empty());
  spec.kv_heads = 2;
  EXPECT_THAT(problem(spec), HasSubstr("wants as many kv_heads as heads, not 2 and 8"));
  spec.backend = AttentionBackend::cudnn;
  EXPECT_THAT(problem(spec), HasSubstr("Backend cudnn on CUDA needs bf16 or fp16"));
}

TEST(WorkloadSpec, groups_of_queries_are_of_one_size) {
  auto spec = changed([](auto& s) { s.kv_heads = 3; });
  EXPECT_EQ(problem(spec),
            "kv_heads = 3 does not divide heads = 8: the nearest number that does is 2");
  spec.kv_heads = 16;
  EXPECT_THAT(problem(spec), HasSubstr("the nearest number that does is 8"));
  spec.workload = WorkloadKind::mlp;
  EXPECT_TRUE(validate(spec).empty());
}

TEST(WorkloadSpec, cross_attention_has_no_causal_mask) {
  auto spec = changed([](auto& s) { s.seq_len_kv = 100; });
  EXPECT_THAT(problem(spec), HasSubstr("Causal needs T_kv = T, not 100 and 512"));
  spec.causal = false;
  EXPECT_TRUE(validate(spec).empty());
  spec.causal = true;
  spec.workload = WorkloadKind::lm;  // self-attention: T_kv does not apply
  EXPECT_TRUE(validate(spec).empty());
}

TEST(WorkloadSpec, schedules_go_down) {
  auto spec = changed([](auto& s) {
    s.workload = WorkloadKind::lm;
    s.pass = Pass::full_step;
    s.warmup_steps = 20000;
  });
  EXPECT_TRUE(validate(spec).empty());  // a constant rate has no cycle
  spec.schedule = Schedule::cosine;
  EXPECT_EQ(problem(spec), "warmup_steps must be less than cycle_steps, not 20,000 and 10,000");
  spec.warmup_steps = 0;
  EXPECT_TRUE(validate(spec).empty());
  spec.min_learning_rate = 1;
  EXPECT_EQ(problem(spec), "min_lr must not be above lr, not 1 and 0.0003");
}

TEST(WorkloadSpec, numbers_with_a_point_have_their_range) {
  EXPECT_EQ(problem(changed([](auto& spec) { spec.learning_rate = -1; })),
            "lr must be between 0 and 1000, not -1");
  EXPECT_THAT(problem(changed([](auto& spec) { spec.momentum = std::nan(""); })),
              HasSubstr("momentum must be between 0 and 1"));
}

TEST(WorkloadSpec, sizes_that_overflow_are_refused) {
  auto spec = changed([](auto& s) {
    s.batch = 1 << 20;
    s.seq_len = 1 << 20;
    s.heads = 1024;
    s.d_head = 1;
  });
  EXPECT_EQ(problem(spec),
            "A tensor of B x heads x T x T numbers would be larger than 1 EiB: lower T, B or "
            "heads");
  spec.backend = AttentionBackend::flash;
  EXPECT_TRUE(validate(spec).empty());  // never forms the scores
  spec.d_head = 4096;
  EXPECT_THAT(problem(spec), HasSubstr("B x T x heads x d_head"));
  spec = changed([](auto& s) {
    s.workload = WorkloadKind::lm;
    s.backend = AttentionBackend::flash;
    s.batch = 1 << 20;
    s.seq_len = 1 << 20;
    s.vocab = 1 << 24;
  });
  EXPECT_THAT(problem(spec), HasSubstr("B x T x vocab"));
  spec = changed([](auto& s) {
    s.workload = WorkloadKind::mlp;
    s.batch = 1 << 20;
    s.seq_len = 1 << 20;
    s.d_ff = 1 << 20;
  });
  EXPECT_THAT(problem(spec), HasSubstr("B x T x d_ff"));
}

TEST(WorkloadSpec, memory_limit_is_automatic_or_a_size) {
  EXPECT_TRUE(validate(changed([](auto& spec) { spec.memory_limit = 1 << 20; })).empty());
  EXPECT_EQ(problem(changed([](auto& spec) { spec.memory_limit = 4096; })),
            "memory_limit must be 0 (automatic) or between 1.00 MiB and 1,024 TiB, not 4.00 KiB");
  EXPECT_THAT(problem(changed([](auto& spec) { spec.memory_limit = -1; })),
              HasSubstr("memory_limit"));
}

TEST(WorkloadSpec, target_must_be_printable_text) {
  for (const char* bad :
       {"\xFF", "a\nb", "\xC0\xAF", "\xED\xA0\x80", "\xE4\xB8", "\xF4\x90\x80\x80"}) {
    EXPECT_THAT(problem(changed([&](auto& spec) { spec.target_gpu = bad; })),
                HasSubstr("target_gpu"));
  }
  for (const char* good : {"", "RTX 4090", "\u5361", "\U0001F600"}) {
    EXPECT_TRUE(validate(changed([&](auto& spec) { spec.target_gpu = good; })).empty()) << good;
  }
  EXPECT_FALSE(
      validate(changed([](auto& spec) { spec.target_gpu = std::string(101, 'x'); })).empty());
}

TEST(WorkloadSpec, what_is_wrong_with_the_allocators_settings_is_said) {
  const struct {
    const char* text;
    const char* key;
  } cases[] = {{"nonsense:1", "spec.error.alloc_option"},
               {"expandable_segments:yes", "spec.error.alloc_truth"},
               {"max_split_size_mb:5", "spec.error.alloc_mebibytes"},
               {"garbage_collection_threshold:2", "spec.error.alloc_part"},
               {"roundup_power2_divisions:3", "spec.error.alloc_divisions"},
               {"backend:cudaMallocAsync", "spec.error.alloc_native"},
               {"\n", "spec.error.alloc_conf_text"}};
  for (const auto& [text, key] : cases) {
    WorkloadSpec spec;
    spec.alloc_conf = text;
    const auto problems = validate(spec);
    ASSERT_EQ(problems.size(), 1U) << text;
    EXPECT_EQ(problems[0].field, Field::alloc_conf);
    EXPECT_EQ(problems[0].key, key);
  }
  WorkloadSpec spec;
  // A user's text is never read for placeholders.
  spec.alloc_conf = "{value}:{option}";
  EXPECT_EQ(validate(spec)[0].sentence, "There is no allocator setting {value}");
  spec.alloc_conf = "max_split_size_mb:128,expandable_segments:True";
  EXPECT_TRUE(validate(spec).empty());
}

TEST(WorkloadSpec, any_numbers_are_judged_without_overflow) {
  std::mt19937_64 random(1);
  const std::int64_t edges[] = {INT64_MIN, -1, 0, 1, 2, 1 << 20, 1 << 24, INT64_MAX};
  std::uniform_int_distribution<std::size_t> edge(0, std::size(edges) - 1);
  for (int i = 0; i < 20000; ++i) {
    WorkloadSpec spec = random_spec(random);
    for (std::int64_t* field :
         {&spec.batch, &spec.seq_len, &spec.d_model, &spec.heads, &spec.d_head, &spec.layers,
          &spec.d_ff, &spec.vocab, &spec.memory_limit}) {
      if (random() % 8 == 0) *field = edges[edge(random)];
    }
    if (!validate(spec).empty()) continue;
    // Whatever is accepted stays within int64 in every formula.
    EXPECT_GE(parameter_count(spec), 0);
    EXPECT_LT(parameter_count(spec), std::int64_t{1} << 58);
    EXPECT_TRUE(std::isfinite(step_flops(spec, AttentionBackend::flash).total()));
  }
}

TEST(FieldReason, fields_apply_where_the_workload_uses_them) {
  const auto applies = [](WorkloadKind kind) {
    WorkloadSpec spec;
    spec.workload = kind;
    std::string names;
    for (int i = 0; i < kFieldCount; ++i) {
      const auto field = static_cast<Field>(i);
      if (field_applies(spec, field)) names += std::string(field_name(field)) + " ";
    }
    return names;
  };
  EXPECT_EQ(applies(WorkloadKind::attention),
            "workload B T heads d_head dtype backend pass causal seed device target_gpu "
            "memory_limit kv_heads T_kv autocast zero_grad warmups cache alloc_conf threads "
            "projections compile softmax mask products kernels window packed padding attn_dropout "
            "habit ");
  EXPECT_EQ(applies(WorkloadKind::mlp),
            "workload B T d_model d_ff dtype pass seed device target_gpu memory_limit mlp autocast "
            "zero_grad warmups cache alloc_conf threads compile habit ");
  EXPECT_EQ(
      applies(WorkloadKind::block),
      "workload B T d_model heads d_ff dtype backend pass causal seed device target_gpu "
      "memory_limit kv_heads fused_qkv ffn norm positions bias autocast zero_grad "
      "checkpoint warmups cache alloc_conf threads compile softmax silu mask products kernels "
      "lora_rank window packed padding attn_dropout dropout experts habit head_width qkv_bias "
      "qk_norm kv_rank rope_width block_form post_norm softcap ");
  EXPECT_EQ(applies(WorkloadKind::lm),
            "workload B T d_model heads layers d_ff vocab dtype backend pass causal seed device "
            "target_gpu memory_limit kv_heads fused_qkv ffn norm positions bias tied autocast "
            "zero_grad checkpoint accumulate warmups corpus cache alloc_conf threads compile "
            "softmax silu cross_entropy mask products kernels lora_rank window packed padding "
            "attn_dropout dropout experts habit frozen_layers head_width qkv_bias qk_norm "
            "kv_rank rope_width block_form post_norm head_bias softcap logit_softcap ");
  EXPECT_EQ(applies(WorkloadKind::weighted_sum),
            "workload B T d_model dtype pass seed device target_gpu memory_limit autocast "
            "zero_grad warmups cache alloc_conf threads compile kernels habit ");
  EXPECT_EQ(applies(WorkloadKind::toy),
            "workload B T d_model d_ff vocab dtype pass seed device target_gpu memory_limit "
            "autocast zero_grad warmups cache alloc_conf threads compile kernels habit ");
  EXPECT_EQ(
      applies(WorkloadKind::accumulation),
      "workload T pass device target_gpu memory_limit zero_grad warmups cache alloc_conf threads ");
  EXPECT_EQ(applies(WorkloadKind::layernorm),
            "workload B T d_model pass seed device target_gpu memory_limit zero_grad warmups cache "
            "alloc_conf threads ");
  EXPECT_EQ(applies(WorkloadKind::norm),
            "workload B T d_model dtype pass seed device target_gpu memory_limit norm autocast "
            "zero_grad warmups cache alloc_conf threads kernels habit ");
  EXPECT_TRUE(field_applies(changed([](auto& spec) { spec.device = DeviceKind::cuda; }),
                            Field::device_index));
}

TEST(FieldReason, own_kernels_are_where_an_operator_has_one) {
  const auto reason = [](WorkloadKind workload, AttentionBackend backend) {
    return field_reason(changed([&](auto& spec) {
                          spec.workload = workload;
                          spec.backend = backend;
                        }),
                        Field::kernels);
  };
  EXPECT_EQ(reason(WorkloadKind::attention, AttentionBackend::naive), "");
  EXPECT_EQ(reason(WorkloadKind::attention, AttentionBackend::flash),
            "field.reason.no_own_kernels");
  EXPECT_EQ(reason(WorkloadKind::mlp, AttentionBackend::naive), "field.reason.no_own_kernels");
  EXPECT_EQ(reason(WorkloadKind::block, AttentionBackend::flash), "");
  auto own = changed([](auto& spec) {
    spec.workload = WorkloadKind::lm;
    spec.kernels = Kernels::own;
  });
  EXPECT_EQ(field_reason(own, Field::compile), "field.reason.own_kernels_not_compiled");
  EXPECT_TRUE(validate(own).empty());
  own.device = DeviceKind::cuda;
  EXPECT_TRUE(validate(own).empty());
}

TEST(FieldReason, what_is_written_out_is_where_there_is_something_to_write) {
  WorkloadSpec spec = changed([](auto& s) { s.workload = WorkloadKind::lm; });
  ASSERT_TRUE(apply_presets("medium+as-written", spec));
  EXPECT_EQ(writing(spec).softmax, Form::written);
  EXPECT_EQ(writing(spec).mask, CausalMask::head);
  EXPECT_EQ(writing(spec).products, ProductForm::einsum);
  EXPECT_FALSE(writing(spec).rope_fp32) << "in fp32 there is nothing to cast";
  EXPECT_EQ(field_reason(spec, Field::compile), "field.reason.written_not_compiled");
  spec.autocast = Autocast::bf16;
  EXPECT_TRUE(writing(spec).rope_fp32);
  spec.backend = AttentionBackend::flash;
  EXPECT_EQ(field_reason(spec, Field::softmax), "field.reason.only_naive");
  EXPECT_EQ(field_reason(spec, Field::mask), "field.reason.only_naive");
  spec.ffn = FeedForward::gelu;
  EXPECT_EQ(field_reason(spec, Field::silu), "field.reason.only_swiglu");
  spec.kernels = Kernels::own;
  EXPECT_EQ(field_reason(spec, Field::cross_entropy), "field.reason.own_kernel_does_it");
}

TEST(Workloads, one_operator_alone_is_offered_only_where_it_is_chosen) {
  WorkloadSpec spec;
  EXPECT_FALSE(is_offered(WorkloadKind::softmax, spec));
  spec.workload = WorkloadKind::softmax;
  EXPECT_TRUE(is_offered(WorkloadKind::softmax, spec));
  EXPECT_FALSE(is_offered(WorkloadKind::norm, spec));
  EXPECT_EQ(field_reason(spec, Field::compile), "field.reason.operator_not_compiled");
}

TEST(FieldReason, training_settings_apply_to_a_full_step) {
  auto spec = changed([](auto& s) {
    s.workload = WorkloadKind::lm;
    s.pass = Pass::full_step;
  });
  for (const auto field : {Field::optimizer, Field::lr, Field::weight_decay, Field::clip}) {
    EXPECT_TRUE(field_applies(spec, field)) << field_name(field);
  }
  EXPECT_EQ(field_reason(spec, Field::momentum), "field.reason.only_sgd");
  EXPECT_EQ(field_reason(spec, Field::warmup_steps), "field.reason.only_cosine");
  EXPECT_EQ(field_reason(spec, Field::grad_scaler), "field.reason.scaler_is_for_autocast");
  EXPECT_EQ(field_reason(spec, Field::checkpoint_every), "field.reason.only_blocks");
  EXPECT_EQ(field_reason(spec, Field::keep_graph), "field.reason.graph_is_kept");
  EXPECT_EQ(field_reason(spec, Field::optimizer_state), "field.reason.state_is_fp32");
  auto half = spec;
  half.dtype = DataType::bf16;
  EXPECT_TRUE(field_applies(half, Field::optimizer_state));
  spec.autocast = Autocast::fp16;
  EXPECT_TRUE(field_applies(spec, Field::grad_scaler));
  EXPECT_EQ(field_reason(spec, Field::init_scale), "field.reason.scaler_is_off");
  spec.dtype = DataType::bf16;
  EXPECT_EQ(field_reason(spec, Field::autocast), "field.reason.already_16_bits");
  spec.pass = Pass::forward;
  EXPECT_EQ(field_reason(spec, Field::lr), "field.reason.no_optimizer");
  EXPECT_EQ(field_reason(spec, Field::accumulate), "field.reason.no_backward");
  EXPECT_TRUE(field_applies(spec, Field::keep_graph));
}

}  // namespace
}  // namespace ts::spec
