#include "core/sweep/sweep_theory.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/run/worker.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traffic.h"
#include "core/text/message.h"

namespace ts::sweep {
namespace {

// The roofs that runs reported.
std::map<run::RoofKey, report::Roofs> measured_roofs(const Sweep& sweep) {
  std::map<run::RoofKey, report::Roofs> measured;
  for (const SweepPoint& point : sweep.points()) {
    if (point.measurement.roofs.known()) {
      measured.emplace(run::roof_key(point.spec), point.measurement.roofs);
    }
  }
  return measured;
}

report::Roofs roofs_of_point(const SweepPoint& point,
                             const std::map<run::RoofKey, report::Roofs>& measured) {
  if (point.measurement.roofs.known()) return point.measurement.roofs;
  if (point.prediction.roofs.known()) return point.prediction.roofs;
  const auto found = measured.find(run::roof_key(point.spec));
  return found == measured.end() ? report::Roofs{} : found->second;
}

nlohmann::json positive(double value) {
  return value > 0 ? nlohmann::json(value) : nlohmann::json();
}

std::optional<PointTheory> theory_of_point(const SweepPoint& point,
                                           const std::map<run::RoofKey, report::Roofs>& measured) {
  if (point.status == PointStatus::failed && !point.measured) return std::nullopt;
  PointTheory out;
  out.roofs = roofs_of_point(point, measured);
  if (!out.roofs.known()) return std::nullopt;
  const std::string& ran = point.measurement.backend_ran;
  const spec::AttentionBackend backend =
      ran.empty() ? point.spec.backend : spec::backend_for_formulas(ran);
  out.flops = spec::step_flops(point.spec, backend).total();
  out.bytes = spec::step_traffic(point.spec, backend);
  if (!(out.flops > 0) || !(out.bytes > 0)) return std::nullopt;
  if (out.roofs.tflops > 0) out.compute_ms = out.flops / out.roofs.tflops * 1e-9;
  if (out.roofs.gb_s > 0) out.memory_ms = out.bytes / out.roofs.gb_s * 1e-6;
  return out;
}

}  // namespace

std::optional<PointTheory> theory_of(const Sweep& sweep, std::size_t index) {
  return theory_of_point(sweep.points()[index], measured_roofs(sweep));
}

std::vector<std::optional<PointTheory>> theories_of(const Sweep& sweep) {
  const auto measured = measured_roofs(sweep);
  std::vector<std::optional<PointTheory>> all;
  for (const SweepPoint& point : sweep.points()) all.push_back(theory_of_point(point, measured));
  return all;
}

base::Message beaten_bound(const std::optional<PointTheory>& theory, const SweepPoint& point) {
  const double ms = point.measurement.step.median_ms;
  if (!theory || point.status != PointStatus::ok || !(ms > 0)) return {};
  const bool measured = are_measured(theory->roofs);
  if (ms < theory->compute_ms)
    return text::message(measured ? "sweep.beaten.product" : "sweep.beaten.card");
  if (ms >= theory->memory_ms) return {};
  return text::message(measured ? "sweep.beaten.copy" : "sweep.beaten.cache");
}

std::vector<BeatenBound> beaten_bounds(const Sweep& sweep,
                                       std::span<const std::optional<PointTheory>> theories) {
  std::vector<BeatenBound> all;
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    base::Message why = beaten_bound(theories[i], sweep.points()[i]);
    if (why.key.empty()) continue;
    const auto known =
        std::ranges::find(all, why.key, [](const BeatenBound& one) { return one.why.key; });
    if (known == all.end()) {
      all.push_back({std::move(why), 1});
    } else {
      ++known->points;
    }
  }
  return all;
}

nlohmann::json theory_json(const std::optional<PointTheory>& theory) {
  if (!theory) return nullptr;
  return {{"flops", theory->flops},
          {"bytes", theory->bytes},
          {"compute_ms", positive(theory->compute_ms)},
          {"memory_ms", positive(theory->memory_ms)},
          {"peak_tflops", positive(theory->roofs.tflops)},
          {"bandwidth_gb_s", positive(theory->roofs.gb_s)},
          {"source", theory->roofs.source.sentence}};
}

std::vector<report::Roofs> roofs_of(std::span<const std::optional<PointTheory>> theories) {
  std::vector<report::Roofs> all;
  for (const auto& theory : theories) {
    if (theory && std::find(all.begin(), all.end(), theory->roofs) == all.end()) {
      all.push_back(theory->roofs);
    }
  }
  return all;
}

}  // namespace ts::sweep
