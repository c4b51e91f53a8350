#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/string_table.h"
#include "core/io/text_table.h"
#include "core/run/run.h"
#include "core/stats/kernel_table.h"
#include "core/stats/occupancy.h"

namespace ts::report {

// "8.6"; empty if the card is not in the catalogue: then kernels have no occupancy.
std::string compute_capability(const run::Run& run);

// "warps", "blocks", "registers", "shared memory".
std::string limit_words(stats::OccupancyLimit limit);

// The kernels of a run as a table for files. Times in milliseconds, sizes in bytes.
io::TextTable kernel_text(const stats::KernelTable& table, const base::StringTable& strings,
                          const std::string& capability);

// {steps, devices: [{device, kernels, span_ms, busy_ms, kernel_ms, copy_ms, idle_ms: {...},
//  tensor_core_share, queue_mean, queue_most}], kernels: [{name, calls, total_ms, ...}]}
// "tensor_cores" of a kernel is null if its name does not say. Null if no GPU was recorded.
nlohmann::json kernels_json(const run::Run& run, const base::StringTable& strings);

}  // namespace ts::report
