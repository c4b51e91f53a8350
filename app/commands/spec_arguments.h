#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/output/save_parts.h"
#include "core/base/result.h"
#include "core/spec/gpu_catalogue.h"
#include "core/spec/workload_spec.h"

namespace CLI {
class App;
}

namespace ts::app {

struct SpecArguments {
  std::string workload;              // empty: attention
  std::vector<std::string> presets;  // none: the workload's first; two only where one is a sweep's
  std::string model;                 // a .pt2 file; empty: none
  std::optional<std::filesystem::path> spec_file;
  std::vector<std::string> settings;  // "key=value", applied last, in order
};

// Adds WORKLOAD, and the options that change its settings.
void add_workload(CLI::App& command, SpecArguments& spec);
void add_spec_options(CLI::App& command, SpecArguments& spec);
// Adds --parts, the choice of what --out writes (SaveParts); after --out.
void add_parts(CLI::App& command, std::string& parts);
// The choice of --parts. Where something is written, pictures that cannot be rendered on this
// machine are left out with a note, or are an error where only some parts are asked for.
base::Result<SaveParts> parts_from(const std::string& names, bool written,
                                   std::span<const SavePart> known = kSaveParts);
// The lists at the end of --help.
std::string presets_help();
std::string cards_help();

// The specification from the arguments: the workload's preset, then --spec, then every --set. On
// cuda the target card is that of this machine, if it has one of the catalogue and the arguments
// name none. Checked by run::validate and against the catalogue. The error names the argument at
// fault.
base::Result<spec::WorkloadSpec> spec_from_arguments(const SpecArguments& arguments,
                                                     const spec::GpuCatalogue& catalogue);

// `base` with these "key=value" settings of a command-line option, checked in the same way.
base::Result<spec::WorkloadSpec> changed_spec(const spec::WorkloadSpec& base,
                                              const std::vector<std::string>& settings,
                                              const char* option,
                                              const spec::GpuCatalogue& catalogue);

// The "key=value" settings that change nothing in a specification, each as a sentence with the
// reason. Setting a default value is no mistake.
std::vector<std::string> without_effect(const std::vector<std::string>& settings,
                                        const spec::WorkloadSpec& spec);

// The type of the optimizer's state beside 16-bit parameters, and what else there is; empty where
// the spec has no such choice.
std::string optimizer_state_text(const spec::WorkloadSpec& spec);

}  // namespace ts::app
