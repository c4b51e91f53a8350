#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>

#include "assets/assets.h"
#include "core/report/efficiency.h"
#include "core/report/recording_notes.h"
#include "core/report/training_summary.h"
#include "core/report/verdict.h"
#include "core/run/run.h"
#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_spec.h"
#include "core/text/text.h"
#include "tests/exported/pt2_bytes.h"

namespace ts::text {
namespace {

Catalogue load(std::string_view json) {
  auto parsed = Catalogue::parse(json);
  EXPECT_TRUE(parsed) << parsed.error().sentence;
  return parsed.value_or(Catalogue{});
}

struct File {
  const char* name;
  Catalogue texts;
};

const std::array<File, kLanguageCount>& files() {
  static const std::array<File, kLanguageCount> all = {
      {{"en.json", load(assets::locale_en())},
       {"zh-CN.json", load(assets::locale_zh_cn())},
       {"zh-TW.json", load(assets::locale_zh_tw())}}};
  return all;
}

std::set<std::string> keys(const Catalogue& texts) {
  std::set<std::string> found;
  for (const auto& [key, text] : texts.entries()) found.insert(key);
  return found;
}

TEST(LocaleFiles, have_the_same_keys) {
  EXPECT_FALSE(keys(files()[0].texts).empty());
  for (const File& file : files()) {
    for (const std::string& key : keys(files()[0].texts)) {
      EXPECT_NE(file.texts.find(key), nullptr) << file.name << " lacks " << key;
    }
    for (const std::string& key : keys(file.texts)) {
      EXPECT_NE(files()[0].texts.find(key), nullptr) << "en.json lacks " << key;
    }
  }
}

TEST(LocaleFiles, have_no_empty_text) {
  for (const File& file : files()) {
    for (const auto& [key, text] : file.texts.entries()) {
      EXPECT_NE(text.find_first_not_of(" \t\n"), std::string::npos) << file.name << " " << key;
      EXPECT_FALSE(key.empty());
    }
  }
}

TEST(LocaleFiles, have_the_same_placeholders) {
  for (const auto& [key, english] : files()[0].texts.entries()) {
    for (const File& file : files()) {
      const std::string* text = file.texts.find(key);
      if (text == nullptr) continue;  // said by the test of keys
      EXPECT_EQ(placeholders(*text), placeholders(english)) << file.name << " " << key;
    }
  }
}

// The program's own English sentences and the files say the same, word for word.
void expect_said(const std::string& key, const std::vector<Argument>& arguments,
                 const std::string& sentence) {
  const std::string* english = files()[0].texts.find(key);
  ASSERT_NE(english, nullptr) << key;
  EXPECT_EQ(fill(*english, arguments), sentence) << key;
  std::set<std::string> given;
  for (const Argument& argument : arguments) given.emplace(argument.name);
  EXPECT_EQ(placeholders(*english), given) << key;
}

TEST(LocaleFiles, say_every_problem_of_a_spec) {
  using spec::WorkloadSpec;
  const std::string model = ::testing::TempDir() + "tensorscope_locale.pt2";
  std::ofstream(model, std::ios::binary) << exported::testing::linear_pt2();
  // Operators alone, without a parameter.
  const std::string bare = ::testing::TempDir() + "tensorscope_bare.pt2";
  std::ofstream(bare, std::ios::binary) << exported::testing::bare_pt2();
  // Repeated modules, and PyTorch's attention.
  const std::string attends = ::testing::TempDir() + "tensorscope_attends.pt2";
  nlohmann::json layers = exported::testing::layers_program(3);
  layers["graph_module"]["graph"]["nodes"][0]["target"] =
      "torch.ops.aten.scaled_dot_product_attention.default";
  std::ofstream(attends, std::ios::binary)
      << exported::testing::zip_of({{"net/models/model.json", layers.dump()}});
  const std::function<void(WorkloadSpec&)> faults[] = {
      [&bare](WorkloadSpec& spec) {
        EXPECT_TRUE(spec::choose_model(bare, spec));
        EXPECT_EQ(spec.pass, spec::Pass::forward);
        spec.pass = spec::Pass::forward_backward;
      },
      [](WorkloadSpec& spec) { spec.seq_len = 0; },
      [](WorkloadSpec& spec) { spec.model = "a\nb"; },
      [](WorkloadSpec& spec) { spec.workload = spec::WorkloadKind::own_model; },
      [&model](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::own_model;
        spec.model = model;
        spec.batch = 65;  // the file allows 64
      },
      [](WorkloadSpec& spec) { spec.learning_rate = -1; },
      [](WorkloadSpec& spec) { spec.memory_limit = 1; },
      [](WorkloadSpec& spec) { spec.target_gpu = "\n"; },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::lm;
        spec.heads = 7;
      },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::lm;
        spec.heads = 512;
      },
      [](WorkloadSpec& spec) { spec.pass = spec::Pass::full_step; },
      [](WorkloadSpec& spec) {
        spec.device = spec::DeviceKind::cuda;
        spec.backend = spec::AttentionBackend::flash;
        spec.d_head = 512;
      },
      [](WorkloadSpec& spec) {
        spec.batch = spec.seq_len = 1 << 20;
        spec.heads = 1024;
      },
      [](WorkloadSpec& spec) { spec.pass = spec::Pass::generate; },
      [](WorkloadSpec& spec) { spec.corpus = "a\nb"; },
      [](WorkloadSpec& spec) { spec.alloc_conf = "a\nb"; },
      [](WorkloadSpec& spec) { spec.alloc_conf = "nothing:1"; },
      [](WorkloadSpec& spec) { spec.alloc_conf = "expandable_segments:1"; },
      [](WorkloadSpec& spec) { spec.alloc_conf = "max_split_size_mb:1"; },
      [](WorkloadSpec& spec) { spec.alloc_conf = "garbage_collection_threshold:1"; },
      [](WorkloadSpec& spec) { spec.alloc_conf = "roundup_power2_divisions:3"; },
      [](WorkloadSpec& spec) { spec.alloc_conf = "backend:other"; },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::accumulation;
        spec.pass = spec::Pass::full_step;
        spec.seq_len = 1 << 20;
      },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::layernorm;
        spec.pass = spec::Pass::full_step;
      },
      [](WorkloadSpec& spec) { spec.kv_heads = 3; },
      [](WorkloadSpec& spec) { spec.seq_len_kv = 9; },
      [](WorkloadSpec& spec) { spec.backend = spec::AttentionBackend::cudnn; },
      [](WorkloadSpec& spec) { spec.dtype = spec::DataType::tf32; },
      [](WorkloadSpec& spec) {
        spec.device = spec::DeviceKind::cuda;
        spec.backend = spec::AttentionBackend::own;
      },
      [](WorkloadSpec& spec) {
        spec.device = spec::DeviceKind::cuda;
        spec.backend = spec::AttentionBackend::efficient;
        spec.kv_heads = 2;
      },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::lm;
        spec.pass = spec::Pass::full_step;
        spec.schedule = spec::Schedule::cosine;
        spec.warmup_steps = spec.cycle_steps;
        spec.min_learning_rate = 1;
      },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::block;
        spec.lora_rank = 513;
        spec.lora_merged = true;
      },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::block;
        spec.lora_rank = 4;
        spec.lora_merged = true;
      },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::block;
        spec.lora_rank = 4;
        spec.fused_qkv = true;
      },
      [](WorkloadSpec& spec) {
        spec.causal = false;
        spec.seq_len_kv = 20;
        spec.window = spec.packed = 5;
        spec.padding = 20;
      },
      [](WorkloadSpec& spec) {
        spec.backend = spec::AttentionBackend::own;
        spec.window = 5;
        spec.attn_dropout = 0.1;
      },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::block;
        spec.experts = 1;
        spec.lora_rank = 4;
        spec.lora_on = spec::LoraOn::all;
      },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::lm;
        spec.head_width = 21;
      },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::lm;
        spec.backend = spec::AttentionBackend::flash;
        spec.softcap = 50;
      },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::lm;
        spec.backend = spec::AttentionBackend::flash;
        spec.kv_rank = 20;
        spec.rope_width = 64;
        spec.lora_rank = 4;
      },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::vit;
        spec.patch = 225;
      },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::vlm;
        spec.encoder_heads = 3;
        spec.pool = spec::Pool::mean;
        spec.image_tokens = 3;
      },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::lm;
        spec.frozen_layers = 5;
      },
      [](WorkloadSpec& spec) {
        spec.workload = spec::WorkloadKind::lm;
        spec.positions = spec::Positions::learned;
        spec.max_positions = spec.seq_len - 1;
      },
      [&attends](WorkloadSpec& spec) {
        EXPECT_TRUE(spec::choose_model(attends, spec));
        spec.backend = spec::AttentionBackend::naive;
        spec.checkpoint = spec::Checkpoint::attention;
      },
  };
  std::set<std::string> said;
  for (const auto& fault : faults) {
    WorkloadSpec spec;
    fault(spec);
    for (const auto& problem : spec::validate(spec)) {
      expect_said(problem.key, problem.arguments, problem.sentence);
      said.insert(problem.key);
    }
  }
  // Each mistake on purpose where it cannot be made, and our kernels on a GPU.
  for (const char* habit : spec::field_choices(spec::Field::habit)) {
    for (const char* pass : spec::field_choices(spec::Field::pass)) {
      for (const char* device : spec::field_choices(spec::Field::device)) {
        WorkloadSpec spec;
        spec.workload = spec::WorkloadKind::lm;
        spec.kernels = spec::Kernels::own;
        ASSERT_TRUE(spec::set_field(spec, "habit", habit));
        ASSERT_TRUE(spec::set_field(spec, "pass", pass));
        ASSERT_TRUE(spec::set_field(spec, "device", device));
        for (const auto& problem : spec::validate(spec)) {
          expect_said(problem.key, problem.arguments, problem.sentence);
          said.insert(problem.key);
        }
      }
    }
  }
  // The sentence about one value alone, as it is typed.
  for (const auto& [field, value] : std::initializer_list<std::pair<spec::Field, const char*>>{
           {spec::Field::T, "long"},
           {spec::Field::T, "0"},
           {spec::Field::memory_limit, "much"},
           {spec::Field::lr, "small"},
           {spec::Field::lr, "-1"},
           {spec::Field::dtype, "fp3"},
           {spec::Field::causal, "maybe"},
           {spec::Field::seed, "-1"}}) {
    const auto problem = spec::value_problem(field, value);
    ASSERT_TRUE(problem) << value;
    expect_said(problem->key, problem->arguments, problem->sentence);
    said.insert(problem->key);
    WorkloadSpec spec;
    EXPECT_EQ(spec::set_field(spec, spec::field_name(field), value).error().sentence,
              problem->sentence);
  }
  EXPECT_FALSE(spec::value_problem(spec::Field::T, "2Ki"));
  // A file of settings with a value of another type.
  for (const char* const file : {"[]", R"({"T": "8"})", R"({"lr": "small"})", R"({"dtype": 1})",
                                 R"({"causal": 0})", R"({"seed": -1})"}) {
    const auto read = spec::spec_from_json(nlohmann::json::parse(file));
    ASSERT_FALSE(read) << file;
    expect_said(read.error().key, read.error().arguments, read.error().sentence);
    said.insert(read.error().key);
  }
  for (const std::string& key : keys(files()[0].texts)) {
    const bool is_problem = key.starts_with("spec.error.");
    EXPECT_TRUE(!is_problem || said.contains(key)) << key << " is never said";
  }
}

