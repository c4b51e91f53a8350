#include "core/trace_file/trace_modules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/trace_file/trace_read.h"
#include "tests/trace_file/trace_events.h"

namespace ts::trace_file {
namespace {

TraceFile with_modules(const std::string& events) {
  auto file = parse_trace("[" + events + "]");
  EXPECT_TRUE(file) << file.error().sentence;
  if (!file) return {};
  give_modules(*file, autograd_ends(*file));
  return std::move(*file);
}

// The module of the first event of that name.
std::string module_of(const TraceFile& file, std::string_view name) {
  const auto found = std::ranges::find_if(
      file.events, [&](const Event& event) { return file.strings->view(event.name) == name; });
  if (found == file.events.end()) return "no event " + std::string(name);
  return std::string(file.strings->view(found->module));
}

// Two layers in a model on thread 1, their backward on thread 2.
const std::string kForward = stretch("python_function", "nn.Module: Net_0", 1, 10, 50) +
                             stretch("python_function", "nn.py(5): forward", 1, 11, 40) +
                             stretch("python_function", "nn.Module: Linear_0", 1, 12, 8) +
                             stretch("cpu_op", "aten::linear", 1, 13, 6) +
                             stretch("cpu_op", "aten::addmm", 1, 14, 4) +
                             stretch("cuda_runtime", "cudaLaunchKernel", 1, 15, 2) +
                             stretch("python_function", "nn.Module: Linear_1", 1, 30, 8) +
                             stretch("cpu_op", "aten::relu", 1, 31, 6);

TEST(TraceModules, WhatRunsInAModuleHasItsPath) {
  const TraceFile file = with_modules(kForward + stretch("cpu_op", "aten::add", 1, 45, 2) +
                                      stretch("cpu_op", "aten::sum", 1, 70, 2) +
                                      stretch("cpu_op", "aten::mul", 2, 14, 2));
  EXPECT_EQ(module_of(file, "nn.Module: Linear_0"), "Net_0.Linear_0");
  EXPECT_EQ(module_of(file, "aten::linear"), "Net_0.Linear_0");
  EXPECT_EQ(module_of(file, "aten::addmm"), "Net_0.Linear_0");
  EXPECT_EQ(module_of(file, "cudaLaunchKernel"), "Net_0.Linear_0");
  EXPECT_EQ(module_of(file, "aten::relu"), "Net_0.Linear_1");
  EXPECT_EQ(module_of(file, "aten::add"), "Net_0");
  EXPECT_EQ(module_of(file, "aten::sum"), "") << "after the model";
  EXPECT_EQ(module_of(file, "aten::mul"), "") << "on another thread";
}

TEST(TraceModules, ABackwardHasTheModuleOfItsForward) {
  const TraceFile file = with_modules(
      kForward + arrow('s', 3, 1, 14) + stretch("cpu_op", "AddmmBackward0", 2, 80, 20) +
      arrow('f', 3, 2, 80) + stretch("cpu_op", "aten::mm", 2, 85, 5) +
      stretch("cpu_op", "torch::autograd::AccumulateGrad", 2, 101, 5));
  EXPECT_EQ(module_of(file, "AddmmBackward0"), "Net_0.Linear_0");
  EXPECT_EQ(module_of(file, "aten::mm"), "Net_0.Linear_0");
  EXPECT_EQ(module_of(file, "torch::autograd::AccumulateGrad"), "");
}

TEST(TraceModules, AModuleThatRunsAgainInABackwardKeepsItsPath) {
  const TraceFile file =
      with_modules(kForward + stretch("cpu_op", "CheckpointFunctionBackward", 2, 80, 20) +
                   stretch("python_function", "nn.Module: Linear_1", 2, 82, 10) +
                   stretch("cpu_op", "aten::tanh", 2, 84, 3));
  EXPECT_EQ(module_of(file, "aten::tanh"), "Net_0.Linear_1");
}

TEST(TraceModules, AModuleThatTheFileTellsIsKept) {
  const TraceFile file = with_modules(
      kForward +
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::own", "pid": 1, "tid": 1, "ts": 16,)"
      R"( "dur": 1, "args": {"module": "blocks.3"}},)");
  EXPECT_EQ(module_of(file, "aten::own"), "blocks.3");
}

}  // namespace
}  // namespace ts::trace_file
