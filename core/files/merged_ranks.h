#pragma once

#include <vector>

#include "core/trace_file/trace_file.h"

namespace ts::files {

// The traces of the ranks of one run as one: a process a rank, in order, on the clock that
// base_time_ns gives (a run of ours puts all ranks on rank 0's). Events of one rank keep their
// order and arrows. trace_file::RankNumbers keeps them apart; memory on the host stays apart by its
// process.
trace_file::TraceFile merge_ranks(const std::vector<trace_file::TraceFile>& ranks);

}  // namespace ts::files
