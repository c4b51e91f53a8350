// The calculators beside the figures that papers and the course publish.
#include "core/calculate/calculator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>

#include "core/calculate/calculation_table.h"
#include "core/calculate/expression.h"
#include "core/spec/workload_math.h"

namespace ts::calculate {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

using Settings = std::initializer_list<std::pair<const char*, const char*>>;

Values values_of(const char* id, Settings settings = {}) {
  Values values(**calculator_from(id));
  for (const auto& [name, number] : settings) {
    const auto set = values.set(name, number);
    EXPECT_TRUE(set) << name;
  }
  return values;
}

double term(const char* id, const char* name, Settings settings = {}) {
  const Values values = values_of(id, settings);
  const auto& terms = values.calculator().terms;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (std::string_view(terms[i].name) == name) return values.terms()[i];
  }
  ADD_FAILURE() << id << " has no " << name;
  return NAN;
}

TEST(Calculators, EachHasItsWordsAndFormulasThatCanBeCalculated) {
  std::set<std::string_view> ids;
  for (const Calculator& calculator : calculators()) {
    EXPECT_TRUE(ids.insert(calculator.id).second) << calculator.id;
    std::set<std::string_view> names;
    for (const Input& input : calculator.inputs) {
      EXPECT_TRUE(names.insert(input.name).second) << calculator.id << " " << input.name;
      EXPECT_LE(input.least, input.start) << calculator.id << " " << input.name;
      EXPECT_LE(input.start, input.most) << calculator.id << " " << input.name;
      EXPECT_LT(input.least, input.most) << calculator.id << " " << input.name;
    }
    for (const Term& one : calculator.terms)
      EXPECT_TRUE(names.insert(one.name).second) << calculator.id << " " << one.name;
    for (const double value : Values(calculator).terms())
      EXPECT_TRUE(std::isfinite(value)) << calculator.id;
  }
}

// Every formula is one at the ends of all ranges, too.
TEST(Calculators, FormulasAreWholeAtTheEndsOfTheRanges) {
  for (const Calculator& calculator : calculators()) {
    for (const bool most : {false, true}) {
      Values values(calculator);
      for (std::size_t i = 0; i < calculator.inputs.size(); ++i) {
        const Input& input = calculator.inputs[i];
        ASSERT_TRUE(values.set(i, most ? input.most : input.least));
        EXPECT_FALSE(values.set(i, most ? input.most + 1 : input.least - 1)) << input.name;
      }
      for (const double value : values.terms()) EXPECT_FALSE(std::isnan(value)) << calculator.id;
    }
  }
}

TEST(Calculators, ParametersOfTheModelsOfTheCourse) {
  EXPECT_EQ(term("parameters", "parameters",
                 {{"vocab", "50000"}, {"d_model", "512"}, {"d_ff", "2048"}, {"layers", "6"}}),
            76'372'480);
  EXPECT_NEAR(term("parameters", "parameters"), 128.6e6, 0.05e6);
  EXPECT_NEAR(term("parameters", "training_bytes") / (1024 * kMiB), 1.92, 0.005);
  // nanoGPT's 124M without its positions.
  EXPECT_EQ(
      term("parameters", "parameters", {{"vocab", "50304"}, {"ffn_matrices", "2"}, {"tied", "1"}}),
      123'587'328);
}

TEST(Calculators, FlopsOfAForwardStep) {
  EXPECT_NEAR(term("step_flops", "forward"), 14.19e12, 0.005e12);
  const Settings small = {
      {"B", "4"}, {"T", "128"}, {"d_model", "768"}, {"d_ff", "3072"}, {"layers", "12"}};
  EXPECT_NEAR(term("step_flops", "forward", small), 0.126e12, 0.0005e12);
  const Settings a2 = {{"B", "32"},      {"T", "128"},    {"d_model", "512"},
                       {"d_ff", "2048"}, {"layers", "6"}, {"vocab", "50000"}};
  EXPECT_NEAR(term("step_flops", "forward", a2), 0.422e12, 0.0005e12);
  EXPECT_NEAR(term("step_flops", "training", a2), 1.267e12, 0.0005e12);
}

