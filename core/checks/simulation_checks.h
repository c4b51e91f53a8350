#pragma once

#include <vector>

#include "core/report/checks.h"
#include "core/simulate/simulation.h"

namespace ts::checks {

// The checks that a simulation answers of the machine that it assumes, in the order of their ids.
//   C-9   loader: workers are at most min(cores / 2, 8), and the period is within 5 % of the best
//         that a number of workers up to that gives
//   C-10  data_parallel: share of the step that the exchange takes
//   C-16  data_parallel: share of the exchange that the backward hides
//   C-21  loader: share of the time that steps wait for data
std::vector<report::CheckResult> of_simulation(const simulate::Simulation& simulation,
                                               const calculate::Chosen& chosen,
                                               const simulate::Outcome& outcome);

}  // namespace ts::checks
