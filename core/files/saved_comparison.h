#pragma once

#include <string>

#include "core/base/result.h"
#include "core/run/compare.h"

namespace ts::files {

// A comparison that has ended, as the text that a session keeps. The ratios are not in it: they
// follow from the steps.
std::string comparison_text(const run::Comparison& comparison);

// The same with its ratios. An error: the text is damaged, or no comparison.
base::Result<run::Comparison> comparison_from(const std::string& text);

}  // namespace ts::files
