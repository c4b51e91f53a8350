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

// Questions for dry runs, used by the commands predict and hunt and by lesson steps. Any thread.
namespace ts::app {

// The card of a specification (it must be in the catalogue), or this machine's CPU under its limit.
predict::PredictionTarget target_of_spec(const spec::WorkloadSpec& spec, bool cpu,
                                         const spec::GpuCatalogue& catalogue);

struct CardAnswer {
  predict::Forecast now;
  double predict_ms = 0;                  // time of the allocator's model
  std::vector<predict::Remedy> remedies;  // when it does not fit
};
// The error: what cannot be predicted for this specification. The machine has no influence on it.
base::Result<CardAnswer> ask_card(predict::DryRunner& runner, base::StringTable& strings,
                                  const spec::WorkloadSpec& spec,
                                  const predict::PredictionTarget& target,
                                  const base::CancelToken& cancel);
// The types in which a step computes on CUDA, as in ExecutionFacts. Empty if that cannot be
// predicted.
std::vector<run::NamedType> types_on_card(const predict::DryRunnerLoader& loader,
                                          base::StringTable& strings,
                                          const spec::WorkloadSpec& spec);
// The document of tensorscope predict --json.
nlohmann::json to_json(const CardAnswer& answer, const spec::WorkloadSpec& spec);
// The settings that a change sets, in the form of --set.
std::vector<std::string> changed_settings(const spec::WorkloadSpec& before,
                                          const spec::WorkloadSpec& after);

// A dry run and the allocator's model for one size, as in ask_card. All arguments outlive the
// probe.
predict::Probe probe_on(predict::DryRunner& runner, const predict::PredictionTarget& target,
                        const predict::CudaScratch& scratch);
// Finds the edge along an axis, and what fits again above it.
base::Result<predict::EdgeHunt> find_edge(const spec::WorkloadSpec& spec,
                                          const predict::HuntAxis& axis, const std::string& target,
                                          const predict::Probe& probe,
                                          const base::CancelToken& cancel);
// The document of tensorscope hunt --json along one axis.
nlohmann::json edge_json(const predict::EdgeHunt& hunt, const spec::WorkloadSpec& spec,
                         const predict::HuntAxis& axis, const predict::PredictionTarget& target);
nlohmann::json target_json(const predict::PredictionTarget& target);

}  // namespace ts::app
