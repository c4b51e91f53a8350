#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/advice/tree_evidence.h"
#include "core/predict/dry_run.h"
#include "core/predict/outlook.h"
#include "core/spec/gpu_catalogue.h"

// Where the evidence of a decision tree comes from. Main thread.
namespace ts::app {

// A document of a tree and its source, as core/advice/tree_evidence.h names it.
struct EvidenceFile {
  std::string source;
  nlohmann::json document;
};
// A folder of a saved run, prediction, sweep or comparison, what a command printed with --json, a
// recording, or a trace of torch.profiler. The error is one sentence.
base::Result<EvidenceFile> read_evidence(const std::filesystem::path& path);

// Predicts the settings of the evidence, and the same with naive and with flash attention, on the
// card of the settings or, with device cpu, for this machine.
void add_predictions(advice::Evidence& evidence, predict::DryRunner& runner,
                     const spec::GpuCatalogue& catalogue);

// "attention --set T=1024": the settings as arguments of a command.
std::string settings_command(const spec::WorkloadSpec& spec);

}  // namespace ts::app
