#include "core/predict/remedies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "core/spec/workload_math.h"

namespace ts::predict {
namespace {

std::optional<spec::WorkloadSpec> with_adapters(const spec::WorkloadSpec& spec) {
  const auto changes = changes_for(spec, spec::DeviceKind::cuda);
  const auto found = std::ranges::find(changes, RemedyKind::adapters, &Change::kind);
  return found == changes.end() ? std::nullopt : std::optional(found->spec);
}

TEST(Remedies, AdaptersAreOfferedWhereAModelIsTrained) {
  spec::WorkloadSpec spec;
  spec.workload = spec::WorkloadKind::lm;
  spec.pass = spec::Pass::full_step;
  auto changed = with_adapters(spec);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->lora_rank, 16);
  EXPECT_TRUE(spec::trains_adapters(*changed));
  EXPECT_FALSE(with_adapters(*changed)) << "it has them";
  spec.fused_qkv = true;
  changed = with_adapters(spec);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->lora_on, spec::LoraOn::qkvo) << "one layer makes Q, K and V";
  spec.pass = spec::Pass::forward;
  EXPECT_FALSE(with_adapters(spec));
  spec.pass = spec::Pass::full_step;
  spec.d_model = 8;
  EXPECT_FALSE(with_adapters(spec)) << "no matrix has rank 16";
  spec.workload = spec::WorkloadKind::mlp;
  EXPECT_FALSE(with_adapters(spec));
}

}  // namespace
}  // namespace ts::predict
