#include "app/commands/spec_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/commands/report.h"
#include "app/own_file/own_file.h"
#include "app/session/catalogue.h"
#include "app/session/languages.h"
#include "app/session/machine_probes.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/spec/corpus.h"
#include "core/spec/own_model.h"
#include "core/spec/presets.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

// Joins words by commas and wraps them to the width of a terminal.
std::string wrapped(std::string head, const std::vector<std::string>& words) {
  constexpr std::size_t kColumns = 100;
  std::string all = std::move(head);
  std::size_t column = all.size();
  for (const std::string& one : words) {
    const std::string word = " " + one + (&one == &words.back() ? "" : ",");
    if (column + word.size() > kColumns) {
      all += "\n   ";
      column = 3;
    }
    all += word;
    column += word.size();
  }
  return all + "\n";
}

std::string preset_names(spec::WorkloadKind workload) {
  std::string names;
  for (const spec::Preset& preset : spec::presets()) {
    if (preset.workload == workload) names += (names.empty() ? "" : ", ") + std::string(preset.id);
  }
  return names;
}

base::Result<void> choose_preset(const std::string& id, spec::WorkloadSpec& spec) {
  if (id.empty()) {
    spec::choose_workload(spec.workload, spec);
    return {};
  }
  if (spec::apply_presets(id, spec)) return {};
  return base::fail("There is no preset \"" + id + "\" for " + to_string(spec.workload) +
                    "; there are " + preset_names(spec.workload));
}

base::Result<spec::WorkloadSpec> read_spec(const std::filesystem::path& path) {
  TS_TRY(const auto json, io::read_json(path));
  // run.json of an earlier run has its specification under "spec". Both forms are accepted.
  const bool whole_run = json.is_object() && json.contains("spec");
  auto spec = spec::spec_from_json(whole_run ? json.at("spec") : json);
  if (!spec) return base::fail(path.string() + ": " + spec.error().sentence);
  return spec;
}

base::Result<void> apply(const std::vector<std::string>& settings, const char* option,
                         spec::WorkloadSpec& spec) {
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return base::fail(std::string(option) + " needs KEY=VALUE, not \"" + setting + "\"");
    }
    if (auto set = spec::set_setting(spec, setting); !set) return base::fail(set.error().sentence);
  }
  return {};
}

// The card of this machine as the target, if it has one of the catalogue.
void choose_own_card(const spec::GpuCatalogue& catalogue, spec::WorkloadSpec& spec) {
  const std::vector<std::string> cards = cuda_card_names();
  const auto index = static_cast<std::size_t>(spec.device_index);
  if (index >= cards.size()) return;
  if (const auto own = catalogue.require(cards[index])) spec.target_gpu = (*own)->name;
}

// Validates the specification and writes the card's name as in the catalogue.
base::Result<spec::WorkloadSpec> checked(spec::WorkloadSpec spec,
                                         const spec::GpuCatalogue& catalogue) {
  const auto card = catalogue.require(spec.target_gpu);
  if (!card) return base::fail(card.error().sentence);
  spec.target_gpu = (*card)->name;
  if (const auto problems = spec::validate(spec); !problems.empty()) {
    return base::fail(problems.front().sentence);
  }
  if (base::Message problem = spec::corpus_problem(spec); !problem.empty()) {
    return tl::unexpected<base::Error>(std::move(problem));
  }
  return spec;
}

}  // namespace

// Adds the workload, whose settings are changed. It comes before the command's own options.
void add_workload(CLI::App& command, SpecArguments& spec) {
  command
      .add_option("WORKLOAD", spec.workload,
                  fmt::format("{}", fmt::join(spec::field_choices(spec::Field::workload), ", ")))
      ->option_text(" ");
}

void add_spec_options(CLI::App& command, SpecArguments& spec) {
  command
      .add_option("--preset", spec.presets,
                  "Start from a named shape, such as small or lab3; A+B takes A, then B")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option("--model", spec.model,
                  "Run the module of a .pt2 file of torch.export, the language model of a "
                  "config.json of transformers, or (run and predict) the function build() of a "
                  "Python file: FILE.py or FILE.py:NAME")
      ->type_name("FILE");
  command.add_option("--set", spec.settings, "Change one setting; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--spec", spec.spec_file, "Read the whole specification from a JSON file")
      ->type_name("FILE");
}

void add_parts(CLI::App& command, std::string& parts) {
  command
      .add_option("--parts", parts,
                  "What --out writes beside the result: any of " + parts + ", or none")
      ->type_name("LIST")
      ->needs("--out");
}

base::Result<SaveParts> parts_from(const std::string& names, bool written,
                                   std::span<const SavePart> known) {
  auto parts = SaveParts::parse(names, known);
  if (!parts || !written || !parts->has(SavePart::pictures)) return parts;
  const Probe renderer = probe_software_gl();
  if (renderer.works) return parts;
  const std::string why =
      "Pictures cannot be rendered: " + renderer.found + " (install libosmesa6)";
  if (parts != SaveParts(known)) return base::fail(why);
  note({why});
  parts->set(SavePart::pictures, false);
  return parts;
}

