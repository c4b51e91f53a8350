#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/spec/workload_spec.h"
#include "views/common/ui.h"

namespace ts::views {

// The one setting in which B differs from A, and B's value as --set takes it.
struct CompareEdit {
  spec::Field field = spec::Field::backend;
  std::string value;
};

// Settings that can be the one: they matter for A and have a few values, or are sizes.
std::vector<spec::Field> compare_fields(const spec::WorkloadSpec& a);
// Makes the draft possible for A as it is now: a setting that matters and a value that is not A's.
void settle(CompareEdit& edit, const spec::WorkloadSpec& a);
// A with the one setting changed; a sentence if that cannot run.
base::Result<spec::WorkloadSpec> spec_of_b(const CompareEdit& edit, const spec::WorkloadSpec& a);

// Setting, A's value and B's value, in the current Dear ImGui window.
void draw_compare_controls(const Ui& ui, CompareEdit& edit, const spec::WorkloadSpec& a);

}  // namespace ts::views
