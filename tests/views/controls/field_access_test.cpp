#include "views/controls/field_access.h"

#include <gtest/gtest.h>

#include "core/run/presets.h"

namespace ts::views {
namespace {

constexpr run::Field kSizes[] = {run::Field::B,     run::Field::T,      run::Field::d_model,
                                 run::Field::heads, run::Field::d_head, run::Field::layers,
                                 run::Field::d_ff,  run::Field::vocab};

TEST(FieldAccess, sets_the_field_that_it_reads) {
  for (const run::Field field : kSizes) {
    run::WorkloadSpec spec;
    set_slider_number(spec, field, 96);
    EXPECT_EQ(slider_number(spec, field), 96) << run::field_name(field);
    // The same field that the command line calls by that name.
    run::WorkloadSpec named;
    ASSERT_TRUE(run::set_field(named, run::field_name(field), "96"));
    EXPECT_EQ(spec, named) << run::field_name(field);
  }
}

TEST(FieldAccess, leaves_what_is_no_size_alone) {
  run::WorkloadSpec spec;
  set_slider_number(spec, run::Field::dtype, 1);
  EXPECT_EQ(spec, run::WorkloadSpec());
  EXPECT_FALSE(slider_number(spec, run::Field::dtype));
}

TEST(FieldAccess, sliders_stay_within_what_is_possible) {
  for (const run::Field field : kSizes) {
    const LogScale scale = slider_scale(field);
    EXPECT_GE(scale.min(), run::field_range(field).min) << run::field_name(field);
    EXPECT_LE(scale.max(), run::field_range(field).max) << run::field_name(field);
  }
}

// A preset beyond the end of a slider would show a handle that lies.
TEST(FieldAccess, sliders_reach_every_preset) {
  for (const run::Preset& preset : run::presets()) {
    run::WorkloadSpec spec;
    spec.workload = preset.workload;
    run::apply_preset(preset, spec);
    for (const run::Field field : kSizes) {
      if (!run::field_applies(spec, field)) continue;
      const LogScale scale = slider_scale(field);
      EXPECT_GE(*slider_number(spec, field), scale.min()) << preset.id << run::field_name(field);
      EXPECT_LE(*slider_number(spec, field), scale.max()) << preset.id << run::field_name(field);
    }
  }
}

}  // namespace
}  // namespace ts::views
