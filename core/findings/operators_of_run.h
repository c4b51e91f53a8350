#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "core/base/phase.h"
#include "core/run/run.h"
#include "core/trace/slice.h"

namespace ts::findings {

// "train.py:12" of "layers.0 @ train.py:12"; empty where no line of the script is known.
std::string_view line_of(std::string_view place);
// "layers.0" of the same; empty outside of modules.
std::string_view module_of(std::string_view place);

// The phase that a time falls in; idle between them. Phases come from the log of memory.
base::Phase phase_at(const run::Run& run, std::int64_t time_ns);
// The recorded step that a time falls in, from 0; -1 before the first, their number after the last.
std::int64_t step_at(const run::Run& run, std::int64_t time_ns);

// Every slice of a thread of the host, with the one that encloses it, or null. O(slices log
// slices).
void for_each_slice(
    const run::Run& run,
    const std::function<void(const trace::Slice& slice, const trace::Slice* outer)>& use);

// True if one of an operator's shapes "[64] fp32, [4, 32] fp64" has several elements and this
// type.
bool has_tensor_of(std::string_view shapes, std::string_view dtype);

}  // namespace ts::findings
