#include "views/controls/field_access.h"

#include <gtest/gtest.h>

#include "core/spec/presets.h"

namespace ts::views {
namespace {

constexpr spec::Field kSizes[] = {spec::Field::B,     spec::Field::T,      spec::Field::d_model,
                                  spec::Field::heads, spec::Field::d_head, spec::Field::layers,
                                  spec::Field::d_ff,  spec::Field::vocab};

TEST(FieldAccess, sets_the_field_that_it_reads) {
  for (const spec::Field field : kSizes) {
    spec::WorkloadSpec spec;
    set_slider_number(spec, field, 96);
    EXPECT_EQ(slider_number(spec, field), 96) << spec::field_name(field);
    // The same field that the command line calls by that name.
    spec::WorkloadSpec named;
    ASSERT_TRUE(spec::set_field(named, spec::field_name(field), "96"));
    EXPECT_EQ(spec, named) << spec::field_name(field);
  }
}

TEST(FieldAccess, leaves_what_is_no_size_alone) {
  spec::WorkloadSpec spec;
  set_slider_number(spec, spec::Field::dtype, 1);
  EXPECT_EQ(spec, spec::WorkloadSpec());
  EXPECT_FALSE(slider_number(spec, spec::Field::dtype));
}

TEST(FieldAccess, sliders_stay_within_what_is_possible) {
  for (const spec::Field field : kSizes) {
    const LogScale scale = slider_scale(spec::WorkloadSpec(), field);
    EXPECT_GE(scale.min(), spec::field_range(field).min) << spec::field_name(field);
    EXPECT_LE(scale.max(), spec::field_range(field).max) << spec::field_name(field);
  }
}

// A preset beyond the end of a slider would show a handle that lies.
TEST(FieldAccess, sliders_reach_every_preset) {
  for (const spec::Preset& preset : spec::presets()) {
    spec::WorkloadSpec spec;
    spec.workload = preset.workload;
    spec::apply_preset(preset, spec);
    for (const spec::Field field : kSizes) {
      if (!spec::field_applies(spec, field)) continue;
      const LogScale scale = slider_scale(spec, field);
      EXPECT_GE(*slider_number(spec, field), scale.min()) << preset.id << spec::field_name(field);
      EXPECT_LE(*slider_number(spec, field), scale.max()) << preset.id << spec::field_name(field);
    }
  }
}

}  // namespace
}  // namespace ts::views
