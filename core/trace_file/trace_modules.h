#pragma once

#include <span>
#include <string_view>

#include "core/trace_file/autograd_links.h"
#include "core/trace_file/trace_file.h"

namespace ts::trace_file {

// Gives the events of the host in a trace of torch.profiler (with_stack or with_modules) the path
// of the module that they ran in: "ResNet_0.Sequential_1.Conv2d_3", from its Python calls
// "nn.Module: Conv2d_3" by nesting. A backward, with all inside it, gets the module of its forward.
// A module that runs outside of any other, such as a checkpoint that runs again, has the path that
// it had first. An event that has a module keeps it. `ends` are autograd_ends(file). O(n).
void give_modules(TraceFile& file, std::span<const AutogradEnd> ends);

// Whether the name of a call of Python is that of a module: "nn.Module: Conv2d_3".
bool is_module_call(std::string_view name);

}  // namespace ts::trace_file
