#include "views/inspector/result_panel.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "views/charts/stale_mark.h"
#include "views/common/imgui_sink.h"
#include "views/inspector/result_curve_panel.h"
#include "views/inspector/steps_panel.h"

namespace ts::views {
namespace {

// Below a chart, at scale 1: one line for the place, one for each curve, and the title above.
constexpr float kTitleHeight = 44;
constexpr float kCurveRow = 20;
constexpr float kLeastHeight = 120;  // of the chart itself
constexpr float kBarsLegend = 112;   // title, legend and margins of the bars

constexpr spec::CurveAxes kScaleAxes = {.x = "steps", .y = "loss_scale"};

}  // namespace

std::optional<RunResult> result_of(const run::Run& run) {
  if (!run.facts.curves.empty()) return RunResult::curves;
  if (run.spec.grad_scaler && !loss_scale_curve(run).x.empty()) return RunResult::loss_scale;
  if (run::fixed_warmups(run.spec) && !run.timed_steps.empty()) return RunResult::steps;
  return std::nullopt;
}

run::ResultCurve loss_scale_curve(const run::Run& run) {
  run::ResultCurve curve{.name = "2^n"};
  double number = 0;
  const auto add = [&](const std::vector<run::StepTimes>& steps) {
    for (const run::StepTimes& step : steps) {
      ++number;
      if (!step.loss_scale) continue;
      curve.x.push_back(number);
      curve.y.push_back(std::log2(*step.loss_scale));
    }
  };
  // Otherwise they are of a second execution, which began anew.
  if (!run::fixed_warmups(run.spec)) add(run.recorded_steps);
  add(run.warmup_steps);
  add(run.timed_steps);
  return curve;
}

void draw_result(const Ui& ui, const ViewContext& context, RunResult result) {
  const ImVec2 origin = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const run::Run& run = *context.run;
  const auto draw = [&](const run::ExecutionFacts& facts, const spec::CurveAxes& axes) {
    const float height = size.y / ui.metrics.scale;
    const auto rows = static_cast<float>(facts.curves.size() + 1);
    draw_result_curves(
        ui, facts, axes,
        std::max(kLeastHeight, height - kTitleHeight - 2 * kCurveRow - rows * kCurveRow));
  };
  switch (result) {
    case RunResult::curves:
      draw(run.facts, spec::traits_of(run.spec.workload).curves);
      break;
    case RunResult::loss_scale: {
      run::ExecutionFacts facts;
      facts.curves = {loss_scale_curve(run)};
      draw(facts, kScaleAxes);
      break;
    }
    case RunResult::steps:
      draw_steps(ui, run, std::max(ui.px(kLeastHeight), size.y - ui.px(kBarsLegend)));
      break;
  }
  if (context.stale.empty()) return;
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  draw_faded(sink, ui.theme, {origin.x, origin.y, origin.x + size.x, origin.y + size.y});
}

}  // namespace ts::views
