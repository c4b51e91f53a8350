#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/predict/hunt.h"
#include "core/predict/outlook.h"
#include "core/predict/outlook_search.h"
#include "core/spec/gpu_catalogue.h"

// What the commands predict and hunt, and the steps of lessons, ask of dry runs. Any thread.
namespace ts::app {

// The card of a specification, which the catalogue has, or this machine's CPU under its limit.
predict::PredictionTarget target_of_spec(const spec::WorkloadSpec& spec, bool cpu,
                                         const spec::GpuCatalogue& catalogue);

struct CardAnswer {
  predict::Forecast now;
  double predict_ms = 0;                  // of the allocator's model
  std::vector<predict::Remedy> remedies;  // when it does not fit
};
// The error is what cannot be told of this specification; the machine has no part in it.
base::Result<CardAnswer> ask_card(predict::DryRunner& runner, base::StringTable& strings,
                                  const spec::WorkloadSpec& spec,
                                  const predict::PredictionTarget& target,
                                  const base::CancelToken& cancel);
// The document of tensorscope predict --json.
nlohmann::json to_json(const CardAnswer& answer, const spec::WorkloadSpec& spec);
// Settings that a change sets, as --set takes them.
std::vector<std::string> changed_settings(const spec::WorkloadSpec& before,
                                          const spec::WorkloadSpec& after);

// Dry run and allocator's model of one size, as ask_card asks them. All outlive the probe.
predict::Probe probe_on(predict::DryRunner& runner, const predict::PredictionTarget& target,
                        const predict::CudaScratch& scratch);
// The edge along an axis, and what fits again above it.
base::Result<predict::EdgeHunt> find_edge(const spec::WorkloadSpec& spec,
                                          const predict::HuntAxis& axis, const std::string& target,
                                          const predict::Probe& probe,
                                          const base::CancelToken& cancel);
// The document of tensorscope hunt --json along one axis.
nlohmann::json edge_json(const predict::EdgeHunt& hunt, const spec::WorkloadSpec& spec,
                         const predict::HuntAxis& axis, const predict::PredictionTarget& target);
nlohmann::json target_json(const predict::PredictionTarget& target);

}  // namespace ts::app
