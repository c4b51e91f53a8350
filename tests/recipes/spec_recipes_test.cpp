// A setting, a workload and a backend, each added as docs/extending.md says and to no other file of
// core/spec and views/common: all that follows from their rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/spec/backend_traits.h"
#include "core/spec/checked_spec.h"
#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "views/common/backend_marks.h"

namespace ts::spec {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StrEq;

TEST(Recipes, a_setting_is_typed_written_checked_and_explained) {
  WorkloadSpec spec;
  ASSERT_TRUE(set_field(spec, "example_setting", "0.5"));
  EXPECT_DOUBLE_EQ(spec.example_setting, 0.5);
  EXPECT_EQ(field_text(spec, Field::example_setting), "0.5");
  EXPECT_TRUE(validate(spec).empty());
  const auto read = spec_from_json(to_json(spec));
  ASSERT_TRUE(read) << read.error().sentence;
  EXPECT_EQ(*read, spec);
  EXPECT_NE(spec, WorkloadSpec{}) << "it is compared";
  spec.example_setting = 11;
  ASSERT_EQ(validate(spec).size(), 1U);
  EXPECT_THAT(validate(spec)[0].sentence, HasSubstr("example_setting"));
  EXPECT_THAT(field_help(), HasSubstr("example_setting"));
}

TEST(Recipes, a_workload_is_chosen_counted_and_offered) {
  WorkloadSpec spec;
  ASSERT_TRUE(set_field(spec, "workload", "example_workload"));
  EXPECT_STREQ(to_string(spec.workload), "example_workload");
  EXPECT_THAT(field_choices(Field::workload), Contains(StrEq("example_workload")));
  EXPECT_TRUE(validate(spec).empty()) << validate(spec)[0].sentence;
  EXPECT_TRUE(is_offered(spec.workload, spec));
  EXPECT_FALSE(field_applies(spec, Field::backend)) << "its row has no attention";
  WorkloadSpec twin = spec;
  twin.workload = WorkloadKind::weighted_sum;
  EXPECT_DOUBLE_EQ(step_flops(spec, spec.backend).total(), step_flops(twin, spec.backend).total())
      << "the same products";
  EXPECT_EQ(parameter_count(spec), parameter_count(twin));
  EXPECT_GT(parameter_count(spec), 0);
}

TEST(Recipes, a_backend_is_chosen_refused_where_it_cannot_run_and_drawn) {
  WorkloadSpec spec;
  ASSERT_TRUE(set_field(spec, "backend", "example"));
  EXPECT_THAT(field_choices(Field::backend), Contains(StrEq("example")));
  const auto problems = validate(spec);
  ASSERT_NE(problem_of(problems, Field::backend), nullptr) << "not on a CPU, says its row";
  spec.device = DeviceKind::cuda;
  EXPECT_EQ(problem_of(validate(spec), Field::backend), nullptr);
  EXPECT_FALSE(traits_of(spec.backend).stores_scores);
  using views::ThemeKind;
  EXPECT_NE(views::backend_color(ThemeKind::dark, spec.backend),
            views::backend_color(ThemeKind::light, spec.backend));
  EXPECT_EQ(views::backend_shape(spec.backend), views::MarkShape::square);
}

}  // namespace
}  // namespace ts::spec