TEST(LocaleFiles, give_every_reason_why_a_field_does_not_apply) {
  std::set<std::string> given;
  // Every workload and pass, with every other choice and switch of the table on its own.
  for (const char* workload : spec::field_choices(spec::Field::workload)) {
    for (const char* pass : spec::field_choices(spec::Field::pass)) {
      for (const spec::FieldRow& changed : spec::field_rows()) {
        for (const char* choice : spec::field_choices(changed.field)) {
          spec::WorkloadSpec spec;
          ASSERT_TRUE(spec::set_field(spec, "workload", workload));
          ASSERT_TRUE(spec::set_field(spec, "pass", pass));
          ASSERT_TRUE(spec::set_field(spec, changed.name, choice));
          for (const spec::FieldRow& row : spec::field_rows()) {
            const std::string key = spec::field_reason(spec, row.field);
            if (!key.empty()) given.insert(key);
          }
        }
      }
    }
  }
  // Those that want three settings or more at once.
  spec::WorkloadSpec scaled;
  scaled.workload = spec::WorkloadKind::lm;
  scaled.pass = spec::Pass::full_step;
  scaled.autocast = spec::Autocast::fp16;
  given.insert(spec::field_reason(scaled, spec::Field::init_scale));
  scaled.device = spec::DeviceKind::cuda;
  const auto give_of_graph = [&](const auto& change) {
    spec::WorkloadSpec spec = scaled;
    change(spec);
    given.insert(spec::field_reason(spec, spec::Field::cuda_graph));
  };
  spec::WorkloadSpec adapted;
  adapted.workload = spec::WorkloadKind::block;
  adapted.lora_rank = 4;
  given.insert(spec::field_reason(adapted, spec::Field::compile));
  spec::WorkloadSpec masked;
  masked.window = 5;
  given.insert(spec::field_reason(masked, spec::Field::compile));
  masked.window = 0;
  masked.attn_dropout = 0.1;
  given.insert(spec::field_reason(masked, spec::Field::compile));
  spec::WorkloadSpec mixed;
  mixed.workload = spec::WorkloadKind::block;
  mixed.experts = 4;
  given.insert(spec::field_reason(mixed, spec::Field::compile));
  given.insert(spec::field_reason(mixed, spec::Field::shared_gate));
  mixed.kv_rank = 20;
  given.insert(spec::field_reason(mixed, spec::Field::kv_heads));
  masked.device = spec::DeviceKind::cuda;
  given.insert(spec::field_reason(masked, spec::Field::cuda_graph));
  adapted.workload = spec::WorkloadKind::lm;
  given.insert(spec::field_reason(adapted, spec::Field::frozen_layers));
  spec::WorkloadSpec own_tiles;
  own_tiles.backend = spec::AttentionBackend::own;
  own_tiles.device = spec::DeviceKind::cuda;
  given.insert(spec::field_reason(own_tiles, spec::Field::tile_q));
  spec::WorkloadSpec still;
  still.workload = spec::WorkloadKind::lm;
  still.frozen_layers = 1;
  given.insert(spec::field_reason(still, spec::Field::compile));
  spec::WorkloadSpec projected;
  projected.projections = true;
  given.insert(spec::field_reason(projected, spec::Field::T_kv));
  spec::WorkloadSpec eight_bits;
  eight_bits.workload = spec::WorkloadKind::lm;
  eight_bits.pass = spec::Pass::full_step;
  eight_bits.optimizer = spec::OptimizerKind::adamw_8bit;
  given.insert(spec::field_reason(eight_bits, spec::Field::optimizer_state));
  give_of_graph([](auto& spec) { spec.schedule = spec::Schedule::cosine; });
  give_of_graph([](auto& spec) { spec.optimizer = spec::OptimizerKind::adamw_foreach; });
  give_of_graph([](auto& spec) {
    spec.optimizer = spec::OptimizerKind::sgd;
    spec.grad_scaler = true;
  });
  given.insert("field.reason.no_dimension");  // of a .pt2: own_model_test.cpp
  for (const std::string& key : given) EXPECT_NE(files()[0].texts.find(key), nullptr) << key;
  for (const std::string& key : keys(files()[0].texts)) {
    const bool is_reason = key.starts_with("field.reason.");
    EXPECT_TRUE(!is_reason || given.contains(key)) << key << " is never given";
  }
}

