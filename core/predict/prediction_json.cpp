#include "core/predict/prediction_json.h"

#include <nlohmann/json.hpp>

#include "core/report/run_json.h"
#include "core/text/message.h"

namespace ts::predict {

namespace {

nlohmann::json breaking_json(const Prediction& prediction) {
  if (!prediction.breaking) return nullptr;
  const BreakingAllocation& breaking = *prediction.breaking;
  return {{"operator", breaking.op},          {"module", breaking.module}, {"step", breaking.step},
          {"event", breaking.event},          {"bytes", breaking.bytes},   {"free", breaking.free},
          {"fragmented", breaking.fragmented}};
}

}  // namespace

nlohmann::json to_json(const Forecast& forecast, const spec::WorkloadSpec& spec) {
  const Prediction& prediction = forecast.prediction;
  const PredictionTarget& target = forecast.target;
  auto backend =
      forecast.run.backend.empty() ? nlohmann::json() : nlohmann::json(forecast.run.backend);
  return {
      {"spec", spec::to_json(spec)},
      {"target",
       {{"name", target.name},
        {"memory", target.memory},
        {"context", target.context},
        {"multiprocessors",
         target.card ? nlohmann::json(target.multiprocessors) : nlohmann::json()},
        {"multiprocessors_assumed", target.card && target.card->multiprocessors == 0},
        {"capacity", target.capacity()}}},
      {"alloc_conf", allocator_settings_of(spec).to_string()},
      {"parameters", forecast.run.parameters},
      {"trained_parameters", forecast.run.trained},
      {"backend", std::move(backend)},
      {"types", report::types_json(forecast.run.types)},
      {"peak_allocated", prediction.peak_allocated},
      {"peak_first_step",
       prediction.first_step ? nlohmann::json(*prediction.first_step) : nlohmann::json()},
      {"before_backward",
       prediction.before_backward ? nlohmann::json(*prediction.before_backward) : nlohmann::json()},
      {"growth_per_step", prediction.growth},
      {"peak_reserved", prediction.peak_reserved},
      {"peak_requested", prediction.peak_requested},
      {"by_category", report::category_json(prediction.by_category)},
      {"workspaces", prediction.workspaces},
      {"scratch", {{"low", prediction.scratch_low}, {"high", prediction.scratch_high}}},
      {"chain",
       {{"tensors", prediction.chain.tensors},
        {"rounding", prediction.chain.rounding},
        {"workspaces", prediction.chain.workspaces},
        {"cached", prediction.chain.cached},
        {"context", prediction.chain.context}}},
      {"apart", forecast.run.apart_bytes},
      {"needed", prediction.needed},
      {"headroom", prediction.headroom},
      {"verdict", to_string(prediction.fit)},
      {"retries", prediction.retries},
      {"breaking", breaking_json(prediction)},
      {"sentence", prediction.sentence.sentence},
      {"text", text::text_json(prediction.sentence)},
      {"unchecked", prediction.unchecked.empty() ? nlohmann::json()
                                                 : nlohmann::json(prediction.unchecked.sentence)},
      {"dry_run_ms", static_cast<double>(forecast.run.duration_ns) * 1e-6},
      {"events", forecast.run.log.events().size()}};
}

}  // namespace ts::predict
