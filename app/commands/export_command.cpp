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
int export_file(const ExportCommand& command) {
  const auto file = own_file_of(command.file);
  if (!file)
    return report(
        "export takes FILE.py, FILE.py:FUNCTION, or FILE.json:transformers for the config of a "
        "model, not " +
            command.file,
        2);
  const auto question = own_question(*file, command.spec, command.own);
  if (!question) return report(question.error(), 2);
  const auto out = io::absolute_path(command.out);
  if (!out) return report(out.error(), 2);
  std::error_code ignored;
  if (std::filesystem::equivalent(file->path, *out, ignored))
    return report(text::message("file_error.same", {{"path", file->path.string()}}), 2);
  if (const auto why = io::reason_no_file(*out)) {
    return report(text::message("file_error.write",
                                {{"path", out->string()}, text::argument("reason", *why)}),
                  2);
  }
  const auto made = ask_own(*question, [&](OwnProcess& process, const base::CancelToken& cancel) {
    return export_own(process, *question, *out, cancel);
  });
  if (!made) return report_own(made.error());
  std::printf("%s\n", text::printable(made->about).c_str());
  if (!made->kept.empty()) note({made->kept.sentence});
  std::fprintf(stderr, "Wrote %s\n", text::printable(out->string()).c_str());
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
