#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "app/commands/command_line.h"
#include "app/commands/own_commands.h"
#include "core/text/message.h"
#include "core/text/printable.h"

namespace ts::app {
namespace {

struct ExportCommand {
  std::string file;
  SpecArguments spec;
  OwnOptions own;
  std::filesystem::path out;
};

// Writes the module of a Python file for --model. Returns 1 where torch.export cannot.
Exit export_file(const ExportCommand& command) {
  const auto file = own_file_of(command.file);
  if (!file)
    return base::fail(
        "export takes FILE.py, FILE.py:FUNCTION, or FILE.json:transformers for the config of a "
        "model, not " +
        command.file);
  TS_TRY(const auto question, own_question(*file, command.spec, command.own));
  TS_TRY(const auto out, io::absolute_path(command.out));
  std::error_code ignored;
  if (std::filesystem::equivalent(file->path, out, ignored))
    return text::fail("file_error.same", {{"path", file->path.string()}});
  if (const auto why = io::reason_no_file(out)) {
    return text::fail("file_error.write", {{"path", out.string()}, text::argument("reason", *why)});
  }
  TS_TRY(const auto made,
         ask_own(question, [&](OwnProcess& process, const base::CancelToken& cancel) {
           return export_own(process, question, out, cancel);
         }));
  std::printf("%s\n", text::printable(made.about).c_str());
  if (!made.kept.empty()) note({made.kept.sentence});
  print_written(out);
  return 0;
}

}  // namespace

ParsedCommand export_command(CLI::App& app) {
  const auto options = std::make_shared<ExportCommand>();
  app.add_option("FILE", options->file,
                 "Python file with def build(B, T, device, ...): return step; FILE.py:NAME takes "
                 "another function, config.json:transformers the model of a config")
      ->option_text(" ")
      ->required();
  app.add_option("-o,--out", options->out, "The .pt2 to write")->type_name("FILE")->required();
  app.add_option("--set", options->spec.settings, "Change one argument; may be given several times")
      ->type_name("ARGUMENT=VALUE")
      ->allow_extra_args(false);
  add_own_options(app, options->own);
  return parsed_command(options, export_file);
}

}  // namespace ts::app
