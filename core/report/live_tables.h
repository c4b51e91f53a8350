#pragma once

#include <cstdint>

#include "core/base/string_table.h"
#include "core/io/text_table.h"
#include "core/memory/allocation_log.h"
#include "core/spec/workload_spec.h"

// The blocks that are alive right after one event of a run or of a dry run, as tables for files.
namespace ts::report {

// One row per block, the largest first: bytes, MiB, category, tensor (the parameter that it is, or
// whose gradient or state it is, where that is certain), shape, dtype, operator, module, phase,
// step (from 1; empty before the first). Dry runs know shapes, and no tensor of scratch memory.
io::TextTable live_table(const memory::AllocationLog& log, const base::StringTable& strings,
                         memory::EventIndex event);

// One row per category that has bytes, and their sum: blocks, bytes, MiB, and the formula that
// gives them: for parameters, gradients and the optimizer's state by the model's numbers, "2 x
// 1,000 x 4 B + 12 B", else by shapes, "2 x [4, 64] fp32 + 128 B". `parameters`: how many numbers
// the model has.
io::TextTable accounting_table(const memory::AllocationLog& log, const base::StringTable& strings,
                               memory::EventIndex event, const spec::WorkloadSpec& spec,
                               std::int64_t parameters);

}  // namespace ts::report
