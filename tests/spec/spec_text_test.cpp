#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "core/spec/spec_fields.h"
#include "core/spec/workload_spec.h"
#include "tests/spec/random_spec.h"

namespace ts::spec {
namespace {

using testing::HasSubstr;

TEST(SpecJson, json_round_trip_is_exact) {
  std::mt19937_64 random(2);
  int valid = 0;
  for (int i = 0; i < 5000; ++i) {
    const WorkloadSpec spec = random_spec(random);
    if (!validate(spec).empty()) continue;
    ++valid;
    const auto text = to_json(spec).dump();
    const auto back = spec_from_json(nlohmann::json::parse(text));
    ASSERT_TRUE(back) << back.error().sentence << text;
    EXPECT_EQ(*back, spec);
    EXPECT_EQ(to_json(*back).dump(), text);
  }
  EXPECT_GT(valid, 500);
}

TEST(SpecJson, the_largest_seed_survives) {
  WorkloadSpec spec;
  for (const std::uint64_t seed :
       {UINT64_MAX, UINT64_MAX - 1, std::uint64_t{1} << 63, std::uint64_t{0}}) {
    spec.seed = seed;
    EXPECT_EQ(spec_from_json(nlohmann::json::parse(to_json(spec).dump()))->seed, seed);
    WorkloadSpec other;
    ASSERT_TRUE(set_field(other, "seed", std::to_string(seed)));
    EXPECT_EQ(other.seed, seed);
  }
}

TEST(SpecJson, json_has_every_field_and_nothing_else) {
  const auto json = to_json(WorkloadSpec{});
  EXPECT_EQ(json.size(), static_cast<std::size_t>(kFieldCount));
  for (int i = 0; i < kFieldCount; ++i) {
    EXPECT_TRUE(json.contains(field_name(static_cast<Field>(i))));
  }
}

std::string json_error(const char* text) {
  const auto spec = spec_from_json(nlohmann::json::parse(text));
  EXPECT_FALSE(spec) << text;
  if (spec) return "";
  EXPECT_FALSE(spec.error().key.empty()) << "a window in Chinese shows it in English: " << text;
  return spec.error().sentence;
}

TEST(SpecJson, json_errors_name_the_key) {
  EXPECT_EQ(json_error(R"({"layrs": 4})"), "There is no setting \"layrs\": did you mean layers?");
  EXPECT_EQ(json_error(R"({"T": "512"})"), "T must be a whole number, not \"512\"");
  EXPECT_EQ(json_error(R"({"T": 512.5})"), "T must be a whole number, not 512.5");
  EXPECT_EQ(json_error(R"({"T": 0})"), "T must be between 1 and 1,048,576, not 0");
  EXPECT_THAT(json_error(R"({"T": 18446744073709551615})"), HasSubstr("T must be between"));
  EXPECT_THAT(json_error(R"({"T": null})"), HasSubstr("T must be a whole number"));
  EXPECT_THAT(json_error(R"({"seed": -1})"), HasSubstr("seed must be a whole number from 0 up"));
  EXPECT_THAT(json_error(R"({"seed": 1e300})"), HasSubstr("seed"));
  EXPECT_THAT(json_error(R"({"causal": 1})"), HasSubstr("causal must be true or false"));
  EXPECT_EQ(json_error(R"({"workload": "gpt"})"),
            "workload must be attention, mlp, block, lm, weighted_sum, toy, accumulation, "
            "layernorm, norm, softmax, cross_entropy, vit, vlm or own_model, not \"gpt\"");
  EXPECT_THAT(json_error(R"({"dtype": 16})"), HasSubstr("dtype must be a name in quotes"));
  EXPECT_THAT(json_error(R"({"target_gpu": []})"), HasSubstr("target_gpu must be a name"));
  EXPECT_THAT(json_error(R"({"workload": "lm", "heads": 7})"), HasSubstr("heads = 7"));
  EXPECT_THAT(json_error("[]"), HasSubstr("JSON object"));
}

TEST(SpecJson, json_takes_defaults_for_what_is_missing) {
  EXPECT_EQ(*spec_from_json(nlohmann::json::object()), WorkloadSpec{});
}

std::string set_error(const char* name, const char* value) {
  WorkloadSpec spec;
  const auto set = set_field(spec, name, value);
  EXPECT_FALSE(set) << name << "=" << value;
  EXPECT_EQ(spec, WorkloadSpec{}) << "changed by a failed setting";
  return set ? "" : set.error().sentence;
}

std::int64_t set_length(const char* value) {
  WorkloadSpec spec;
  const auto set = set_field(spec, "T", value);
  EXPECT_TRUE(set) << value;
  return spec.seq_len;
}

std::int64_t set_limit(const char* value) {
  WorkloadSpec spec;
  spec.memory_limit = -1;
  const auto set = set_field(spec, "memory_limit", value);
  EXPECT_TRUE(set) << value;
  return spec.memory_limit;
}

TEST(SetField, counts_take_suffixes) {
  EXPECT_EQ(set_length("512"), 512);
  EXPECT_EQ(set_length(" 512 "), 512);
  EXPECT_EQ(set_length("2k"), 2000);
  EXPECT_EQ(set_length("2Ki"), 2048);
  EXPECT_EQ(set_length("1.5Ki"), 1536);
  EXPECT_EQ(set_length("1Mi"), 1 << 20);
  for (const char* bad : {"", " ", "k", "abc", "1.5", "1e3", "2kB", "0x10", "nan", "inf", "1,024",
                          "5 5", "1..5", "0.3k5", "99999999999999999999"}) {
    EXPECT_THAT(set_error("T", bad), HasSubstr("T takes a whole number such as 512, 2k or 2Ki"))
        << bad;
  }
  EXPECT_THAT(set_error("T", "-5"), HasSubstr("T must be between 1 and 1,048,576"));
  EXPECT_THAT(set_error("T", "2Gi"), HasSubstr("T must be between"));
  EXPECT_THAT(set_error("device_index", "64"), HasSubstr("device_index must be between 0 and 63"));
}

TEST(SetField, memory_limit_takes_bytes_and_units) {
  EXPECT_EQ(set_limit("2GiB"), std::int64_t{2} << 30);
  EXPECT_EQ(set_limit("512 MiB"), std::int64_t{512} << 20);
  EXPECT_EQ(set_limit("1.5GiB"), std::int64_t{3} << 29);
  EXPECT_EQ(set_limit("1.5GB"), 1'500'000'000);
  EXPECT_EQ(set_limit("4096"), 4096);
  EXPECT_EQ(set_limit("0"), 0);
  EXPECT_EQ(set_limit("auto"), 0);
  for (const char* bad : {"2 parsecs", "2G", "GiB", "", "-"}) {
    EXPECT_THAT(set_error("memory_limit", bad), HasSubstr("a size such as 2GiB or 512MiB")) << bad;
  }
}

TEST(SetField, every_field_can_be_set_by_its_name) {
  WorkloadSpec spec;
  const std::pair<const char*, const char*> settings[] = {
      {"workload", "lm"},    {"B", "2"},           {"T", "64"},
      {"d_model", "128"},    {"heads", "4"},       {"d_head", "32"},
      {"layers", "3"},       {"d_ff", "256"},      {"vocab", "1k"},
      {"dtype", "bf16"},     {"backend", "auto"},  {"pass", "full_step"},
      {"causal", "off"},     {"seed", "7"},        {"device", "cuda"},
      {"device_index", "1"}, {"target_gpu", "T4"}, {"memory_limit", "1GiB"}};
  for (const auto& [name, value] : settings) EXPECT_TRUE(set_field(spec, name, value)) << name;
  WorkloadSpec expected;
  expected.workload = WorkloadKind::lm;
  expected.batch = 2;
  expected.seq_len = 64;
  expected.d_model = 128;
  expected.heads = 4;
  expected.d_head = 32;
  expected.layers = 3;
  expected.d_ff = 256;
  expected.vocab = 1000;
  expected.dtype = DataType::bf16;
  expected.backend = AttentionBackend::automatic;
  expected.pass = Pass::full_step;
  expected.causal = false;
  expected.seed = 7;
  expected.device = DeviceKind::cuda;
  expected.device_index = 1;
  expected.target_gpu = "T4";
  expected.memory_limit = std::int64_t{1} << 30;
  EXPECT_EQ(spec, expected);
}

// A value of a field other than its default.
std::string another_value(Field field) {
  const WorkloadSpec defaults;
  for (const char* choice : field_choices(field)) {
    if (field_text(defaults, field) != choice) return choice;
  }
  if (field_as<TextField>(field) != nullptr) return "T4";
  if (field_as<BytesField>(field) != nullptr) return "1048576";
  return field_as<RealField>(field) != nullptr ? "0.25" : "3";
}

TEST(SetField, every_row_of_the_table_reads_back_what_was_set_and_changes_nothing_else) {
  for (const FieldRow& row : field_rows()) {
    WorkloadSpec spec;
    const std::string value = another_value(row.field);
    ASSERT_TRUE(set_field(spec, row.name, value)) << row.name;
    EXPECT_EQ(field_text(spec, row.field), value) << row.name;
    for (const FieldRow& other : field_rows()) {
      if (other.field == row.field) continue;
      EXPECT_EQ(field_text(spec, other.field), field_text(WorkloadSpec{}, other.field))
          << row.name << " changed " << other.name;
    }
    const auto back = spec_from_json({{row.name, to_json(spec)[row.name]}});
    if (validate(spec).empty()) {
      ASSERT_TRUE(back) << row.name;
      EXPECT_EQ(*back, spec) << row.name;
    }
  }
}

TEST(SetField, every_choice_has_its_name) {
  for (const FieldRow& row : field_rows()) {
    for (const char* choice : field_choices(row.field)) {
      WorkloadSpec spec;
      ASSERT_TRUE(set_field(spec, row.name, choice)) << row.name;
      EXPECT_EQ(field_text(spec, row.field), choice) << row.name;
    }
  }
}

TEST(SetField, numbers_with_a_point) {
  WorkloadSpec spec;
  ASSERT_TRUE(set_field(spec, "lr", "3e-5"));
  EXPECT_EQ(spec.learning_rate, 3e-5);
  ASSERT_TRUE(set_field(spec, "clip", " 1 "));
  EXPECT_EQ(spec.clip, 1);
  for (const char* bad : {"", "fast", "1,5", "nan", "inf", "1e999", "0x1p3", "1 2"}) {
    EXPECT_THAT(set_error("lr", bad), HasSubstr("lr takes a number such as 0.1 or 3e-4")) << bad;
  }
  EXPECT_EQ(set_error("momentum", "1.5"), "momentum must be between 0 and 1, not 1.5");
  EXPECT_EQ(set_error("lr", "-1"), "lr must be between 0 and 1000, not -1");
  EXPECT_THAT(json_error(R"({"lr": "fast"})"), HasSubstr("lr must be a number"));
}

TEST(FieldHelp, lists_every_setting_with_its_values) {
  const std::string help = field_help();
  for (const FieldRow& row : field_rows()) {
    EXPECT_THAT(help, HasSubstr("\n    " + std::string(row.name) + " ")) << row.name;
    for (const char* choice : field_choices(row.field)) EXPECT_THAT(help, HasSubstr(choice));
  }
}

TEST(SetField, unknown_names_point_to_the_nearest) {
  EXPECT_EQ(set_error("batch", "4"), "There is no setting \"batch\": did you mean B?");
  EXPECT_EQ(set_error("seq_len", "4"), "There is no setting \"seq_len\": did you mean T?");
  EXPECT_EQ(set_error("head", "4"), "There is no setting \"head\": did you mean heads?");
  EXPECT_EQ(set_error("t", "4"), "There is no setting \"t\": did you mean T?");
  EXPECT_THAT(set_error("zzz", "4"), HasSubstr("choose workload, B, T, d_model"));
  EXPECT_THAT(set_error("", "4"), HasSubstr("choose workload"));
}

TEST(SetField, choices_list_what_there_is) {
  EXPECT_EQ(
      set_error("backend", "falsh"),
      "backend must be naive, math, flash, efficient, cudnn, tiled, own or auto, not \"falsh\"");
  EXPECT_EQ(set_error("device", "tpu"), "device must be cpu or cuda, not \"tpu\"");
  EXPECT_EQ(set_error("causal", "maybe"), "causal must be true or false, not \"maybe\"");
  EXPECT_THAT(set_error("seed", "-1"), HasSubstr("from 0 to 18446744073709551615"));
  EXPECT_THAT(set_error("seed", "18446744073709551616"), HasSubstr("seed"));
}

}  // namespace
}  // namespace ts::spec
