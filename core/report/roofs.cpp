#include "core/report/roofs.h"

#include <nlohmann/json.hpp>

#include "core/report/efficiency.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traffic.h"
#include "core/text/message.h"

namespace ts::report {
namespace {

constexpr const char* kMeasured = "roof.measured";

}  // namespace

Roofs roofs_of_card(const spec::Gpu& card, spec::DataType type) {
  return {text::message("roof.card", {{"card", card.name}, {"dtype", to_string(type)}}),
          peak_tflops(card, type).value_or(0), card.bandwidth_gb_s};
}

Roofs roofs_of_run(const run::Run& run) {
  if (run.spec.device == spec::DeviceKind::cuda && run.card) {
    const Roofs roofs = roofs_of_card(*run.card, spec::compute_type(run.spec));
    if (roofs.tflops > 0) return roofs;
  }
  if (!run.roof) return {};
  return {text::message(kMeasured, {{"size", std::to_string(run.roof->size)},
                                    {"dtype", to_string(run.roof->dtype)}}),
          run.roof->tflops, run.roof->gb_s};
}

bool are_measured(const Roofs& roofs) {
  return roofs.source.key.empty() ? roofs.source.sentence.ends_with("measured")
                                  : roofs.source.key == kMeasured;
}

std::optional<StepLimits> step_limits(const run::Run& run) {
  const Roofs roofs = roofs_of_run(run);
  const double median_ms = run.timing().median_ms;
  if (roofs.gb_s <= 0 || roofs.tflops <= 0 || median_ms <= 0) return std::nullopt;
  const auto backend = run.facts.backend_ran.empty()
                           ? run.spec.backend
                           : spec::backend_for_formulas(run.facts.backend_ran);
  StepLimits limits;
  limits.bytes = spec::step_traffic(run.spec, backend);
  limits.flops = run.flops();
  if (limits.bytes <= 0 || limits.flops <= 0) return std::nullopt;
  limits.intensity = limits.flops / limits.bytes;
  limits.ridge = roofs.tflops * 1e3 / roofs.gb_s;
  limits.compute_percent = 100 * limits.flops * 1e-9 / median_ms / roofs.tflops;
  limits.bandwidth_percent = 100 * limits.bytes * 1e-6 / median_ms / roofs.gb_s;
  return limits;
}

nlohmann::json to_json(const std::optional<StepLimits>& limits) {
  if (!limits) return nullptr;
  return {{"flops", limits->flops},
          {"bytes", limits->bytes},
          {"intensity", limits->intensity},
          {"ridge", limits->ridge},
          {"compute_percent", limits->compute_percent},
          {"bandwidth_percent", limits->bandwidth_percent}};
}

nlohmann::json to_json(const Roofs& roofs) {
  if (!roofs.known()) return nullptr;
  return {{"source", roofs.source.sentence},
          {"source_text", text::text_json(roofs.source)},
          {"tflops", roofs.tflops},
          {"gb_s", roofs.gb_s}};
}

Roofs roofs_from_json(const nlohmann::json& json) {
  if (json.is_null()) return {};
  return {text::message_from_json(json.at("source").get<std::string>(),
                                  json.value("source_text", nlohmann::json())),
          json.at("tflops").get<double>(), json.at("gb_s").get<double>()};
}

}  // namespace ts::report