TEST(Calculators, UtilisationAsNanoGptCountsIt) {
  EXPECT_EQ(term("mfu", "per_token"), 854'770'176);
  EXPECT_NEAR(term("mfu", "per_step", {{"sequences", "1"}}), 0.87528e12, 0.00001e12);
  // A line of its log, 150.23 ms and 45.12 %, is 24.2 sequences a step.
  const double of_24 = term("mfu", "mfu", {{"step_us", "150230"}});
  EXPECT_NEAR(of_24 * 24.2 / 24, 0.4512, 0.0010);
  EXPECT_LT(term("mfu", "mfu_weights"), term("mfu", "mfu_causal"));
}

TEST(Calculators, ActivationsOfTheLargestModel) {
  for (const auto& [length, mib] :
       {std::pair("128", 5), std::pair("256", 10), std::pair("512", 20)})
    EXPECT_EQ(term("tensors", "residual", {{"T", length}}), mib * kMiB);
  EXPECT_EQ(term("tensors", "scores"), 128 * kMiB);
  EXPECT_EQ(term("tensors", "ffn_activation"), 80 * kMiB);
  EXPECT_EQ(term("tensors", "logits", {{"B", "32"}, {"T", "128"}, {"vocab", "50000"}}),
            781.25 * kMiB);
}

// The column "MiB before backward" of the published table, row by row.
TEST(Calculators, AttentionBeforeItsBackward) {
  const auto before = [](const char* d, const char* t) {
    return term("attention_memory", "before_backward", {{"d_model", d}, {"T", t}}) / kMiB;
  };
  EXPECT_NEAR(before("16", "256"), 19.006, 0.0005);
  EXPECT_NEAR(before("16", "1024"), 51.256, 0.0005);
  EXPECT_NEAR(before("16", "4096"), 540.256, 0.0005);
  EXPECT_NEAR(before("16", "8192"), 2088.256, 0.0005);
  EXPECT_NEAR(before("32", "256"), 19.774, 0.0005);
  EXPECT_NEAR(before("32", "1024"), 54.274, 0.0005);
}

TEST(Calculators, SevenBillionParametersOnEightyGigabytes) {
  EXPECT_EQ(term("training_memory", "left"), -4e9);
  EXPECT_EQ(term("training_memory", "left", {{"master_bytes", "4"}}), -32e9);
  EXPECT_EQ(80e9 - term("zero", "zero1"), 45e9);
  EXPECT_EQ(80e9 - term("zero", "zero2"), 57.25e9);
  // The figure of the paper: 7.5B parameters, 64 ranks, 12 bytes of states: 120, 31.4, 16.6, 1.9
  // GB.
  const Settings paper = {{"params", "7.5e9"}, {"ranks", "64"}, {"state_bytes", "12"}};
  EXPECT_NEAR(term("zero", "replicated", paper), 120e9, 1);
  EXPECT_NEAR(term("zero", "zero1", paper), 31.4e9, 0.05e9);
  EXPECT_NEAR(term("zero", "zero2", paper), 16.6e9, 0.05e9);
  EXPECT_NEAR(term("zero", "zero3", paper), 1.9e9, 0.05e9);
}

TEST(Calculators, LoraOnTheAttentionOfASevenBillionModel) {
  EXPECT_EQ(term("lora", "trainable"), 67'108'864);
  EXPECT_NEAR(term("lora", "trainable_share"), 0.01, 0.0005);
  EXPECT_EQ(term("lora", "adapter_states"), 16 * 67'108'864.0) << "fp32: 4 + 4 + 8";
  EXPECT_EQ(term("lora", "adapter_states", {{"adapter_bytes", "2"}}), 12 * 67'108'864.0);
  spec::WorkloadSpec spec;
  spec.workload = spec::WorkloadKind::lm;
  spec.d_model = 4096;
  spec.heads = 32;
  spec.layers = 32;
  spec.lora_rank = 64;
  spec.lora_on = spec::LoraOn::qkvo;
  EXPECT_EQ(spec::trained_count(spec), 67'108'864) << "as the settings count it";
}

TEST(Calculators, KvCacheOfEightHeads) {
  // Llama 3 8B, 8,192 tokens: 128 KiB a token, 1 GiB a sequence.
  EXPECT_EQ(term("kv_cache", "kv_token"), 128 * 1024.0);
  EXPECT_EQ(term("kv_cache", "kv_total"), 1024 * kMiB);
}