TEST(LocaleFiles, name_every_setting_and_choice_that_has_a_control) {
  using spec::Field;
  for (const spec::FieldRow& row : spec::field_rows()) {
    const bool own_text = row.field == Field::workload || row.field == Field::dtype ||
                          row.field == Field::backend || row.field == Field::pass ||
                          row.field == Field::causal || row.section == spec::Section::device;
    const std::string label = std::string("controls.field.") + row.name;
    EXPECT_TRUE(own_text || files()[0].texts.find(label) != nullptr) << label;
    if (!std::holds_alternative<spec::ChoiceField>(row.kind)) continue;
    for (std::string choice : spec::field_choices(row.field)) {
      std::replace(choice.begin(), choice.end(), '+', '_');
      const std::string area = row.field == Field::workload ? "controls.workload."
                               : row.field == Field::loss   ? "controls.loss."
                                                            : "controls.choice.";
      EXPECT_NE(files()[0].texts.find(area + choice), nullptr) << area + choice;
    }
  }
}

TEST(LocaleFiles, say_that_a_loss_is_no_number) {
  run::StartedUpdate started;
  run::Run run(started);
  run::SampleUpdate sample;
  sample.times.loss = std::nan("");
  run.apply(sample);
  const auto summary = report::training_summary(run);
  ASSERT_TRUE(summary.bad_loss);
  expect_said(summary.bad_loss->key, summary.bad_loss->arguments, summary.bad_loss->sentence);
}

