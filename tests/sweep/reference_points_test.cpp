// Step times that others published.
#include "core/sweep/reference_points.h"

#include <gtest/gtest.h>

#include "assets/assets.h"
#include "core/sweep/sweep_presets.h"

namespace ts::sweep {
namespace {

TEST(ReferencePoints, OfTheGridAreShownWhereTheWorkloadIsTheSame) {
  const auto all = parse_references(assets::reference_points());
  ASSERT_TRUE(all.has_value()) << all.error().sentence;
  const auto presets = SweepPresets::parse(assets::sweeps());
  const Sweep grid(*sweep_of_preset(*presets->find("a2-21"), spec::WorkloadSpec{}));
  const auto found = references_of(grid, *all);
  ASSERT_EQ(found.size(), 2U) << "d = 16 and 32, forward and backward";
  EXPECT_EQ(found[0].name, "A2 naive, d = 16");
  EXPECT_EQ(found[0].step_ms.back(), (std::pair<std::int64_t, double>{8192, 1256.842}));
  EXPECT_EQ(found[1].step_ms.size(), 2U) << "what was cut off is not made up";
  const Sweep lab(*sweep_of_preset(*presets->find("lab6"), spec::WorkloadSpec{}));
  EXPECT_TRUE(references_of(lab, *all).empty());
  const Sweep batch(*sweep_of_preset(*presets->find("lab8"), spec::WorkloadSpec{}));
  EXPECT_TRUE(references_of(batch, *all).empty()) << "over another axis";
}

TEST(ReferencePoints, WhatIsWrongIsNamed) {
  const auto sentence = [](const char* json) {
    const auto all = parse_references(json);
    return all ? std::string() : all.error().sentence;
  };
  EXPECT_NE(sentence("3").find("not a JSON array"), std::string::npos);
  EXPECT_NE(sentence(R"([{"name": "x"}])").find("series 1"), std::string::npos);
  EXPECT_NE(sentence(R"([{"name": "x", "hardware": "y", "match": {"depth": 1}, "axis": "T",
                          "step_ms": []}])")
                .find("no setting is called depth"),
            std::string::npos);
}

}  // namespace
}  // namespace ts::sweep
