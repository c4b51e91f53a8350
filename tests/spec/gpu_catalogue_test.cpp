#include "core/spec/gpu_catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assets/assets.h"

namespace ts::spec {
namespace {

using testing::HasSubstr;

constexpr const char* kCard =
    R"({"name": "X", "compute_capability": "8.0", "multiprocessors": 3, "memory_gib": 1.5,
  "bandwidth_gb_s": 10, "fp32_tflops": 1, "tf32_tflops": null, "bf16_tflops": 2.5,
  "fp16_tflops": 2.5, "source": "test"})";

GpuCatalogue embedded() {
  auto catalogue = GpuCatalogue::parse(assets::gpus());
  EXPECT_TRUE(catalogue) << catalogue.error().sentence;
  return catalogue.value_or(GpuCatalogue{});
}

TEST(GpuCatalogue, reads_a_card) {
  const auto catalogue = GpuCatalogue::parse("[" + std::string(kCard) + "]");
  ASSERT_TRUE(catalogue) << catalogue.error().sentence;
  const Gpu* gpu = catalogue->find("X");
  ASSERT_NE(gpu, nullptr);
  EXPECT_EQ(gpu->memory_bytes, 1536LL << 20);
  EXPECT_EQ(gpu->multiprocessors, 3);
  EXPECT_DOUBLE_EQ(gpu->bandwidth_gb_s, 10);
  EXPECT_FALSE(gpu->tf32_tflops);
  EXPECT_DOUBLE_EQ(*gpu->bf16_tflops, 2.5);
  EXPECT_EQ(catalogue->find("Y"), nullptr);
}

TEST(GpuCatalogue, counts_what_the_driver_counts) {
  const auto counted = [](const std::string& keys) {
    std::string card = kCard;
    return GpuCatalogue::parse("[" + card.replace(card.size() - 1, 1, ", " + keys + "}") + "]");
  };
  const auto catalogue = counted(R"("driver_gib": 1.25, "driver_source": "a message")");
  ASSERT_TRUE(catalogue) << catalogue.error().sentence;
  EXPECT_EQ(catalogue->find("X")->memory_bytes, 1280LL << 20);
  EXPECT_EQ(catalogue->find("X")->advertised_bytes(), 1536LL << 20);
  EXPECT_TRUE(is_meant(*catalogue->find("X"), "2 GB")) << "the size on the box, rounded";
  EXPECT_THAT(counted(R"("driver_gib": 1.25)").error().sentence, HasSubstr("driver_source"));
  EXPECT_THAT(counted(R"("driver_gib": 2, "driver_source": "x")").error().sentence,
              HasSubstr("more \"driver_gib\" than \"memory_gib\""));
  EXPECT_THAT(counted(R"("driver_gib": "1", "driver_source": "x")").error().sentence,
              HasSubstr("driver_gib"));
}

TEST(GpuCatalogue, embedded_list_is_plausible) {
  const GpuCatalogue catalogue = embedded();
  EXPECT_GT(catalogue.gpus().size(), 40U);
  for (const Gpu& gpu : catalogue.gpus()) {
    SCOPED_TRACE(gpu.name);
    EXPECT_GE(gpu.advertised_bytes(), 4LL << 30);
    EXPECT_LE(gpu.memory_bytes, gpu.advertised_bytes());
    EXPECT_GE(static_cast<double>(gpu.memory_bytes),
              0.9 * static_cast<double>(gpu.advertised_bytes()));
    EXPECT_GE(gpu.bandwidth_gb_s, 150);
    ASSERT_TRUE(gpu.fp32_tflops);
    ASSERT_TRUE(gpu.fp16_tflops);
    EXPECT_GE(*gpu.fp16_tflops, 1.9 * *gpu.fp32_tflops);
    // Before compute capability 8.0 there is neither bf16 nor TF32.
    const bool old = gpu.compute_capability.starts_with("7.");
    EXPECT_EQ(gpu.bf16_tflops.has_value(), !old);
    EXPECT_EQ(gpu.tf32_tflops.has_value(), !old);
    EXPECT_DOUBLE_EQ(gpu.bf16_tflops.value_or(*gpu.fp16_tflops), *gpu.fp16_tflops);
  }
}

TEST(GpuCatalogue, embedded_figures_are_those_of_the_datasheets) {
  const GpuCatalogue catalogue = embedded();
  struct Figures {
    const char* name;
    double gib;
    double bandwidth;
    double fp32;
    double fp16;
  };
  const Figures rows[] = {{"RTX 3060", 12, 360, 12.7, 25.5},
                          {"RTX 4060 Laptop", 8, 256, 14.6, 29.1},
                          {"RTX 4070", 12, 504, 29.1, 58.3},
                          {"RTX 4090", 24, 1008, 82.6, 165.2},
                          {"RTX 5090", 32, 1792, 104.8, 209.5},
                          {"T4", 16, 320, 8.1, 65},
                          {"V100 SXM2 32 GB", 32, 900, 15.7, 125},
                          {"A100 80 GB SXM", 80, 2039, 19.5, 312},
                          {"L4", 24, 300, 30.3, 121},
                          {"L40S", 48, 864, 91.6, 362},
                          {"H100 SXM", 80, 3350, 67, 989},
                          {"H200 SXM", 141, 4800, 67, 989},
                          {"B200", 180, 7700, 75, 2250},
                          {"MI300X", 192, 5300, 163.4, 1307.4}};
  for (const Figures& row : rows) {
    const Gpu* gpu = catalogue.find(row.name);
    ASSERT_NE(gpu, nullptr) << row.name;
    EXPECT_EQ(gpu->advertised_bytes(), static_cast<std::int64_t>(row.gib * 1073741824.0))
        << row.name;
    EXPECT_DOUBLE_EQ(gpu->bandwidth_gb_s, row.bandwidth) << row.name;
    EXPECT_NEAR(*gpu->fp32_tflops, row.fp32, 0.005 * row.fp32) << row.name;
    EXPECT_NEAR(*gpu->fp16_tflops, row.fp16, 0.005 * row.fp16) << row.name;
  }
}

