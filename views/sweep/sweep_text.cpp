
#include "core/sweep/sweep_checks.h"
#include "core/sweep/sweep_findings.h"
#include "core/sweep/sweep_table.h"
#include "core/text/numbers.h"
#include "views/charts/plot_axis.h"
#include "views/common/spec_text.h"
#include "views/sweep/sweep_figure.h"

namespace ts::views {
namespace {

using sweep::Measure;
using sweep::PointStatus;

// "at least 1.2 ms by FLOPs, 0.4 ms by memory", "14 FLOP/byte"; and the estimated time.
void add_theory(std::vector<std::string>& lines, const SweepFigure& figure, std::size_t index) {
  const auto& t = figure.texts;
  if (const double ms = figure.sweep.estimated_step_ms(index); ms > 0) {
    lines.push_back(t("sweep.read_out.estimated_time", {{"time", text::duration_ms(ms).joined()}}));
  }
  const auto theory = sweep::theory_of(figure.sweep, index);
  if (!theory) return;
  if (theory->compute_ms > 0) {
    lines.push_back(t("sweep.read_out.compute_bound",
                      {{"time", text::duration_ms(theory->compute_ms).joined()},
                       {"rate", text::rate(theory->roofs.tflops * 1e12, "FLOP").joined()}}));
  }
  if (theory->memory_ms > 0) {
    lines.push_back(t("sweep.read_out.memory_bound",
                      {{"time", text::duration_ms(theory->memory_ms).joined()},
                       {"rate", text::rate(theory->roofs.gb_s * 1e9, "B").joined()},
                       {"intensity", text::decimal(theory->intensity(), 1)}}));
  }
  const base::Message beaten = sweep::beaten_bound(theory, figure.sweep.points()[index]);
  if (!beaten.key.empty()) lines.push_back(message_text(t, beaten));
}

}  // namespace

std::string slope_text(const std::string& axis, const stats::PowerFit& fit, bool interval) {
  std::string words = axis + "^" + text::decimal(fit.slope, 2);
  if (interval && fit.ci95) {
    words += " [" + text::decimal(fit.ci95->low, 2) + ", " + text::decimal(fit.ci95->high, 2) + "]";
  }
  return words;
}

std::string status_text(const sweep::SweepPoint& point, const text::Texts& texts) {
  const std::string word = texts(std::string("sweep.status.") + to_string(point.status));
  const sweep::PointMeasurement& m = point.measurement;
  if (point.status == PointStatus::oom && point.measured && !m.op.empty() && m.bytes_asked > 0) {
    const std::string asked = text::bytes(m.bytes_asked).joined();
    const std::string free = text::bytes(std::max<std::int64_t>(0, m.bytes_free)).joined();
    return word + texts("sweep.colon") +
           (m.module.empty()
                ? texts("verdict.refused_op", {{"op", m.op}, {"asked", asked}, {"free", free}})
                : texts("verdict.refused_op_module",
                        {{"op", m.op}, {"module", m.module}, {"asked", asked}, {"free", free}}));
  }
  return point.reason.empty() ? word
                              : word + texts("sweep.colon") + message_text(texts, point.reason);
}

std::string prediction_error_text(const sweep::SweepPoint& point) {
  const std::int64_t measured = point.measurement.peak_allocated;
  if (point.status != PointStatus::ok || measured <= 0 || !point.prediction.known()) return {};
  const double percent =
      (static_cast<double>(point.prediction.peak_allocated) / static_cast<double>(measured) - 1) *
      100;
  return (percent > 0 ? "+" : "") + text::decimal(percent, 2) + " %";
}

std::vector<std::string> point_lines(const SweepFigure& figure, std::size_t index) {
  const auto& t = figure.texts;
  const sweep::SweepPoint& point = figure.sweep.points()[index];
  const sweep::PointMeasurement& m = point.measurement;
  std::vector<std::string> lines = {point_text(figure.sweep, point)};
  if (m.step.median_ms >= 0) {
    std::string line =
        std::string(t("sweep.column.median")) + " " + text::duration_ms(m.step.median_ms).joined();
    if (m.step.ci95_low_ms >= 0) {
      line += " [" + text::duration_ms(m.step.ci95_low_ms).joined() + ", " +
              text::duration_ms(m.step.ci95_high_ms).joined() + "]";
    }
    lines.push_back(line + ", n = " + std::to_string(m.step.n));
  }
  if (sweep::studies_warm_up(figure.sweep) && m.step.std_ms >= 0) {
    lines.push_back(std::string(t("inspector.mean_std")) + " " +
                    text::duration_ms(m.step.mean_ms).joined() + " \xc2\xb1 " +
                    text::duration_ms(m.step.std_ms).joined());
  }
  if (m.step.p90_ms >= 0) {
    std::string line = "P90 " + text::duration_ms(m.step.p90_ms).joined();
    if (m.step.p99_ms >= 0) line += ", P99 " + text::duration_ms(m.step.p99_ms).joined();
    lines.push_back(line);
  }
  if (m.peak_allocated >= 0 && point.status == PointStatus::ok) {
    lines.push_back(std::string(t("sweep.column.peak")) + " " +
                    text::bytes(m.peak_allocated).joined());
  }
  const sweep::PointPrediction& p = point.prediction;
  if (p.known()) {
    std::string line =
        std::string(t("sweep.column.predicted")) + " " + text::bytes(p.peak_allocated).joined();
    const std::string error = prediction_error_text(point);
    if (!error.empty()) line += ", " + error;
    lines.push_back(line);
  } else if (!p.problem.empty()) {
    lines.push_back(message_text(t, p.problem));
  }
  if (m.tokens_per_s >= 0) {
    std::string line = text::rate(m.tokens_per_s, "tokens").joined();
    if (m.samples_per_s >= 0) line += ", " + text::rate(m.samples_per_s, "samples").joined();
    if (m.tflops_per_s >= 0) line += ", " + text::decimal(m.tflops_per_s, 3) + " TFLOP/s";
    lines.push_back(line);
  }
  std::string parts;
  for (const auto& [key, ms] : {std::pair{"sweep.part.forward", m.forward_ms},
                                std::pair{"sweep.part.backward", m.backward_ms},
                                std::pair{"sweep.part.optimizer", m.optimizer_ms}}) {
    if (ms >= 0)
      parts +=
          (parts.empty() ? "" : ", ") + std::string(t(key)) + " " + text::duration_ms(ms).joined();
  }
  if (!parts.empty()) lines.push_back(parts);
  add_theory(lines, figure, index);
  if (!m.backend_ran.empty())
    lines.push_back(t("inspector.backend_ran") + std::string(" ") + m.backend_ran);
  if (point.status != PointStatus::ok) lines.push_back(status_text(point, t));
  return lines;
}

std::vector<std::string> finding_lines(const sweep::Sweep& sweep, const SweepAnalysis& analysis,
                                       const text::Texts& texts) {
  const std::string axis = spec::field_name(sweep.spec().axes[0].field);
  std::vector<std::string> lines;
  for (const base::Message& one : sweep::findings_beside_slopes(
           sweep, analysis.crossovers, analysis.beaten, analysis.saturations))
    lines.push_back(message_text(texts, one));
  for (const sweep::CurveFit& one : sweep::fits_with_news(analysis.fits)) {
    if (!one.fit.ci95) continue;  // of two points
    const char* const key = one.measure == Measure::step_ms ? "sweep.finding.time_slope"
                            : one.measure == Measure::peak_allocated
                                ? "sweep.finding.memory_slope"
                                : "sweep.finding.predicted_slope";
    lines.push_back(texts(key, {{"series", one.curve.label},
                                {"slope", slope_text(axis, one.fit, true)},
                                {"n", std::to_string(one.fit.n)},
                                {"last", text::decimal(one.last_slope, 2)}}));
  }
  for (const report::CheckResult& one : sweep::checks_of(sweep))
    lines.push_back(std::string(one.id) + "  " + message_text(texts, one.found));
  return lines;
}

}  // namespace ts::views