void expect_verdict(const run::Run& run) {
  const report::VerdictText text = report::verdict_text(run);
  expect_said(text.headline.key, text.headline.arguments, text.headline.sentence);
  if (!text.detail.key.empty()) {
    expect_said(text.detail.key, text.detail.arguments, text.detail.sentence);
  }
}

TEST(LocaleFiles, say_every_verdict) {
  run::StartedUpdate started;
  started.limit = 4096;
  for (int stage = 0; stage <= static_cast<int>(run::Stage::done); ++stage) {
    run::Run going(started);
    going.stage = static_cast<run::Stage>(stage);
    expect_verdict(going);
  }
  for (const char* source : {"RTX 4090", "memory_limit"}) {
    started.limit_source = source;
    for (int verdict = 0; verdict < 4; ++verdict) {
      for (const char* op : {"", "aten::mm"}) {
        for (const char* module : {"", "blocks.0"}) {
          run::Run ended(started);
          run::BatchUpdate batch;
          batch.batch.memory.resize(1);
          batch.batch.memory[0].size = 1024;
          ended.apply(std::move(batch));
          run::FinishedUpdate end;
          end.verdict = static_cast<run::Verdict>(verdict);
          end.failure.bytes_asked = 5000;
          end.failure.op = op;
          end.failure.module = module;
          ended.apply(std::move(end));
          expect_verdict(ended);
        }
      }
    }
  }
}

