#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/spec/checked_spec.h"
#include "views/common/ui.h"

namespace ts::views {

// The one setting in which B differs from A, and B's value in the form of --set.
struct CompareEdit {
  spec::Field field = spec::Field::backend;
  std::string value;
};

// The settings that can be chosen: they matter for A, and have a few values or are sizes.
std::vector<spec::Field> compare_fields(const spec::CheckedSpec& a);
// Makes the draft valid for the current A: a setting that matters and a value other than A's.
void settle(CompareEdit& edit, const spec::CheckedSpec& a);
// A with the one setting changed; the error is a sentence if that cannot run.
base::Result<spec::WorkloadSpec> spec_of_b(const CompareEdit& edit, const spec::CheckedSpec& a);

// Setting, A's value and B's value, in the current Dear ImGui window.
void draw_compare_controls(const Ui& ui, CompareEdit& edit, const spec::CheckedSpec& a);

}  // namespace ts::views
