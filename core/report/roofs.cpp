#include "core/report/roofs.h"

#include <nlohmann/json.hpp>

#include "core/report/efficiency.h"
#include "core/spec/workload_math.h"

namespace ts::report {

Roofs roofs_of_card(const spec::Gpu& card, spec::DataType type) {
  return {card.name + ", " + to_string(type) + ", dense", peak_tflops(card, type).value_or(0),
          card.bandwidth_gb_s};
}

Roofs roofs_of_run(const run::Run& run) {
  if (run.spec.device == spec::DeviceKind::cuda && run.card) {
    const Roofs roofs = roofs_of_card(*run.card, spec::compute_type(run.spec));
    if (roofs.tflops > 0) return roofs;
  }
  if (!run.roof) return {};
  const std::string size = std::to_string(run.roof->size);
  return {size + " x " + size + " product in " + to_string(run.roof->dtype) + " and copy, measured",
          run.roof->tflops, run.roof->gb_s};
}

nlohmann::json to_json(const Roofs& roofs) {
  if (!roofs.known()) return nullptr;
  return {{"source", roofs.source}, {"tflops", roofs.tflops}, {"gb_s", roofs.gb_s}};
}

Roofs roofs_from_json(const nlohmann::json& json) {
  if (json.is_null()) return {};
  return {json.at("source").get<std::string>(), json.at("tflops").get<double>(),
          json.at("gb_s").get<double>()};
}

}  // namespace ts::report