std::string parse_error(const std::string& json) {
  const auto catalogue = GpuCatalogue::parse(json);
  EXPECT_FALSE(catalogue) << json;
  return catalogue ? "" : catalogue.error().sentence;
}

std::string without(const std::string& key, const std::string& instead = "") {
  std::string card = kCard;
  const auto begin = card.find("\"" + key + "\"");
  const auto end = card.find_first_of(",}", begin);
  card.replace(begin, end - begin,
               instead.empty() ? "\"other\": 1" : "\"" + key + "\": " + instead);
  return "[" + std::string(kCard) + "," + card + "]";
}

TEST(GpuCatalogue, errors_name_card_and_key) {
  EXPECT_EQ(parse_error("[{"), "The list of cards is not valid JSON");
  EXPECT_EQ(parse_error(""), "The list of cards is not valid JSON");
  EXPECT_EQ(parse_error("{}"), "The list of cards is not a JSON array");
  EXPECT_EQ(parse_error("[3]"), "Card 1 of the list of cards is not an object");
  EXPECT_EQ(parse_error(without("name")), "Card 2 of the list of cards has no text \"name\"");
  EXPECT_EQ(parse_error(without("name", "\"X\"")), "The list of cards has \"X\" twice");
  EXPECT_THAT(parse_error(without("source", "\"\"")), HasSubstr("has no text \"source\""));
  EXPECT_THAT(parse_error(without("memory_gib", "0")),
              HasSubstr("has no positive number \"memory_gib\""));
  EXPECT_THAT(parse_error(without("memory_gib", "\"8\"")), HasSubstr("\"memory_gib\""));
  EXPECT_THAT(parse_error(without("bandwidth_gb_s", "-1")), HasSubstr("\"bandwidth_gb_s\""));
  EXPECT_THAT(parse_error(without("bf16_tflops")), HasSubstr("nor null as \"bf16_tflops\""));
  EXPECT_THAT(parse_error(without("fp32_tflops", "\"much\"")), HasSubstr("\"fp32_tflops\""));
}

TEST(GpuCatalogue, unknown_card_points_to_the_nearest) {
  const GpuCatalogue catalogue = embedded();
  EXPECT_EQ(catalogue.require("RTX 4O90").error().sentence,
            "There is no card \"RTX 4O90\" in the list: did you mean RTX 4090?");
  EXPECT_EQ(catalogue.require("Voodoo").error().sentence,
            "There is no card \"Voodoo\" in the list: tensorscope predict --help shows it");
  EXPECT_EQ((*catalogue.require("T4"))->name, "T4");
  EXPECT_EQ((*catalogue.require("h200"))->name, "H200 SXM");
  EXPECT_EQ((*catalogue.require("NVIDIA GeForce RTX 4090"))->name, "RTX 4090");
  EXPECT_EQ((*catalogue.require("rtx4090"))->name, "RTX 4090");
  EXPECT_EQ((*catalogue.require("NVIDIA GeForce RTX 4090 Laptop GPU"))->name, "RTX 4090 Laptop");
  EXPECT_EQ((*catalogue.require("NVIDIA RTX 6000 Ada Generation"))->name, "RTX 6000 Ada");
  EXPECT_EQ((*catalogue.require("NVIDIA H100 80GB HBM3"))->name, "H100 SXM");
  EXPECT_EQ((*catalogue.require("NVIDIA A100-SXM4-40GB"))->name, "A100 40 GB");
  EXPECT_EQ((*catalogue.require("NVIDIA A100 80GB PCIe"))->name, "A100 80 GB PCIe");
  EXPECT_EQ(catalogue.require("H100").error().sentence, "\"H100\" could be H100 PCIe or H100 SXM");
  EXPECT_EQ(catalogue.require("H100 80GB").error().sentence,
            "\"H100 80GB\" could be H100 PCIe or H100 SXM");
  EXPECT_EQ(catalogue.require("nvidia h100-96gb").error().sentence,
            "\"nvidia h100-96gb\" could be H100 PCIe or H100 SXM");
  EXPECT_FALSE(catalogue.require("").has_value());
}

TEST(GpuCatalogue, a_card_is_found_by_words_of_its_name_and_by_its_memory) {
  Gpu card;
  card.name = "RTX 4060 Laptop";
  card.memory_bytes = 8LL << 30;
  for (const char* typed : {"", "4060", "laptop 40", "8 g", "8 gi", "8 GB", "8gib", "rtx 8 GiB",
                            "8 "
                            "gb laptop",
                            "rtx  "})
    EXPECT_TRUE(is_meant(card, typed)) << typed;
  for (const char* typed : {"4080", "16 GB", "16g", "8 gx", "18 gb", "desktop"})
    EXPECT_FALSE(is_meant(card, typed)) << typed;
  const GpuCatalogue catalogue = embedded();
  for (const Gpu& gpu : catalogue.gpus()) {
    EXPECT_TRUE(is_meant(gpu, gpu.name)) << gpu.name;
    EXPECT_EQ(is_meant(gpu, "8 GB"),
              std::llround(static_cast<double>(gpu.memory_bytes) / (1 << 30)) == 8)
        << gpu.name;
  }
}

}  // namespace
}  // namespace ts::spec
