#pragma once

#include <string>
#include <vector>

#include "app/command_line.h"
#include "core/run/gpu_catalogue.h"
#include "core/run/workload_spec.h"

namespace ts::app {

// The specification the arguments describe: the workload's preset, then --spec, then every --set,
// checked by run::validate and against the catalogue. The sentence names the argument at fault.
base::Result<run::WorkloadSpec> spec_from_arguments(const SpecArguments& arguments,
                                                    const run::GpuCatalogue& catalogue);

// The specification with these "key=value" of an option of the command line, checked in the same
// way.
base::Result<run::WorkloadSpec> changed_spec(const run::WorkloadSpec& base,
                                             const std::vector<std::string>& settings,
                                             const char* option,
                                             const run::GpuCatalogue& catalogue);

// Of these "key=value" settings those that change nothing for a specification, each as a sentence
// with the reason. Setting what is the default anyway is no mistake.
std::vector<std::string> without_effect(const std::vector<std::string>& settings,
                                        const run::WorkloadSpec& spec);

}  // namespace ts::app
