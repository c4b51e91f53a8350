#include "core/sweep/sweep_json.h"

#include <nlohmann/json.hpp>

#include "core/io/json_values.h"
#include "core/run/protocol_json.h"
#include "core/sweep/sweep_findings.h"
#include "core/sweep/sweep_table.h"
#include "core/sweep/sweep_theory.h"
#include "core/text/message.h"

namespace ts::sweep {
namespace {

nlohmann::json interval_json(const std::optional<stats::Interval>& interval) {
  if (!interval) return nullptr;
  return {interval->low, interval->high};
}

// For PointMeasurement and PointPrediction alike.
template <class Failed>
nlohmann::json refusal_json(const Failed& m) {
  if (m.bytes_asked < 0) return nullptr;
  return {{"op", io::text_or_null(m.op)},
          {"module", io::text_or_null(m.module)},
          {"bytes_asked", m.bytes_asked},
          {"bytes_free", m.bytes_free}};
}

nlohmann::json predicted_json(const PointPrediction& p) {
  if (!p.known() && p.problem.empty()) return nullptr;
  return {{"fit", p.known() ? nlohmann::json(to_string(p.fit)) : nlohmann::json()},
          {"needed", io::known(p.needed)},
          {"target", io::text_or_null(p.target)},
          {"capacity", io::known(p.capacity)},
          {"problem", io::text_or_null(p.problem.sentence)},
          {"problem_text", text::text_json(p.problem)},
          {"roofs", to_json(p.roofs)},
          {"failure", refusal_json(p)}};
}

nlohmann::json spread_json(const PartSpread& spread) {
  return {{"mean", io::known(spread.mean_ms)}, {"std", io::known(spread.std_ms)}};
}

PartSpread spread_from(const nlohmann::json& json) {
  return {io::known_from<double>(json, "mean"), io::known_from<double>(json, "std")};
}

template <class Failed>
void read_failure(const nlohmann::json& json, Failed& m) {
  const nlohmann::json& failure = json.at("failure");
  if (failure.is_null()) return;
  m.op = io::text_from(failure, "op");
  m.module = io::text_from(failure, "module");
  m.bytes_asked = failure.at("bytes_asked").template get<std::int64_t>();
  m.bytes_free = failure.at("bytes_free").template get<std::int64_t>();
}

}  // namespace

nlohmann::json to_json(const Sweep& sweep, const SweepPoint& point) {
  auto at = nlohmann::json::object();
  for (std::size_t i = 0; i < point.at.size(); ++i) {
    at[spec::field_name(sweep.spec().axes[i].field)] = point.at[i];
  }
  const PointMeasurement& m = point.measurement;
  return {{"series", sweep.series()[point.series].label},
          {"at", std::move(at)},
          {"status", to_string(point.status)},
          {"measured", point.measured},
          {"reason", io::text_or_null(point.reason.sentence)},
          {"reason_text", text::text_json(point.reason)},
          {"step_ms", to_json(m.step)},
          {"parts_ms",
           {{"forward", io::known(m.forward_ms)},
            {"backward", io::known(m.backward_ms)},
            {"optimizer", io::known(m.optimizer_ms)}}},
          {"spread_ms",
           {{"forward", spread_json(m.forward)},
            {"backward", spread_json(m.backward)},
            {"optimizer", spread_json(m.optimizer)}}},
          {"tokens_per_s", io::known(m.tokens_per_s)},
          {"samples_per_s", io::known(m.samples_per_s)},
          {"tflops_per_s", io::known(m.tflops_per_s)},
          {"peak_allocated", io::known(m.peak_allocated)},
          {"before_backward", io::known(m.before_backward)},
          {"peak_predicted", io::known(point.prediction.peak_allocated)},
          {"before_backward_predicted", io::known(point.prediction.before_backward)},
          {"limit", io::known(m.limit)},
          {"limit_source", io::text_or_null(m.limit_source)},
          {"parameters", io::known(m.parameters)},
          {"backend_ran", io::text_or_null(m.backend_ran)},
          {"failure", refusal_json(m)},
          {"wall_s", io::known(m.wall_s)},
          {"roofs", to_json(m.roofs)},
          {"predicted", predicted_json(point.prediction)}};
}

PointMeasurement measurement_from_json(const nlohmann::json& json) {
  PointMeasurement m;
  m.step = run::timing_from_json(json.at("step_ms"));
  const nlohmann::json& parts = json.at("parts_ms");
  m.forward_ms = io::known_from<double>(parts, "forward");
  m.backward_ms = io::known_from<double>(parts, "backward");
  m.optimizer_ms = io::known_from<double>(parts, "optimizer");
  // Journals of older versions do not have it.
  if (json.contains("spread_ms")) {
    const nlohmann::json& spread = json.at("spread_ms");
    m.forward = spread_from(spread.at("forward"));
    m.backward = spread_from(spread.at("backward"));
    m.optimizer = spread_from(spread.at("optimizer"));
  }
  m.tokens_per_s = io::known_from<double>(json, "tokens_per_s");
  m.samples_per_s = io::known_from<double>(json, "samples_per_s");
  m.tflops_per_s = io::known_from<double>(json, "tflops_per_s");
  m.peak_allocated = io::known_from<std::int64_t>(json, "peak_allocated");
  // Journals of older versions do not have it.
  if (json.contains("before_backward")) {
    m.before_backward = io::known_from<std::int64_t>(json, "before_backward");
  }
  m.limit = io::known_from<std::int64_t>(json, "limit");
  m.limit_source = io::text_from(json, "limit_source");
  m.parameters = io::known_from<std::int64_t>(json, "parameters");
  m.backend_ran = io::text_from(json, "backend_ran");
  read_failure(json, m);
  m.wall_s = io::known_from<double>(json, "wall_s");
  m.roofs = report::roofs_from_json(json.value("roofs", nlohmann::json()));
  return m;
}

PointPrediction prediction_from_json(const nlohmann::json& json) {
  PointPrediction p;
  const nlohmann::json predicted = json.value("predicted", nlohmann::json());
  if (predicted.is_null()) return p;
  p.peak_allocated = io::known_from<std::int64_t>(json, "peak_predicted");
  if (json.contains("before_backward_predicted")) {
    p.before_backward = io::known_from<std::int64_t>(json, "before_backward_predicted");
  }
  p.needed = io::known_from<std::int64_t>(predicted, "needed");
  p.target = io::text_from(predicted, "target");
  p.capacity = io::known_from<std::int64_t>(predicted, "capacity");
  p.problem = text::message_from_json(io::text_from(predicted, "problem"),
                                      predicted.value("problem_text", nlohmann::json()));
  p.roofs = report::roofs_from_json(predicted.value("roofs", nlohmann::json()));
  for (const predict::Fit fit :
       {predict::Fit::fits, predict::Fit::fits_after_flush, predict::Fit::oom}) {
    if (predicted.at("fit") == to_string(fit)) p.fit = fit;
  }
  read_failure(predicted, p);
  return p;
}

nlohmann::json to_json(const Sweep& sweep, const nlohmann::json& environment, FitRange range) {
  auto points = nlohmann::json::array();
  const auto theories = theories_of(sweep);
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    points.push_back(to_json(sweep, sweep.points()[i]));
    points.back()["step_ms_estimated_from_neighbour"] = io::known(sweep.estimated_step_ms(i));
    points.back()["theory"] = theory_json(theories[i]);
    points.back()["faster_than_bound"] =
        io::text_or_null(beaten_bound(theories[i], sweep.points()[i]).sentence);
  }
  auto fits = nlohmann::json::array();
  for (const CurveFit& one : fits_of(sweep, range)) {
    const auto x_of = [&](std::size_t point) { return sweep.points()[point].at[0]; };
    fits.push_back({{"series", one.curve.label},
                    {"from", x_of(one.points.front())},
                    {"to", x_of(one.points.back())},
                    {"residuals", one.fit.residuals},
                    {"measure", to_string(one.measure)},
                    {"n", one.fit.n},
                    {"slope", one.fit.slope},
                    {"ci95", interval_json(one.fit.ci95)},
                    {"r2", one.fit.r2 ? nlohmann::json(*one.fit.r2) : nlohmann::json()},
                    {"factor", one.fit.factor},
                    {"last_slope", one.last_slope}});
  }
  auto crossings = nlohmann::json::array();
  for (const CurveCrossover& one : crossovers_of(sweep)) {
    crossings.push_back({{"first", one.first.label},
                         {"second", one.second.label},
                         {"measure", to_string(one.measure)},
                         {"at", one.crossover.at},
                         {"before", one.crossover.before},
                         {"after", one.crossover.after},
                         {"lower_after", one.lower_after().label}});
  }
  auto knees = nlohmann::json::array();
  for (const CurveSaturation& one : saturations_of(sweep)) {
    knees.push_back({{"series", one.curve.label},
                     {"at", one.saturation.at},
                     {"tokens_per_s", one.saturation.y},
                     {"gain", one.saturation.gain},
                     {"rule", kSaturationRule}});
  }
  auto sentences = nlohmann::json::array(), texts = nlohmann::json::array();
  for (const base::Message& one : sentences_of(sweep, range)) {
    sentences.push_back(one.sentence);
    texts.push_back(text::text_json(one));
  }
  return {{"sweep", to_json(sweep.spec())},     {"environment", environment},
          {"points", std::move(points)},        {"fits", std::move(fits)},
          {"crossovers", std::move(crossings)}, {"saturation", std::move(knees)},
          {"sentences", std::move(sentences)},  {"texts", std::move(texts)}};
}

}  // namespace ts::sweep
