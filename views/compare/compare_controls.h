#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/run/workload_spec.h"
#include "views/common/ui.h"

namespace ts::views {

// The one setting in which B differs from A, and B's value as --set takes it.
struct CompareDraft {
  run::Field field = run::Field::backend;
  std::string value;
};

// Settings that can be the one: they matter for A and have a few values, or are sizes.
std::vector<run::Field> compare_fields(const run::WorkloadSpec& a);
// Makes the draft possible for A as it is now: a setting that matters and a value that is not A's.
void settle(CompareDraft& draft, const run::WorkloadSpec& a);
// A with the one setting changed; a sentence if that cannot run.
base::Result<run::WorkloadSpec> spec_of_b(const CompareDraft& draft, const run::WorkloadSpec& a,
                                          const text::Texts& texts);
// A setting and its value in words: as the controls name them.
std::string field_words(const Ui& ui, run::Field field);
std::string value_words(const Ui& ui, run::Field field, const std::string& value);

// Setting, A's value and B's value, in the current Dear ImGui window.
void draw_compare_controls(const Ui& ui, CompareDraft& draft, const run::WorkloadSpec& a);

}  // namespace ts::views
