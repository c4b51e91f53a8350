#include "core/spec/typed_card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ts::spec {
namespace {

using testing::HasSubstr;

constexpr std::string_view kWhole =
    "custom 24GiB 1008GB/s fp32=82.6 tf32=82.6 bf16=165.2 fp16=165.2 cc=8.9";

TEST(TypedCard, is_read_from_its_numbers) {
  const auto gpu = read_typed_card(kWhole);
  ASSERT_TRUE(gpu) << gpu.error().sentence;
  EXPECT_EQ(gpu->memory_bytes, std::int64_t{24} << 30);
  EXPECT_DOUBLE_EQ(gpu->bandwidth_gb_s, 1008);
  EXPECT_EQ(gpu->fp32_tflops, 82.6);
  EXPECT_EQ(gpu->bf16_tflops, 165.2);
  EXPECT_EQ(gpu->compute_capability, "8.9");
  EXPECT_EQ(gpu->name, kWhole);
}

TEST(TypedCard, what_is_left_out_is_not_known) {
  const auto gpu = read_typed_card("custom  11GB");
  ASSERT_TRUE(gpu) << gpu.error().sentence;
  EXPECT_EQ(gpu->memory_bytes, 11'000'000'000);
  EXPECT_EQ(gpu->bandwidth_gb_s, 0);
  EXPECT_FALSE(gpu->fp32_tflops || gpu->tf32_tflops || gpu->bf16_tflops || gpu->fp16_tflops);
  EXPECT_EQ(gpu->name, "custom 11000000000 cc=8.0");
}

TEST(TypedCard, a_fraction_is_rounded_to_bytes) {
  const auto gpu = read_typed_card("custom 11.58GiB 1008GB/s fp32=82.6 cc=8.9");
  ASSERT_TRUE(gpu) << gpu.error().sentence;
  EXPECT_EQ(gpu->memory_bytes, 12'433'930'322);
  EXPECT_EQ(read_typed_card("custom 7.1MiB")->memory_bytes, 7'444'890);
  EXPECT_FALSE(read_typed_card("custom 2000000.5"));
}

// The name is what files, settings and sentences keep: it has to mean the same card.
TEST(TypedCard, its_name_is_read_as_the_same_card) {
  for (const std::string_view text :
       {kWhole, std::string_view("custom 11GB"), std::string_view("custom 8GiB cc=8.6 sm=28"),
        std::string_view("custom 1.5GiB cc=12.0 bf16=7"), std::string_view("custom 600MiB 3e2GB/s"),
        std::string_view("custom 12345678901"), std::string_view("custom 11.58GiB 1008GB/s")}) {
    const auto once = read_typed_card(text);
    ASSERT_TRUE(once) << once.error().sentence;
    const auto twice = read_typed_card(once->name);
    ASSERT_TRUE(twice) << twice.error().sentence;
    EXPECT_EQ(twice->name, once->name);
    EXPECT_EQ(twice->memory_bytes, once->memory_bytes) << once->name;
    EXPECT_EQ(twice->bandwidth_gb_s, once->bandwidth_gb_s);
    EXPECT_EQ(twice->bf16_tflops, once->bf16_tflops);
    EXPECT_EQ(twice->compute_capability, once->compute_capability);
    EXPECT_EQ(twice->multiprocessors, once->multiprocessors);
  }
}

TEST(TypedCard, what_cannot_be_read_is_named) {
  for (const auto& [text, named] : {std::pair{"custom", "\"\" is no memory"},
                                    {"custom -4GiB", "\"-4GiB\""},
                                    {"custom 0", "\"0\""},
                                    {"custom 24", "\"24\""},
                                    {"custom 24GiB fast", "\"fast\""},
                                    {"custom 24GiB cc=9", "\"cc=9\""},
                                    {"custom 24GiB cc=4.9", "\"cc=4.9\""},
                                    {"custom 24GiB fp32=0", "\"fp32=0\""},
                                    {"custom 24GiB -1GB/s", "\"-1GB/s\""},
                                    {"custom 24GiB sm=0", "\"sm=0\""},
                                    {"custom 24GiB fp64=1", "\"fp64=1\""},
                                    {"custom 1e30GiB", "\"1e30GiB\""}}) {
    const auto gpu = read_typed_card(text);
    ASSERT_FALSE(gpu) << text;
    EXPECT_THAT(gpu.error().sentence, HasSubstr(named));
    EXPECT_THAT(gpu.error().sentence, HasSubstr("custom 24GiB 1008GB/s"));
  }
}

TEST(TypedCard, is_called_by_its_memory_in_sentences) {
  EXPECT_EQ(card_label(*read_typed_card(kWhole)), "custom 24.00 GiB");
  Gpu listed;
  listed.name = "RTX 4090";
  EXPECT_EQ(card_label(listed), "RTX 4090");
}

TEST(TypedCard, the_catalogue_knows_it) {
  const GpuCatalogue catalogue;
  const auto gpu = catalogue.require("custom 24GiB cc=9.0");
  ASSERT_TRUE(gpu) << gpu.error().sentence;
  EXPECT_EQ((*gpu)->memory_bytes, std::int64_t{24} << 30);
  EXPECT_EQ(catalogue.find("custom 24GiB cc=9.0"), *gpu) << "the same card, found again";
  EXPECT_EQ(catalogue.find("custom nonsense"), nullptr);
  EXPECT_FALSE(catalogue.require("custom nonsense"));
  EXPECT_FALSE(is_typed_card("customary"));
}

}  // namespace
}  // namespace ts::spec
