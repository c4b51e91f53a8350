#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "core/base/string_table.h"
#include "core/io/text_table.h"
#include "core/run/run.h"
#include "core/stats/kernel_table.h"
#include "core/stats/occupancy.h"
#include "core/text/column_unit.h"

namespace ts::report {

// "8.6"; empty if the card is not in the catalogue: then kernels have no occupancy.
std::string compute_capability(const run::Run& run);

// "warps", "blocks", "registers", "shared memory".
std::string limit_text(stats::OccupancyLimit limit);

using LaunchExtent = std::array<std::int32_t, 3>;
// The content of a cell of the table of kernels; a number is of the column's unit.
using KernelValue =
    std::variant<double, base::StringId, LaunchExtent, trace::TensorCores,
                 std::optional<stats::Occupancy>, std::optional<stats::OccupancyLimit>>;

struct KernelFacts {
  const stats::KernelRow& row;
  std::optional<stats::Occupancy> held;  // unset if it is not known
};

// A column of the table of kernels, in files, in JSON and in the window.
struct KernelColumn {
  const char* key;      // in JSON
  const char* title;    // in files
  const char* heading;  // in the window: a key of the locale files; null: it is not there
  bool right;           // in files
  bool right_in_window;
  KernelValue (*value)(const KernelFacts& facts);
  text::ColumnUnit unit = text::ColumnUnit::count;
};

inline constexpr auto kKernelColumns = std::to_array<KernelColumn>({
    {"name", "kernel", "tables.name", false, false,
     [](const KernelFacts& of) -> KernelValue { return of.row.name; }},
    {"calls", "calls", "tables.calls", true, true,
     [](const KernelFacts& of) -> KernelValue { return static_cast<double>(of.row.calls); }},
    {"total_ms", "total ms", "tables.total", true, true,
     [](const KernelFacts& of) -> KernelValue { return static_cast<double>(of.row.total_ns); },
     text::ColumnUnit::time},
    {"share", "share %", "tables.share", true, true,
     [](const KernelFacts& of) -> KernelValue { return of.row.share; }, text::ColumnUnit::share},
    {"average_ms", "average ms", "tables.average", true, true,
     [](const KernelFacts& of) -> KernelValue { return of.row.average_ns; },
     text::ColumnUnit::time},
    {"p50_ms", "P50 ms", nullptr, true, true,
     [](const KernelFacts& of) -> KernelValue { return of.row.p50_ns; }, text::ColumnUnit::time},
    {"p90_ms", "P90 ms", "tables.p90", true, true,
     [](const KernelFacts& of) -> KernelValue { return of.row.p90_ns; }, text::ColumnUnit::time},
    // The window shows both extents there.
    {"grid", "grid", "tables.launch", true, true,
     [](const KernelFacts& of) -> KernelValue { return of.row.launch.grid; }},
    {"block", "block", nullptr, true, true,
     [](const KernelFacts& of) -> KernelValue { return of.row.launch.block; }},
    {"registers", "registers", "tables.registers", true, true,
     [](const KernelFacts& of) -> KernelValue {
       return static_cast<double>(of.row.launch.registers);
     }},
    {"shared_memory", "shared bytes", "tables.shared_memory", true, true,
     [](const KernelFacts& of) -> KernelValue {
       return static_cast<double>(of.row.launch.shared_memory);
     },
     text::ColumnUnit::bytes},
    {"launches", "launches", nullptr, true, true,
     [](const KernelFacts& of) -> KernelValue { return static_cast<double>(of.row.launches); }},
    // The window shows the limit with it.
    {"occupancy", "occupancy %", "tables.occupancy", true, true,
     [](const KernelFacts& of) -> KernelValue { return of.held; }},
    {"occupancy_limit", "bound by", nullptr, false, false,
     [](const KernelFacts& of) -> KernelValue {
       return of.held ? std::optional(of.held->limit) : std::nullopt;
     }},
    {"tensor_cores", "tensor cores", "tables.tensor_cores", false, true,
     [](const KernelFacts& of) -> KernelValue { return of.row.tensor_cores; }},
    {"operator", "operator", "tables.operator", false, false,
     [](const KernelFacts& of) -> KernelValue { return of.row.launch.op; }},
    {"operator_flops", "operator GFLOP", "tables.operator_flops", true, true,
     [](const KernelFacts& of) -> KernelValue { return of.row.op_flops; }, text::ColumnUnit::flops},
    {"operator_input_bytes", "operator input bytes", "tables.operator_inputs", true, true,
     [](const KernelFacts& of) -> KernelValue { return of.row.op_input_bytes; },
     text::ColumnUnit::input_bytes},
});

// The kernels of a run as a table for files. Times in milliseconds, sizes in bytes.
io::TextTable kernel_text(const stats::KernelTable& table, const base::StringTable& strings,
                          const std::string& capability);

// {steps, devices: [{device, kernels, span_ms, busy_ms, kernel_ms, copy_ms, idle_ms: {...},
//  tensor_core_share, queue_mean, queue_most}], kernels: [{name, calls, total_ms, ...}]}
// "tensor_cores" of a kernel is null if its name does not say. Null if no GPU was recorded.
nlohmann::json kernels_json(const run::Run& run, const base::StringTable& strings);

}  // namespace ts::report
