#include "core/spec/repairs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ts::spec {
namespace {

WorkloadSpec language_model() {
  WorkloadSpec spec;
  spec.workload = WorkloadKind::lm;
  spec.d_model = 512;
  spec.heads = 8;
  spec.dtype = DataType::bf16;
  spec.backend = AttentionBackend::flash;
  return spec;
}

TEST(Repairs, NothingIsRepairedThatRuns) {
  EXPECT_TRUE(repairs_of(language_model(), DeviceKind::cpu, DeviceKind::cuda).empty());
}

TEST(Repairs, ABackendOfTheCardIsReplacedByOneOfBoth) {
  WorkloadSpec spec = language_model();
  spec.backend = AttentionBackend::efficient;
  auto repairs = repairs_of(spec, DeviceKind::cpu, DeviceKind::cuda);
  ASSERT_FALSE(repairs.empty());
  EXPECT_EQ(repairs.front().backend, AttentionBackend::flash) << "it stores no scores either";
  // In fp32 the card has no flash kernel: what both can run comes first.
  spec.dtype = DataType::fp32;
  repairs = repairs_of(spec, DeviceKind::cpu, DeviceKind::cuda);
  ASSERT_FALSE(repairs.empty());
  EXPECT_TRUE(problems_on(repairs.front(), DeviceKind::cuda).empty());
}

TEST(Repairs, ATypeWithoutAKernelIsReplacedToo) {
  WorkloadSpec spec = language_model();
  spec.dtype = DataType::fp32;
  const auto repairs = repairs_of(spec, DeviceKind::cuda, DeviceKind::cpu);
  EXPECT_TRUE(std::ranges::any_of(
      repairs, [](const WorkloadSpec& one) { return one.dtype == DataType::bf16; }));
}

TEST(Repairs, TheNearestNumberIsTaken) {
  WorkloadSpec spec = language_model();
  spec.heads = 7;
  auto repairs = repairs_of(spec, DeviceKind::cpu, DeviceKind::cuda);
  ASSERT_FALSE(repairs.empty());
  EXPECT_EQ(repairs.front().heads, 8);
  spec = language_model();
  spec.seq_len = 0;
  repairs = repairs_of(spec, DeviceKind::cpu, DeviceKind::cuda);
  ASSERT_FALSE(repairs.empty());
  EXPECT_EQ(repairs.front().seq_len, 1);
}

TEST(Repairs, TwoFaultsAreRepairedTogether) {
  WorkloadSpec spec = language_model();
  spec.dtype = DataType::tf32;
  spec.backend = AttentionBackend::cudnn;
  spec.heads = 7;
  const auto repairs = repairs_of(spec, DeviceKind::cpu, DeviceKind::cuda);
  ASSERT_FALSE(repairs.empty());
  for (const WorkloadSpec& one : repairs) {
    EXPECT_TRUE(validate(one).empty());
    EXPECT_EQ(one.device, DeviceKind::cpu);
    EXPECT_EQ(one.seq_len, spec.seq_len);
  }
}

}  // namespace
}  // namespace ts::spec
