#pragma once

#include <vector>

#include "core/base/string_table.h"
#include "core/report/checks.h"
#include "core/run/run.h"

namespace ts::findings {

// Mistakes in a recorded script that its recording shows, each with the line, the bytes or the time
// a step, and why it is one. Only what is found: an empty list says that none of these was.
//   F-1  graphs of earlier steps are alive: their activations pile up, or the recorder saw the
//        graphs of losses (run::ScriptNotes)
//   F-2  tensors are kept: blocks of a line pile up
//   F-3  gradients are never cleared between two steps of the optimizer
//   F-4  a number is read from a tensor in every step (.item()), outside of the optimizer,
//        closures that it calls included; or a tensor is printed in every step
//   F-5  tensors of fp64 are computed with in most steps
//   F-6  activations or gradients of a part that no optimizer changes
// A run that is not of a script has none. F-1 and F-2 need kLeastSteps complete steps, the others
// three. `strings` is the table of the recording. O(slices log slices + steps x live blocks).
inline constexpr std::size_t kLeastSteps = 4;
std::vector<report::CheckResult> of_script(const run::Run& run, const base::StringTable& strings);

}  // namespace ts::findings
