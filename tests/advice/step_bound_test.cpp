// The bound of a step against sums by hand.
#include "core/advice/step_bound.h"

#include <gtest/gtest.h>

#include "core/spec/presets.h"
#include "core/spec/workload_math.h"

namespace ts::advice {
namespace {

TEST(StepBound, IsTheSumOfItsParts) {
  spec::WorkloadSpec spec;
  spec.workload = spec::WorkloadKind::mlp;
  spec.batch = 5;
  spec.seq_len = 2;
  spec.d_model = 7;
  spec.d_ff = 11;
  spec.pass = spec::Pass::full_step;
  // Two products, thrice each: 2 * 10 * 77 FLOPs and 4 bytes of 10 * 7 + 77 + 10 * 11 numbers.
  const double flops = 3 * 2 * 10 * 77.0;
  const double bytes = 3 * 4 * (70 + 77 + 110.0);
  const double update = 4 * 7.0 * static_cast<double>(spec::parameter_count(spec));
  const auto fast_memory = step_bound(spec, spec.backend, {{}, 1e-6, 1});
  ASSERT_TRUE(fast_memory);
  EXPECT_DOUBLE_EQ(fast_memory->compute_s, 2 * flops / 1e6);
  EXPECT_DOUBLE_EQ(fast_memory->memory_s, update / 1e9);
  EXPECT_EQ(fast_memory->slowest, spec::StepPart::Kind::products);
  EXPECT_FALSE(fast_memory->slowest_by_memory);
  const auto fast_units = step_bound(spec, spec.backend, {{}, 1e3, 1});
  EXPECT_DOUBLE_EQ(fast_units->seconds, (2 * bytes + update) / 1e9);
  EXPECT_EQ(fast_units->compute_s, 0);
  EXPECT_TRUE(fast_units->slowest_by_memory);
  EXPECT_FALSE(step_bound(spec, spec.backend, {{}, 0, 1}));
  EXPECT_FALSE(step_bound(spec, spec.backend, {{}, 1, 0}));
}

TEST(StepBound, IsNoLessThanThatOfTheWholeStep) {
  for (const spec::Preset& preset : spec::presets()) {
    for (const spec::Pass pass :
         {spec::Pass::forward, spec::Pass::full_step, spec::Pass::generate}) {
      for (const spec::Checkpoint checkpoint :
           {spec::Checkpoint::off, spec::Checkpoint::attention, spec::Checkpoint::blocks}) {
        spec::WorkloadSpec spec;
        spec::apply_preset(preset, spec);
        spec.pass = pass;
        spec.checkpoint = checkpoint;
        spec.accumulate = 3;
        if (!spec::validate(spec).empty()) continue;
        for (const auto backend : {spec::AttentionBackend::naive, spec::AttentionBackend::flash}) {
          double flops = 0, bytes = 0;
          for (const spec::StepPart& part : spec::step_parts(spec, backend)) {
            EXPECT_GE(part.flops, 0);
            EXPECT_GE(part.bytes, 0);
            flops += part.flops;
            bytes += part.bytes;
          }
          const double all = spec::step_flops(spec, backend).total();
          EXPECT_NEAR(flops, all, 1e-9 * all) << preset.id;
          EXPECT_EQ(bytes, spec::step_traffic(spec, backend)) << preset.id;
          const auto bound = step_bound(spec, backend, {{}, 300, 2000});
          if (!bound) continue;
          EXPECT_GE(bound->seconds * (1 + 1e-9), std::max(all / 300e12, bytes / 2000e9));
        }
      }
    }
  }
}

}  // namespace
}  // namespace ts::advice
