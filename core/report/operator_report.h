#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "core/base/string_table.h"
#include "core/io/text_table.h"
#include "core/run/run.h"
#include "core/stats/operator_table.h"

namespace ts::report {

// The recorded operators of a run as tables for files. Times in milliseconds, sizes in bytes. By
// stack with the phase and the stack of each row, "blocks.*.attn;aten::linear;aten::addmm".
io::TextTable operator_text(const stats::OperatorTable& table, const base::StringTable& strings);
// The lines of a table by stack: "forward;blocks.*.attn;aten::linear;aten::addmm 1234", the self
// time in microseconds, the input format of flame graph tools.
std::string folded_stacks(const stats::OperatorTable& table);
// Matmul, attention, softmax, ...: a row for each phase, shares of its time in percent.
io::TextTable share_text(std::span<const stats::ClassShares> phases);

// operators.md: by operator, by module, by stack, by phase, the module tree, and the shares; for a
// GPU also its kernels (kernel_report.h). It begins with the number of recorded steps.
std::string operators_markdown(const run::Run& run, const base::StringTable& strings);

// {steps, operators_ms, by_operator: [...], by_module: [...], by_stack: [...], by_phase: [...],
// self_ms_by_class: {...}, tree: [...]}.
nlohmann::json operators_json(const run::Run& run, const base::StringTable& strings);

}  // namespace ts::report
