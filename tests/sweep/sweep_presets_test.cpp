// The sweeps of the course.
#include "core/sweep/sweep_presets.h"

#include <gtest/gtest.h>

#include "assets/assets.h"
#include "core/spec/presets.h"
#include "core/sweep/sweep.h"

namespace ts::sweep {
namespace {

TEST(SweepPresets, AllOfTheProgramCanBeRunOnBothDevices) {
  const auto presets = SweepPresets::parse(assets::sweeps());
  ASSERT_TRUE(presets.has_value()) << presets.error().sentence;
  EXPECT_GE(presets->all().size(), 12U);
  for (const SweepPreset& preset : presets->all()) {
    for (const spec::DeviceKind device : {spec::DeviceKind::cpu, spec::DeviceKind::cuda}) {
      spec::WorkloadSpec machine;
      machine.device = device;
      machine.memory_limit = 123 << 20;
      const auto spec = sweep_of_preset(preset, machine);
      ASSERT_TRUE(spec.has_value()) << preset.id << ": " << spec.error().sentence;
      EXPECT_EQ(spec->base.device, device);
      EXPECT_EQ(spec->base.memory_limit, 123 << 20);
      const Sweep sweep(*spec);
      EXPECT_EQ(sweep.count(PointStatus::failed), 0U) << preset.id << " has impossible points";
    }
    // --preset takes both kinds of names.
    for (const spec::WorkloadKind kind :
         {spec::WorkloadKind::attention, spec::WorkloadKind::mlp, spec::WorkloadKind::block,
          spec::WorkloadKind::lm, spec::WorkloadKind::toy}) {
      EXPECT_EQ(spec::find_preset(kind, preset.id), nullptr) << preset.id;
    }
  }
}

TEST(SweepPresets, LabSixIsTheLabsSweep) {
  const auto presets = SweepPresets::parse(assets::sweeps());
  const SweepPreset* lab6 = presets->find("lab6");
  ASSERT_NE(lab6, nullptr);
  spec::WorkloadSpec machine;
  const auto on_cpu = sweep_of_preset(*lab6, machine);
  EXPECT_EQ(on_cpu->axes[0].values, (std::vector<std::int64_t>{256, 512, 1024, 2048}));
  EXPECT_EQ(on_cpu->base.batch, 4);
  EXPECT_EQ(on_cpu->base.heads, 12);
  EXPECT_FALSE(on_cpu->base.causal);
  EXPECT_EQ(on_cpu->base.dtype, spec::DataType::fp32);
  machine.device = spec::DeviceKind::cuda;
  EXPECT_EQ(sweep_of_preset(*lab6, machine)->base.dtype, spec::DataType::fp16);
  EXPECT_EQ(presets->find("lab"), nullptr);
}

TEST(SweepPresets, WhatIsWrongIsNamed) {
  const auto sentence = [](const char* json) {
    const auto presets = SweepPresets::parse(json);
    return presets ? std::string() : presets.error().sentence;
  };
  EXPECT_NE(sentence("{}").find("not a JSON array"), std::string::npos);
  EXPECT_NE(sentence(R"([{"id": "x"}])").find("Preset x of the sweeps"), std::string::npos);
  constexpr const char* kGood =
      R"({"id": "x", "source": "y", "workload": "attention", "preset": "lab3", "set": [],
          "on_cuda": [], "axes": ["T=64:128"], "series": []})";
  EXPECT_EQ(sentence((std::string("[") + kGood + "]").c_str()), "");
  EXPECT_NE(sentence((std::string("[") + kGood + "," + kGood + "]").c_str()).find("there twice"),
            std::string::npos);
  std::string other = std::string("[") + kGood + "]";
  other.replace(other.find("lab3"), 4, "lab9");
  EXPECT_NE(sentence(other.c_str()).find("no preset \"lab9\" for attention"), std::string::npos);
}

}  // namespace
}  // namespace ts::sweep
