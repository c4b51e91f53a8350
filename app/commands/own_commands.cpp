#include "app/commands/own_commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/commands/run_command.h"
#include "app/output/output_folder.h"
#include "app/own_file/own_python.h"
#include "core/findings/script_findings.h"
#include "core/io/file.h"
#include "core/memory/first_step.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

constexpr int kSteps = 3;
constexpr const char* kRecording = "own.recording";
constexpr const char* kSummary = "run.json";

nlohmann::json times_json(const run::StepTimes& step) {
  const auto ms = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-6; };
  return {{"step_ms", ms(step.total_ns)},
          {"forward_ms", ms(step.forward_ns)},
          {"backward_ms", ms(step.backward_ns)},
          {"optimizer_ms", ms(step.optimizer_ns)}};
}

nlohmann::json run_json(const OwnQuestion& question, const run::Run& run,
                        const std::vector<report::CheckResult>& findings) {
  auto steps = nlohmann::json::array();
  for (const run::StepTimes& step : run.recorded_steps) steps.push_back(times_json(step));
  auto found = nlohmann::json::array();
  for (const report::CheckResult& one : findings)
    found.push_back({{"check", one.id}, {"found", one.found.sentence}});
  const auto first = memory::first_step(run.memory);
  return {{"own_file", own_json(question)},
          {"device", "cpu"},
          {"steps", std::move(steps)},
          {"peak_allocated", run.peak_allocated()},
          {"peak_first_step", first ? nlohmann::json(first->bytes) : nlohmann::json()},
          {"slices", run.trace.slice_count()},
          {"memory_events", run.memory.events().size()},
          {"dropped", run.dropped},
          {"findings", std::move(found)}};
}

void print_part_of(const run::Run& run, const char* title, std::int64_t run::StepTimes::*part) {
  std::string words;
  for (const run::StepTimes& step : run.recorded_steps) {
    words +=
        (words.empty() ? "" : ", ") + text::duration_ns(static_cast<double>(step.*part)).joined();
  }
  print_row(title, words);
}

void print_run(const OwnQuestion& question, const run::Run& run,
               const std::vector<report::CheckResult>& findings) {
  std::printf("%s ran on the CPU, recorded\n", text::printable(own_title(question)).c_str());
  print_part_of(run, "Steps", &run::StepTimes::total_ns);
  print_part_of(run, "  forward", &run::StepTimes::forward_ns);
  print_part_of(run, "  backward", &run::StepTimes::backward_ns);
  print_part_of(run, "  optimizer", &run::StepTimes::optimizer_ns);
  print_row("Peak allocated", size_in_words(run.peak_allocated()));
  if (const auto first = memory::first_step(run.memory)) {
    print_row("First step", size_in_words(first->bytes) + " at most");
  }
  print_row(
      "Recorded",
      text::counted(static_cast<std::int64_t>(run.trace.slice_count()), "slice") + ", " +
          text::counted(static_cast<std::int64_t>(run.memory.events().size()), "memory event") +
          ", " + text::grouped(static_cast<std::int64_t>(run.dropped)) + " dropped");
  for (const report::CheckResult& one : findings)
    print_row(one.id, text::printable(one.found.sentence));
}

base::Result<void> write_own_run(const std::filesystem::path& folder, const OwnRecording& recording,
                                 const nlohmann::json& document) {
  if (auto made = io::make_folder(folder); !made) return made;
  if (auto written = io::write_file(folder / kRecording, recording.content); !written)
    return written;
  return io::write_file(folder / kSummary, io::json_text(document));
}

}  // namespace

void add_own_options(CLI::App& command, OwnOptions& options) {
  command
      .add_option("--python", options.python,
                  "With FILE.py: the Python that runs it, which later starts take, too")
      ->type_name("PATH");
  command
      .add_option("--time-limit", options.timeout_s,
                  "With FILE.py: end it after so many seconds; default 600")
      ->check(CLI::Range(1, 1'000'000));
}

base::Result<OwnQuestion> own_question(const OwnFile& file, const SpecArguments& arguments,
                                       const OwnOptions& options) {
  if (!arguments.workload.empty() || !arguments.presets.empty() || arguments.spec_file) {
    return base::fail(
        "A Python file takes neither a workload nor --preset nor --spec: --set "
        "changes its arguments");
  }
  OwnQuestion question;
  question.file = file;
  question.limit = std::chrono::seconds(options.timeout_s);
  for (const std::string& setting : arguments.settings) {
    const std::size_t at = setting.find('=');
    if (at == std::string::npos || at == 0)
      return base::fail("--set takes ARGUMENT=VALUE, not " + setting);
    question.settings[setting.substr(0, at)] = setting.substr(at + 1);
  }
  question.python = own_python();
  if (options.python.empty()) return question;
  const auto python = io::absolute_path(options.python);
  if (!python) return tl::unexpected(python.error());
  question.python = *python;
  if (auto usable = examine_python(question.python, {}); !usable)
    return tl::unexpected(usable.error());
  if (auto kept = remember_python(question.python); !kept) note({kept.error().sentence});
  return question;
}

int report_own(const base::Error& error) {
  static constexpr std::array kEnded = {
      "own_file.raised",      "own_file.exit",         "own_file.killed",   "own_file.left",
      "own_file.interrupted", "own_file.not_exported", "file_error.no_end", "engine.cancelled",
      "own_file.killed_at",   "own_file.no_end",       "own_file.no_room",  "own_file.stopped"};
  const bool ended = std::ranges::find(kEnded, std::string_view(error.key)) != kEnded.end();
  return report(error, ended ? 1 : 2);
}

std::string own_title(const OwnQuestion& question) {
  std::string words;
  for (const auto& [name, value] : question.settings) {
    if (!words.empty()) words += ", ";
    words.append(name).append("=").append(value);
  }
  return question.file.path.filename().string() + ":" + question.file.function + "(" + words + ")";
}

nlohmann::json own_json(const OwnQuestion& question) {
  return {{"file", question.file.path.string()},
          {"function", question.file.function},
          {"settings", question.settings},
          {"python", question.python.string()}};
}

int run_own(const RunCommand& command, const OwnFile& file) {
  if (!command.ranks.world.empty() || !command.notes.empty() || command.operators || command.log) {
    return report(
        "A Python file runs in one process of its own: --world, --note, --operators and "
        "--log are not for it",
        2);
  }
  const auto question = own_question(file, command.spec, command.own);
  if (!question) return report(question.error(), 2);
  std::optional<OutputFolder> folder;
  if (command.out) {
    auto claimed = OutputFolder::claim(*command.out, {kRecording, kSummary});
    if (!claimed) return report(claimed.error().sentence, 2);
    folder.emplace(std::move(*claimed));
  }
  const int steps = command.steps > 0 ? command.steps : kSteps;
  const auto recording =
      ask_own(*question, [&](OwnProcess& process, const base::CancelToken& cancel) {
        return record_own(process, *question, steps, cancel);
      });
  if (!recording) return report_own(recording.error());
  const auto findings = findings::of_script(*recording->run, *recording->strings);
  const nlohmann::json document = run_json(*question, *recording->run, findings);
  if (command.json) {
    print_json(document);
  } else {
    print_run(*question, *recording->run, findings);
  }
  if (!folder) return 0;
  auto written = write_own_run(*command.out, *recording, document);
  if (written) written = folder->finish();
  if (!written) return report(written.error(), 1);
  std::fprintf(stderr, "Wrote %s; tensorscope %s opens it\n",
               text::printable(command.out->string()).c_str(),
               text::printable((*command.out / kRecording).string()).c_str());
  return 0;
}

}  // namespace ts::app