std::string presets_help() {
  std::vector<std::pair<spec::WorkloadKind, std::vector<std::string>>> workloads;
  for (const spec::Preset& preset : spec::presets()) {
    if (workloads.empty() || workloads.back().first != preset.workload)
      workloads.push_back({preset.workload, {}});
    workloads.back().second.emplace_back(preset.id);
  }
  std::string help = "Presets of --preset:\n";
  for (const auto& [workload, names] : workloads)
    help += wrapped("  " + std::string(to_string(workload)) + ":", names);
  return help + "\n";
}

std::string cards_help() {
  std::vector<std::string> names;
  const spec::GpuCatalogue catalogue = built_in_gpus();
  for (const spec::Gpu& card : catalogue.gpus()) names.push_back(card.name);
  names.emplace_back("or \"custom 24GiB 1008GB/s fp32=82.6 cc=8.9\"");
  return wrapped("Cards of --gpu:", names) + "\n";
}

base::Result<spec::WorkloadSpec> changed_spec(const spec::WorkloadSpec& base,
                                              const std::vector<std::string>& settings,
                                              const char* option,
                                              const spec::GpuCatalogue& catalogue) {
  spec::WorkloadSpec spec = base;
  TS_TRY_DONE(apply(settings, option, spec));
  return checked(std::move(spec), catalogue);
}

std::string optimizer_state_text(const spec::WorkloadSpec& spec) {
  if (!spec::field_applies(spec, spec::Field::optimizer_state)) return {};
  const std::string type = to_string(spec.dtype);
  switch (spec.optimizer_state) {
    case spec::OptimizerState::parameter:
      return type +
             " as the parameters, as PyTorch's optimizers keep it; --set "
             "optimizer_state=fp32 or fp32+master: as trainers in mixed precision do";
    case spec::OptimizerState::fp32:
      return "fp32 moments beside " + type +
             " parameters; --set optimizer_state=parameter: as PyTorch's optimizers keep them, "
             "fp32+master: with master weights";
    case spec::OptimizerState::fp32_master:
      return "fp32 moments and master weights beside " + type + " parameters";
  }
  return {};
}

std::vector<std::string> without_effect(const std::vector<std::string>& settings,
                                        const spec::WorkloadSpec& spec) {
  std::vector<std::string> sentences;
  for (const std::string& setting : settings) {
    const std::string name = setting.substr(0, setting.find('='));
    for (const spec::FieldRow& row : spec::field_rows()) {
      const std::string reason = row.name == name ? spec::field_reason(spec, row.field) : "";
      if (reason.empty() ||
          spec::field_text(spec, row.field) == spec::field_text(spec::WorkloadSpec{}, row.field)) {
        continue;
      }
      // The texts are loaded only when there is something to report.
      sentences.push_back(name + " has no effect here: " + built_in_texts()(reason));
    }
  }
  return sentences;
}

base::Result<spec::WorkloadSpec> spec_from_arguments(const SpecArguments& arguments,
                                                     const spec::GpuCatalogue& catalogue) {
  spec::WorkloadSpec spec;
  if (arguments.presets.size() > 1) {
    return base::fail(
        "Only one --preset gives the shape; a second one names a sweep of the course");
  }
  if (arguments.spec_file) {
    if (!arguments.presets.empty()) return base::fail("--preset and --spec exclude each other");
    auto read = read_spec(*arguments.spec_file);
    if (!read) return read;
    spec = *read;
  }
  if (!arguments.workload.empty()) {
    if (auto set = spec::set_field(spec, "workload", arguments.workload); !set) {
      return base::fail(set.error().sentence);
    }
  }
  if (!arguments.model.empty()) {
    if (!arguments.presets.empty() || !arguments.workload.empty()) {
      return base::fail("--model takes neither a workload nor --preset");
    }
    if (const auto python = own_file_of(arguments.model)) {
      return text::fail("own_file.not_here", {{"file", python->path.filename().string()}});
    }
    const auto path = io::absolute_path(arguments.model);
    if (!path) return base::fail(path.error().sentence);
    TS_TRY_DONE(spec::choose_model(path->string(), spec));
  } else if (!arguments.spec_file) {
    const std::string id = arguments.presets.empty() ? "" : arguments.presets.front();
    if (auto chosen = choose_preset(id, spec); !chosen) {
      return base::fail(chosen.error().sentence);
    }
  }
  const bool names_card =
      arguments.spec_file || std::ranges::any_of(arguments.settings, [](const auto& one) {
        return one.starts_with("target_gpu=");
      });
  auto changed = changed_spec(spec, arguments.settings, "--set", catalogue);
  if (changed && changed->device == spec::DeviceKind::cuda && !names_card)
    choose_own_card(catalogue, *changed);
  return changed;
}

}  // namespace ts::app
