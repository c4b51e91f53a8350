#include "core/spec/checked_spec.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "core/spec/spec_fields.h"
#include "tests/spec/random_spec.h"

namespace ts::spec {
namespace {

std::vector<std::string> sentences(const std::vector<SpecProblem>& problems) {
  std::vector<std::string> out;
  for (const SpecProblem& problem : problems) out.push_back(problem.sentence);
  return out;
}

TEST(CheckedSpec, variants_are_what_set_field_and_validate_say) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 50; ++i) {
    const WorkloadSpec spec = random_spec(random);
    const CheckedSpec checked(spec);
    EXPECT_EQ(sentences(checked.problems()), sentences(validate(spec)));
    for (const FieldRow& row : field_rows()) {
      for (const char* const name : field_choices(row.field)) {
        WorkloadSpec changed = spec;
        ASSERT_TRUE(set_field(changed, row.name, name)) << row.name << "=" << name;
        const auto& variant = checked.with(row.field, name);
        EXPECT_EQ(variant.spec, changed) << row.name << "=" << name;
        EXPECT_EQ(sentences(variant.problems), sentences(validate(changed)));
      }
    }
  }
}

TEST(CheckedSpec, a_text_that_is_no_value_is_the_problem_and_changes_nothing) {
  const CheckedSpec checked{WorkloadSpec{}};
  const auto& variant = checked.with(Field::T, "many");
  EXPECT_EQ(variant.spec, checked.spec());
  ASSERT_EQ(variant.problems.size(), 1U);
  EXPECT_EQ(variant.problems[0].field, Field::T);
  EXPECT_EQ(variant.problems[0].sentence, value_problem(Field::T, "many")->sentence);
}

TEST(CheckedSpec, an_answer_stays_where_it_is_for_as_long_as_the_object_lives) {
  const CheckedSpec checked{WorkloadSpec{}};
  const auto* const first = &checked.with(Field::T, "1024");
  for (int t = 1; t < 200; ++t) (void)checked.with(Field::T, std::to_string(t));
  EXPECT_EQ(&checked.with(Field::T, "1024"), first) << "found once";
}

}  // namespace
}  // namespace ts::spec
