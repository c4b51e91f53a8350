#include "core/trace_file/trace_phases.h"

#include <gtest/gtest.h>

#include <string>

#include "core/trace_file/trace_read.h"
#include "tests/trace_file/trace_events.h"

namespace ts::trace_file {
namespace {

using base::Phase;

// "forward 10-20, backward 30-40", in microseconds.
std::string spans_of(const std::string& events) {
  const auto file = parse_trace("[" + events + "]");
  EXPECT_TRUE(file) << file.error().sentence;
  std::string text;
  if (!file) return text;
  for (const PhaseSpan& span : phase_spans(*file, autograd_ends(*file))) {
    if (!text.empty()) text += ", ";
    text += std::string(base::phase_name(span.phase)) + " " + std::to_string(span.begin_ns / 1000) +
            "-" + std::to_string(span.end_ns / 1000);
  }
  return text;
}

TEST(TracePhases, RangesTellThem) {
  EXPECT_EQ(spans_of(stretch("user_annotation", "ProfilerStep#3", 1, 0, 99) +
                     stretch("user_annotation", "## forward ##", 1, 10, 10) +
                     stretch("user_annotation", "## backward ##", 1, 30, 10) +
                     stretch("user_annotation", "Optimizer.step#SGD.step", 1, 50, 5) +
                     stretch("user_annotation", "Optimizer.zero_grad#SGD.zero_grad", 1, 60, 5)),
            "forward 10-20, backward 30-40, optimizer 50-55, optimizer 60-65");
}

TEST(TracePhases, ModulesAndAutogradTellThem) {
  EXPECT_EQ(spans_of(stretch("python_function", "nn.Module: Net_0", 1, 10, 20) +
                     stretch("python_function", "nn.Module: Linear_0", 1, 12, 5) +
                     stretch("cpu_op", "aten::mse_loss", 1, 33, 4) + arrow('s', 1, 1, 33) +
                     stretch("cpu_op", "MseLossBackward0", 2, 40, 5) + arrow('f', 1, 2, 40) +
                     stretch("cpu_op", "aten::mul", 2, 41, 2) +
                     stretch("cpu_op", "torch::autograd::AccumulateGrad", 2, 55, 5)),
            "forward 10-30, forward 33-37, backward 40-60");
}

TEST(TracePhases, AForwardThatRunsAgainBelongsToTheBackward) {
  EXPECT_EQ(spans_of(stretch("cpu_op", "CheckpointFunctionBackward", 2, 40, 20) +
                     stretch("python_function", "nn.Module: Linear_0", 2, 42, 5)),
            "backward 40-60");
}

TEST(TracePhases, ALossCutsTheForwardAroundIt) {
  EXPECT_EQ(spans_of(stretch("user_annotation", "forward", 1, 10, 30) +
                     stretch("user_annotation", "loss", 1, 20, 5)),
            "forward 10-20, loss 20-25, forward 25-40");
}

TEST(TracePhases, OtherNamesTellNone) {
  EXPECT_EQ(spans_of(stretch("cpu_op", "aten::forward", 1, 10, 10) +
                     stretch("cpu_op", "triton_red_fused_norm_backward_3", 1, 20, 10) +
                     stretch("user_annotation", "forwarding", 1, 30, 10) +
                     stretch("python_function", "train.py(3): forward", 1, 40, 10) +
                     stretch("kernel", "## forward ##", 7, 50, 10)),
            "");
}

// Ranks run at their own times.
TEST(TracePhases, ThoseOfTwoProcessesAreNotMixed) {
  EXPECT_EQ(spans_of(stretch("user_annotation", "forward", 1, 10, 10, 1) +
                     stretch("user_annotation", "backward", 1, 12, 10, 2)),
            "");
}

TEST(TracePhases, ANameWithTwoOfThemTellsNone) {
  EXPECT_EQ(phase_of_range("forward_backward"), std::nullopt);
  EXPECT_EQ(phase_of_range("loss.backward"), Phase::backward);
  EXPECT_EQ(phase_of_range("Forward and loss"), Phase::forward);
  EXPECT_EQ(phase_of_range("my_bwd"), Phase::backward);
  EXPECT_EQ(phase_of_range("calc_loss"), Phase::loss);
  EXPECT_EQ(phase_of_range("DistributedDataParallel.forward"), Phase::forward);
  EXPECT_EQ(phase_of_range("ProfilerStep#3"), std::nullopt);
  EXPECT_EQ(phase_of_range(""), std::nullopt);
}

}  // namespace
}  // namespace ts::trace_file
