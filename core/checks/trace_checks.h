#pragma once

#include <vector>

#include "core/report/checks.h"
#include "core/trace_file/trace_summary.h"

namespace ts::checks {

// The checks that a trace of a profiler answers, in the order of their ids; what its events do not
// tell is unknown, with the reason; so are shares of time where only a part by numbers of events
// was read. `fault`: why the file was not read to its end; empty: it was. C-8 of a file that is
// still being read is unknown.
//   C-7   share of the time in which a kernel or a copy ran, in the mean of the devices
//   C-8   the file, or the part of it that was asked for, is complete
//   C-10  share of the time in which collectives ran
//   C-16  share of collectives that other kernels hide; calls that wait for the device, a step
//   C-18  steps
//   C-21  share of the steps in which the loader was waited for
std::vector<report::CheckResult> of_trace(const trace_file::TraceSummary& summary,
                                          const base::Message& fault);

}  // namespace ts::checks