TEST(Calculators, TrafficAndTilesOfAttention) {
  EXPECT_EQ(term("attention_io", "naive_elements"), 4.0 * 1024 * 1024 + 4.0 * 1024 * 64);
  EXPECT_EQ(term("attention_io", "tiled_elements"), 2.0 * 65'536 + 1024 + 2.0 * 65'536 * 16);
  EXPECT_EQ(term("tile_memory", "tile_total"), 114'688);
  EXPECT_LT(term("tile_memory", "tile_left"), 0);
  EXPECT_GT(term("tile_memory", "tile_left", {{"stages", "1"}}), 0);
}

TEST(Calculators, RooflineOfAnA100) {
  EXPECT_NEAR(term("roofline", "ridge"), 153, 0.05);
  EXPECT_NEAR(term("roofline", "reachable_share"), 100 / 153.02, 0.001);
  EXPECT_EQ(term("roofline", "reachable_share", {{"flops_per_byte", "1000"}}), 1);
}

TEST(Calculators, AllReduceOfThirteenBillionGradients) {
  EXPECT_NEAR(term("all_reduce", "transfer"), 0.152, 0.0005);
  EXPECT_NEAR(term("all_reduce", "transfer", {{"gradient_bytes", "4"}}), 0.303, 0.0005);
  EXPECT_EQ(term("all_reduce", "communication", {{"ranks", "1"}}), 0);
  EXPECT_EQ(term("all_reduce", "exposed", {{"overlap_percent", "100"}}), 0);
  // The ratio does not depend on the number of parameters, apart from the latency.
  const auto ratio = [](const char* params) {
    return term("all_reduce", "comm_ratio", {{"params", params}, {"latency_us", "0"}});
  };
  EXPECT_NEAR(ratio("1e9") / ratio("70e9"), 1, 1e-12);
}

TEST(Calculators, CompressionPipelineLoaderAndAccumulation) {
  EXPECT_EQ(term("power_sgd", "compression", {{"rank", "1"}}), 2048);
  EXPECT_EQ(term("power_sgd", "compression"), 1024);
  EXPECT_EQ(term("power_sgd", "compression", {{"rank", "4"}}), 512);
  EXPECT_NEAR(term("pipeline", "bubble"), 3.0 / 11, 1e-15);
  EXPECT_NEAR(term("pipeline", "pipeline_time") - term("pipeline", "useful"), 0.030, 1e-12);
  EXPECT_NEAR(term("loader", "latency"), 0.0475, 1e-12);
  EXPECT_NEAR(term("loader", "period"), 0.020, 1e-12);
  EXPECT_EQ(term("accumulation", "effective_batch"), 240);
  EXPECT_EQ(term("accumulation", "accumulate", {{"B", "512"}}), 1);
}

TEST(Calculators, TheRuleOfTheLabNeverDividesByZero) {
  EXPECT_EQ(term("recommended_batch", "batch_size"), 4);
  EXPECT_EQ(term("recommended_batch", "accumulate"), 8);
  EXPECT_EQ(term("recommended_batch", "checkpointing"), 1);
  for (const char* const length : {"256", "1024", "2048", "4096", "8192"}) {
    EXPECT_EQ(term("recommended_batch", "batch_size", {{"card_gb", "1"}, {"T", length}}), 1);
    EXPECT_EQ(term("recommended_batch", "accumulate", {{"card_gb", "1"}, {"T", length}}), 32);
  }
}

// The values of the course that are marked as recomputed; docs/labs.md lists where the others are.
// The column of the fused kernel, MiB: what flash keeps, 7.017 MiB, and six tensors of the
// configuration before, which the loss keeps alive.
TEST(Recomputed, TheNineRowsOfTheFusedKernel) {
  struct PrintedRow {
    int d;
    int length;
    double mib;
  };
  constexpr PrintedRow kRows[] = {{16, 256, 7.524},   {16, 1024, 9.798},   {16, 4096, 18.142},
                                  {16, 8192, 35.267}, {16, 16384, 63.517}, {32, 256, 56.025},
                                  {32, 1024, 12.548}, {32, 4096, 29.142},  {32, 8192, 63.267}};
  double before = 0;
  for (const PrintedRow& row : kRows) {
    const std::string width = std::to_string(row.d);
    const std::string length = std::to_string(row.length);
    const Settings at = {{"d_model", width.c_str()}, {"T", length.c_str()}};
    const double kept = term("attention_memory", "flash_saved", at);
    EXPECT_NEAR(7.017 + (kept + before) / kMiB, row.mib, 0.0015) << row.d << ", " << row.length;
    before = term("attention_memory", "saved_linear", at);
  }
}

// Three T x T tensors in the backward: with 7 GiB free T = 8,848 is the last that fits.
TEST(Recomputed, TheLargestLengthOnEightGigabytes) {
  const double free = 7 * 1024 * kMiB;
  EXPECT_LE(term("attention_memory", "backward_scores", {{"T", "8848"}}), free);
  EXPECT_GT(term("attention_memory", "backward_scores", {{"T", "8849"}}), free);
  EXPECT_EQ(term("attention_memory", "saved_softmax", {{"T", "16384"}}), 8 * 1024 * kMiB);
}

TEST(Recomputed, FlopsOfATokenAndOfASequence) {
  EXPECT_EQ(term("mfu", "per_token"), 854'770'176);
  EXPECT_EQ(term("mfu", "per_step", {{"sequences", "1"}}), 854'770'176.0 * 1024);
  EXPECT_NEAR(term("mfu", "per_step", {{"sequences", "1"}}), 0.87528e12, 0.000005e12);
}

TEST(Calculators, WrongNumbersAreRefusedInOneSentence) {
  EXPECT_EQ(calculator_from("nothing").error().sentence.find("there is no calculator \"nothing\""),
            0U);
  Values values(**calculator_from("zero"));
  const auto error = [&](const char* name, const char* number) {
    const auto set = values.set(name, number);
    return set ? std::string("accepted") : set.error().sentence;
  };
  EXPECT_EQ(error("ranks", "0"), "ranks is 1 to 1,000,000, not 0");
  EXPECT_EQ(error("ranks", "2.5"),
            "ranks takes a whole number such as 512, 8k or 7e9, not \"2.5\"");
  EXPECT_EQ(error("ranks", "eight"),
            "ranks takes a whole number such as 512, 8k or 7e9, not \"eight\"");
  EXPECT_EQ(error("ranks", ""), "ranks takes a whole number such as 512, 8k or 7e9, not \"\"");
  EXPECT_EQ(error("ranks", "nan"),
            "ranks takes a whole number such as 512, 8k or 7e9, not \"nan\"");
  EXPECT_EQ(error("ranks", "1e300"),
            "ranks takes a whole number such as 512, 8k or 7e9, not \"1e300\"");
  EXPECT_EQ(error("rank", "8").find("zero has no \"rank\"; it has params, ranks"), 0U);
  EXPECT_EQ(error("params", "4,096"), "accepted");
  EXPECT_EQ(values.of(0), 4096);
  for (const auto& [text, number] :
       {std::pair{"8k", 8000}, {"4Ki", 4096}, {"2e9", 2'000'000'000}}) {
    EXPECT_EQ(error("params", text), "accepted");
    EXPECT_EQ(values.of(0), number) << text;
  }
}

TEST(Calculators, ValuesAndFormulasInWords) {
  EXPECT_EQ(formula_text("4*d_model^2/(a-1)+1e-6"),
            "4 \xc3\x97 d_model\xc2\xb2 / (a \xe2\x88\x92 1) + 1e-6");
  EXPECT_EQ(value_text(14.19e12, Unit::flops), "14.19 TFLOP");
  EXPECT_EQ(value_text(56e9, Unit::bytes), "52.15 GiB");
  EXPECT_EQ(exact_text(56e9, Unit::bytes), "56,000,000,000");
  EXPECT_EQ(value_text(-4e9, Unit::bytes),
            "\xe2\x88\x92"
            "3.73 GiB");
  EXPECT_EQ(value_text(0.15167, Unit::seconds), "151.7 ms");
  EXPECT_EQ(value_text(0.4482, Unit::share), "44.8 %");
  EXPECT_EQ(value_text(NAN, Unit::bytes), "\xe2\x80\x93");
  EXPECT_EQ(value_text(INFINITY, Unit::times), "\xe2\x80\x93");
  EXPECT_EQ(value_text(12.5, Unit::number), "12.500");
}

}  // namespace
}  // namespace ts::calculate
