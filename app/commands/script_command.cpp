#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/commands/spec_arguments.h"
#include "app/session/catalogue.h"
#include "core/script/pytorch_script.h"

namespace ts::app {
namespace {

struct ScriptCommand {
  SpecArguments spec;
  std::filesystem::path out;
};

Exit write_script(const ScriptCommand& command) {
  const spec::GpuCatalogue catalogue = built_in_gpus();
  TS_TRY(const auto spec, spec_from_arguments(command.spec, catalogue));
  TS_TRY(const auto script, script::pytorch_script(spec));
  return print_or_write(script, command.out);
}

}  // namespace

ParsedCommand script_command(CLI::App& app) {
  const auto options = std::make_shared<ScriptCommand>();
  add_workload(app, options->spec);
  add_spec_options(app, options->spec);
  add_out_file(app, options->out);
  return parsed_command(options, write_script);
}

}  // namespace ts::app
