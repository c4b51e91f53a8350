#include "core/advice/lab_rule.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/calculate/calculator.h"
#include "core/spec/spec_fields.h"

namespace ts::advice {

LabRule lab_rule(std::int64_t memory, std::int64_t seq_len, bool large) {
  const auto calculator = calculate::calculator_from("recommended_batch");
  TS_CHECK(calculator.has_value());
  calculate::Values values(**calculator);
  // As the lab counts it, in whole GB of 1e9 bytes.
  const std::int64_t gigabytes = memory / 1'000'000'000;
  // A number beyond the calculator's range is in the same band as its end.
  const auto set = [&](std::string_view name, std::int64_t number) {
    for (std::size_t i = 0; i < values.inputs().size(); ++i) {
      const calculate::Input& input = values.inputs()[i];
      if (input.name != name) continue;
      TS_CHECK(values.set(i, std::clamp(number, input.least, input.most)).has_value());
    }
  };
  set("card_gb", gigabytes);
  set("T", seq_len);
  set("large", large ? 1 : 0);
  const std::vector<double> results = values.terms();
  LabRule rule;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string_view name = (*calculator)->terms[i].name;
    if (name == "batch_size") rule.batch = std::llround(results[i]);
    if (name == "accumulate") rule.accumulate = std::llround(results[i]);
    if (name == "checkpointing") rule.checkpoints = results[i] > 0;
  }
  return rule;
}

spec::WorkloadSpec with_lab_rule(const spec::WorkloadSpec& settings,
                                 const predict::PredictionTarget& target, bool large) {
  const LabRule rule = lab_rule(target.memory, settings.seq_len, large);
  spec::WorkloadSpec spec = settings;
  spec.device = target.kind;
  if (spec::field_applies(spec, spec::Field::B)) spec.batch = rule.batch;
  if (spec::field_applies(spec, spec::Field::accumulate)) spec.accumulate = rule.accumulate;
  spec.dtype = spec::DataType::fp32;
  spec.autocast = spec::Autocast::fp16;
  spec.grad_scaler = true;
  if (spec::field_applies(spec, spec::Field::backend)) {
    spec.backend = spec::AttentionBackend::flash;
  }
  if (spec::field_applies(spec, spec::Field::checkpoint)) {
    spec.checkpoint = rule.checkpoints ? spec::Checkpoint::blocks : spec::Checkpoint::off;
  }
  return spec;
}

}  // namespace ts::advice
