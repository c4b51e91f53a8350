#pragma once

#include "core/report/check_finding.h"
#include "core/stats/kernel_table.h"
#include "core/stats/operator_table.h"

// The checks that look into the recording of a run, its operators, kernels and memory, and into its
// numbers.
namespace ts::report {

struct Recorded {
  const run::Run& run;
  const base::StringTable& strings;
  stats::OperatorTable operators;  // by name
  stats::KernelTable kernels;      // without rows on cpu
};
Recorded recorded_of(const run::Run& run, const base::StringTable& strings);

// Shares of the recorded steps of a processor, in percent; unset on a GPU, where the time of a call
// says nothing of its kernels, and where nothing was recorded.
std::optional<double> operators_percent(const Recorded& recorded);  // in which an operator ran
std::optional<double> attention_percent(const Recorded& recorded);  // of attention's operators

Finding gpu_busy(const Recorded& recorded);
Finding tensor_cores(const Recorded& recorded);
Finding short_kernels(const Recorded& recorded);
Finding softmax_share(const Recorded& recorded);
Finding host_reads(const Recorded& recorded);
Finding fragmentation(const Recorded& recorded);
Finding left_over(const Recorded& recorded);

// How far a step is from the same one in fp64, against what the course allows for its type. Unset
// where the protocol does not ask for it.
Finding value_errors(const run::Run& run);

}  // namespace ts::report
