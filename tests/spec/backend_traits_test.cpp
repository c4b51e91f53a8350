// The conditions of flash attention on a card, against PyTorch 2.11's sdp_utils.cpp read by hand.
#include "core/spec/backend_traits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace ts::spec {
namespace {

Gpu card(const char* capability) {
  Gpu gpu;
  gpu.name = "card";
  gpu.compute_capability = capability;
  return gpu;
}

WorkloadSpec good() {
  WorkloadSpec spec;
  spec.workload = WorkloadKind::attention;
  spec.dtype = DataType::bf16;
  spec.d_head = 64;
  spec.pass = Pass::forward_backward;
  return spec;
}

// The keys of those that do not hold.
std::string failing(const WorkloadSpec& spec, const char* capability) {
  std::string keys;
  for (const FlashCondition& one : flash_conditions(spec, card(capability))) {
    if (!one.holds) keys += (keys.empty() ? "" : " ") + one.words.key;
  }
  return keys;
}

TEST(FlashConditions, EachFailsByItself) {
  EXPECT_EQ(failing(good(), "8.0"), "");
  EXPECT_EQ(failing(good(), "7.5"), "flash.device");
  WorkloadSpec spec = good();
  spec.dtype = DataType::fp32;
  EXPECT_EQ(failing(spec, "9.0"), "flash.dtype");
  spec = good();
  spec.d_head = 264;
  EXPECT_EQ(failing(spec, "9.0"), "flash.head");
  spec.d_head = 256;
  EXPECT_EQ(failing(spec, "9.0"), "");
  spec = good();
  spec.causal = true;
  spec.seq_len_kv = spec.seq_len / 2;
  EXPECT_EQ(failing(spec, "9.0"), "flash.causal");
  spec = good();
  spec.workload = WorkloadKind::lm;
  spec.kv_rank = 64;
  EXPECT_EQ(failing(spec, "9.0"), "");
  spec.v_width = 32;
  EXPECT_EQ(failing(spec, "9.0"), "flash.widths");
}

// Capabilities 8.6, 8.9 and 12.x: 193 to 224, with a backward.
TEST(FlashConditions, SomeCardsRestrictTheBackward) {
  WorkloadSpec spec = good();
  for (const auto& [head, fails] :
       {std::pair{192, false}, {200, true}, {224, true}, {232, false}}) {
    spec.d_head = head;
    EXPECT_EQ(failing(spec, "8.9"), fails ? "flash.backward" : "") << head;
    EXPECT_EQ(failing(spec, "9.0"), "") << head;
  }
  spec.d_head = 200;
  spec.pass = Pass::forward;
  EXPECT_EQ(failing(spec, "8.9"), "");
}

TEST(FlashConditions, TheirWordsHaveTheValuesOfNow) {
  WorkloadSpec spec = good();
  spec.d_head = 60;
  spec.seq_len = 4096;
  std::string words;
  for (const FlashCondition& one : flash_conditions(spec, card("8.6")))
    words += one.words.sentence + "\n";
  EXPECT_NE(words.find("head size 60 is padded to 64"), std::string::npos) << words;
  EXPECT_NE(words.find("T = 4,096"), std::string::npos) << words;
  WorkloadSpec mlp;
  mlp.workload = WorkloadKind::mlp;
  EXPECT_TRUE(flash_conditions(mlp, card("8.6")).empty());
  EXPECT_TRUE(flash_conditions(WorkloadSpec(), card("gfx942")).empty());
}

}  // namespace
}  // namespace ts::spec
