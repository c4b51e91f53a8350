#include "app/commands/command_line.h"

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "app/output/file_question.h"

namespace ts::app {
namespace {

constexpr const char* kVersion = "tensorscope " TENSORSCOPE_VERSION;

// CLI11 appends a list of every problem; the first line says what is wrong.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// The first option or argument that was given as "": a variable of a shell without a value.
std::string empty_option(const CLI::App& app) {
  for (const CLI::Option* const option : app.get_options())
    for (const std::string& value : option->results())
      if (value.empty()) return option->get_name();
  for (const CLI::App* const command : app.get_subcommands())
    if (std::string name = empty_option(*command); !name.empty()) return name;
  return {};
}

}  // namespace

base::Result<ParsedCommand> parse_command_line(int argc, const char* const* argv) {
  CLI::App app{"Interactive profiler for attention, MLP and transformer workloads", "tensorscope"};
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(0, 1);
  app.footer(
      "Without a command: the window. Exit codes: 0 ok, 1 the run failed or ran out of "
      "memory, 2 bad input.");
  ParsedCommand window = window_command(app);
  std::vector<std::pair<const CLI::App*, ParsedCommand>> commands;
  const auto add = [&](const char* name, const char* help, ParsedCommand (*make)(CLI::App&)) {
    CLI::App* const command = app.add_subcommand(name, help);
    commands.emplace_back(command, make(*command));
  };
#define TENSORSCOPE_ADD(name, help) add(#name, help, name##_command);
  TENSORSCOPE_COMMANDS(TENSORSCOPE_ADD)
#undef TENSORSCOPE_ADD
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return ParsedCommand{{}, {}, app.help()};
  } catch (const CLI::CallForVersion&) {
    return ParsedCommand{{}, {}, std::string(kVersion) + "\n"};
  } catch (const CLI::ParseError& error) {
    const auto given = app.get_subcommands();
    const std::string command = given.empty() ? "" : " " + given.front()->get_name();
    return base::fail(first_line(error.what()) + ". Try tensorscope" + command + " --help");
  }
  if (const std::string name = empty_option(app); !name.empty())
    return base::fail(name + " is empty: give it a value or leave it out");
  for (auto& [command, parsed] : commands) {
    if (command->parsed()) return std::move(parsed);
  }
  return window;
}

void add_format(CLI::App& app, std::string& format) {
  app.add_option("--format", format, "md, csv, tex or json")
      ->check(CLI::IsMember({"md", "csv", "tex", "json"}));
}

void add_language(CLI::App& app, std::string& language) {
  app.add_option("--lang", language, "en, zh-CN or zh-TW");
}

void add_out_file(CLI::App& app, std::filesystem::path& out) {
  app.add_option("--out", out, "Write to this file, instead of standard output")->type_name("FILE");
}

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "Print one JSON document on standard output");
}

void add_listed(CLI::App& app, const char* name, std::string& value,
                std::vector<std::string>& numbers) {
  app.add_option(name, value, "Which one; without it all are listed")->option_text(" ");
  app.add_option("NAME=NUMBER", numbers, "Numbers that differ from the listed ones")
      ->option_text("...");
}

void add_part_options(CLI::App& app, PartOptions& options) {
  app.add_option("--stream", options.stream,
                 "Of a snapshot: only what was allocated in this stream of CUDA")
      ->type_name("N");
  app.add_option("--pool", options.pool,
                 "Of a snapshot: only what is in this pool: default, or FIRST,SECOND of a private "
                 "one, such as 0,3 of a CUDA graph")
      ->type_name("NAME");
  app.add_option("--from", options.from,
                 "Of a snapshot or trace: only events from this number on, or from this time after "
                 "the first one, such as 2.5s or 500ms; others are left out while the file is read")
      ->type_name("EVENT");
  app.add_option("--to", options.to, "Only events before this number or time")->type_name("EVENT");
}

}  // namespace ts::app