TEST(LocaleFiles, say_what_is_to_be_known_of_a_recording) {
  for (const std::uint64_t lost : {std::uint64_t{1}, std::uint64_t{12'345}}) {
    run::Run run{run::StartedUpdate{}};
    run::BatchUpdate batch;
    batch.batch.dropped = lost;
    run.apply(std::move(batch));
    for (int i = 0; i < 20; ++i) {
      run::SampleUpdate sample;
      sample.times.begin_ns = i * 30;
      sample.times.total_ns = i % 2 == 0 ? 10 : 20;
      sample.kind = i % 2 == 0 ? run::SampleUpdate::Kind::timed : run::SampleUpdate::Kind::probe;
      run.apply(sample);
    }
    const auto notes = report::recording_notes(run);
    ASSERT_EQ(notes.size(), 2U);
    for (const base::Message& note : notes) expect_said(note.key, note.arguments, note.sentence);
  }
}

TEST(LocaleFiles, say_why_a_share_is_over_one) {
  for (const char* device : {"cpu", "cuda"}) {
    for (const bool causal : {false, true}) {
      run::StartedUpdate started;
      ASSERT_TRUE(spec::set_field(started.spec, "device", device));
      started.spec.causal = causal;
      run::Run run(started);
      run.apply(run::FactsUpdate{0, {0, 0, "flash", 0}});
      run::SampleUpdate sample;
      sample.times.total_ns = 1;
      run.apply(sample);
      run.roof = run::Roof{spec::DataType::fp32, 1024, *run.tflops_per_s() * (causal ? 1.1 : 0.5)};
      run.card = spec::Gpu{};
      run.card->fp32_tflops = 1;
      for (const report::Utilisation& one : report::utilisations(run)) {
        ASSERT_GT(one.share, 1);
        expect_said(one.over.key, one.over.arguments, one.over.sentence);
      }
    }
  }
}

}  // namespace
}  // namespace ts::text
