#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/spec/gpu_catalogue.h"
#include "core/spec/workload_spec.h"

namespace CLI {
class App;
}

namespace ts::app {

struct SpecArguments {
  std::string workload;  // empty: attention
  std::string preset;    // empty: the workload's first
  std::optional<std::filesystem::path> spec_file;
  std::vector<std::string> settings;  // "key=value", applied last, in order
};

// WORKLOAD, and what changes its settings.
void add_workload(CLI::App& command, SpecArguments& spec);
void add_spec_options(CLI::App& command, SpecArguments& spec);
// The lists at the end of --help.
std::string presets_help();
std::string cards_help();

// The specification the arguments describe: the workload's preset, then --spec, then every --set,
// checked by run::validate and against the catalogue. The sentence names the argument at fault.
base::Result<spec::WorkloadSpec> spec_from_arguments(const SpecArguments& arguments,
                                                     const spec::GpuCatalogue& catalogue);

// The specification with these "key=value" of an option of the command line, checked in the same
// way.
base::Result<spec::WorkloadSpec> changed_spec(const spec::WorkloadSpec& base,
                                              const std::vector<std::string>& settings,
                                              const char* option,
                                              const spec::GpuCatalogue& catalogue);

// Of these "key=value" settings those that change nothing for a specification, each as a sentence
// with the reason. Setting what is the default anyway is no mistake.
std::vector<std::string> without_effect(const std::vector<std::string>& settings,
                                        const spec::WorkloadSpec& spec);

}  // namespace ts::app
