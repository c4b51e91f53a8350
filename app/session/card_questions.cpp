#include "app/session/card_questions.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/session/catalogue.h"
#include "core/base/clock.h"
#include "core/predict/prediction_json.h"
#include "core/spec/memory_limit.h"
#include "core/spec/spec_fields.h"

namespace ts::app {
namespace {

// Dry-runs each change that could make it fit.
void find_remedies(predict::DryRunner& runner, base::StringTable& strings,
                   const predict::OutlookRequest& request, const base::CancelToken& cancel,
                   CardAnswer& answer) {
  std::uint64_t id = 0;
  predict::OutlookSearch search(runner, strings, request, cancel, id);
  for (const predict::Change& change : predict::changes_for(request.spec, request.target.kind)) {
    if (auto remedy = search.remedy_of(change, answer.now)) answer.remedies.push_back(*remedy);
  }
}

nlohmann::json remedies_json(const CardAnswer& answer, const spec::WorkloadSpec& spec) {
  auto all = nlohmann::json::array();
  for (const predict::Remedy& remedy : answer.remedies) {
    all.push_back({{"change", to_string(remedy.kind)},
                   {"set", changed_settings(spec, remedy.spec)},
                   {"needed", remedy.needed},
                   {"verdict", to_string(remedy.fit)},
                   {"estimated_time_ratio",
                    remedy.time_ratio ? nlohmann::json(*remedy.time_ratio) : nlohmann::json()}});
  }
  return all;
}

nlohmann::json optional_json(const std::optional<std::int64_t>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace

predict::PredictionTarget target_of_spec(const spec::WorkloadSpec& spec, bool cpu,
                                         const spec::GpuCatalogue& catalogue) {
  const spec::Gpu& card = *catalogue.find(spec.target_gpu);
  if (!cpu) return predict::target_of(card, spec);
  const spec::MemoryLimit limit = spec::memory_limit(spec, card.memory_bytes);
  return predict::cpu_target(limit.source, limit.bytes);
}

std::vector<std::string> changed_settings(const spec::WorkloadSpec& before,
                                          const spec::WorkloadSpec& after) {
  std::vector<std::string> changed;
  for (const spec::FieldRow& row : spec::field_rows()) {
    const std::string now = spec::field_text(after, row.field);
    if (now != spec::field_text(before, row.field)) changed.push_back(row.name + ("=" + now));
  }
  return changed;
}

base::Result<CardAnswer> ask_card(predict::DryRunner& runner, base::StringTable& strings,
                                  const spec::WorkloadSpec& spec,
                                  const predict::PredictionTarget& target,
                                  const base::CancelToken& cancel) {
  auto dry = runner.dry_run(spec, predict::dry_run_options(target), strings, cancel);
  if (!dry) return tl::unexpected<base::Error>(dry.error());
  CardAnswer answer;
  answer.now.run = std::move(*dry);
  answer.now.target = target;
  const auto scratch = std::make_shared<const predict::CudaScratch>(built_in_scratch());
  const std::int64_t begin_ns = base::now_ns();
  answer.now.prediction = predict::predict(answer.now.run, strings, target,
                                           predict::allocator_settings_of(spec), scratch.get());
  answer.predict_ms = static_cast<double>(base::now_ns() - begin_ns) * 1e-6;
  if (answer.now.prediction.fit == predict::Fit::oom) {
    predict::OutlookRequest request;
    request.spec = spec;
    request.target = target;
    request.scratch = scratch;
    find_remedies(runner, strings, request, cancel, answer);
  }
  return answer;
}

std::vector<run::NamedType> types_on_card(const predict::DryRunnerLoader& loader,
                                          base::StringTable& strings,
                                          const spec::WorkloadSpec& spec) {
  const auto runner = loader ? loader() : base::fail("");
  if (!runner) return {};
  auto dry = (*runner)->dry_run(spec, {.steps = 1}, strings, {});
  return dry ? std::move(dry->types) : std::vector<run::NamedType>{};
}

nlohmann::json to_json(const CardAnswer& answer, const spec::WorkloadSpec& spec) {
  nlohmann::json json = predict::to_json(answer.now, spec);
  json["remedies"] = remedies_json(answer, spec);
  json["allocator_ms"] = answer.predict_ms;
  return json;
}

predict::Probe probe_on(predict::DryRunner& runner, const predict::PredictionTarget& target,
                        const predict::CudaScratch& scratch) {
  return [&](const spec::WorkloadSpec& spec) -> base::Result<predict::ProbeAnswer> {
    base::StringTable strings;
    auto dry = runner.dry_run(spec, predict::dry_run_options(target), strings, {});
    if (!dry) return tl::unexpected<base::Error>(dry.error());
    const predict::Prediction prediction =
        predict::predict(*dry, strings, target, predict::allocator_settings_of(spec), &scratch);
    return predict::answer_of(prediction, target);
  };
}

base::Result<predict::EdgeHunt> find_edge(const spec::WorkloadSpec& spec,
                                          const predict::HuntAxis& axis, const std::string& target,
                                          const predict::Probe& probe,
                                          const base::CancelToken& cancel) {
  auto hunt = predict::hunt_edge(spec, axis, target, probe, cancel);
  if (!hunt) return hunt;
  TS_TRY_DONE(predict::search_above(*hunt, spec, axis, target, probe, cancel));
  if (cancel.cancelled() && !hunt->cancelled) {
    hunt->sentence += ", by bisection; larger values were not all asked";
  }
  return hunt;
}

nlohmann::json target_json(const predict::PredictionTarget& target) {
  return {{"name", target.name}, {"memory", target.memory}, {"capacity", target.capacity()}};
}

nlohmann::json edge_json(const predict::EdgeHunt& hunt, const spec::WorkloadSpec& spec,
                         const predict::HuntAxis& axis, const predict::PredictionTarget& target) {
  auto probes = nlohmann::json::array();
  for (const predict::HuntProbe& one : hunt.probes) {
    probes.push_back({{"verdict", to_string(one.answer.fit)},
                      {"needed", one.answer.needed},
                      {"reason", one.answer.reason.sentence},
                      {"at", {{spec::field_name(axis.field), one.at[0]}}}});
  }
  auto again = nlohmann::json::array();
  for (const predict::EdgeHunt::Range& range : hunt.again)
    again.push_back({range.first, range.last});
  return {{"spec", to_json(spec)},
          {"target", target_json(target)},
          {"axis", spec::field_name(axis.field)},
          {"range", {axis.low, axis.high}},
          {"largest_that_fits", optional_json(hunt.largest())},
          {"every_up_to", optional_json(hunt.fits)},
          {"smallest_oom", optional_json(hunt.oom)},
          {"fits_again", std::move(again)},
          {"sampled", hunt.sampled},
          {"sentence", hunt.sentence},
          {"probes", std::move(probes)}};
}

}  // namespace ts::app
