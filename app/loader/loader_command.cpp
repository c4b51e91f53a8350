#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/commands/spec_arguments.h"
#include "app/loader/workload_step.h"
#include "app/output/output_folder.h"
#include "app/session/catalogue.h"
#include "app/session/engine_loader.h"
#include "app/session/interrupt.h"
#include "app/session/languages.h"
#include "core/io/file.h"
#include "core/loader/lab.h"
#include "core/loader/worker_process.h"
#include "core/text/printable.h"
#include "core/trace_file/trace_write.h"
#include "views/common/spec_text.h"

namespace ts::app {
namespace {

struct LoaderCommand {
  std::string subject;                // empty: list them
  std::vector<std::string> settings;  // "workers=4"
  std::string over;                   // "workers=1,2,4"
  std::filesystem::path data;
  std::filesystem::path make;
  SpecArguments step;  // without a workload: a pause
  std::string format = "md";
  bool json = false;
  bool worker = false;  // of another process that loads
  std::string language = "en";
  std::filesystem::path out;
  std::filesystem::path trace;
};

using Answers = std::vector<loader::Answer>;

std::string list_of_subjects(const text::Texts& texts) {
  std::string list;
  for (const simulate::Simulation& subject : loader::subjects()) {
    const std::string id = subject.id;
    list += id + "  " + texts("simulate.title." + id) + "\n";
    for (const calculate::Input& input : subject.inputs) {
      const std::string name = input.name;
      list += "    " + name + "=" + std::to_string(input.start) + "  " +
              texts("calculate.input." + name) + "\n";
    }
    list += "    " + std::string(texts("simulate.about." + id)) + "\n";
  }
  return list;
}

io::TextTable table_of_answers(const simulate::Experiment& question, const Answers& answers,
                               const text::Texts& texts) {
  std::vector<simulate::Point> points;
  for (const loader::Answer& answer : answers) points.push_back(answer.point);
  return table_of(question, points, texts);
}

// The sentences of each number, and what was left out.
std::string sentences(const simulate::Experiment& question, const Answers& answers,
                      const text::Texts& texts) {
  std::string lines;
  for (const loader::Answer& answer : answers) {
    const std::string at =
        answer.point.at ? question.over + " = " + std::to_string(*answer.point.at) + ": " : "";
    for (const auto* const said : {&answer.verdict, &answer.faults}) {
      for (const base::Message& one : *said)
        lines += at + text::printable(views::message_text(texts, one)) + "\n";
    }
  }
  return lines;
}

std::string text_of(const simulate::Experiment& question, const Answers& answers,
                    const std::string& format, const text::Texts& texts) {
  if (format == "json") return io::json_text(loader::loading_json(question, answers));
  const io::TextTable table = table_of_answers(question, answers, texts);
  const std::string id = question.simulation->id;
  const std::string title = texts("simulate.title." + id);
  return io::table_document(
      table, format, title, id,
      "\n" + sentences(question, answers, texts) + "\n" + texts("simulate.about." + id) + "\n");
}

base::Result<void> write_trace_of(const std::filesystem::path& path, const Answers& answers) {
  return trace_file::write_trace(path, simulate::trace_of(answers.front().point.outcome, ""),
                                 loader::kLoadedMetadata);
}

constexpr std::initializer_list<const char*> kLoaderFiles = {"loading.json", "loading.csv",
                                                             "loading.md", "trace.json"};

base::Result<void> write_results(const std::filesystem::path& folder,
                                 const simulate::Experiment& question, const Answers& answers,
                                 const text::Texts& texts) {
  for (const char* const format : {"json", "csv", "md"}) {
    const std::string words = text_of(question, answers, format, texts);
    const auto written = io::write_file(folder / (std::string("loading.") + format), words);
    if (!written) return written;
  }
  return write_trace_of(folder / "trace.json", answers);
}

// Control-C is seen at every sample that is made and at every step.
base::Result<Answers> answers_to(const simulate::Experiment& question, loader::Lab& lab,
                                 const std::function<void(std::size_t)>& step) {
  const InterruptGuard guard;
  const base::CancelToken cancel;
  ProgressLine progress;
  const auto tell = [&](const char* what, std::size_t count) {
    if (InterruptGuard::interrupted()) cancel.cancel();
    progress.show(std::string(what) + " " + std::to_string(count));
  };
  const loader::Lab::Calls calls{.step = step,
                                 .made = [&](std::size_t count) { tell("made", count); },
                                 .stepped = [&](std::size_t count) { tell("step", count); }};
  Answers answers;
  for (std::size_t i = 0; i < point_count(question); ++i) {
    auto answer = lab.answer(question, i, calls, cancel);
    progress.clear();
    if (!answer) return tl::unexpected(answer.error());
    answers.push_back(std::move(*answer));
  }
  return answers;
}

// Makes the data set in a folder of the user's own.
base::Result<void> make_set(const LoaderCommand& command, const simulate::Experiment& question) {
  return loader::make_data_set(command.make, loader::plan_of(question.chosen), {}, {});
}

Exit finish(const LoaderCommand& command, const simulate::Experiment& question,
            const Answers& answers, std::optional<OutputFolder>& folder, const text::Texts& texts) {
  if (!command.trace.empty()) {
    TS_TRY_DONE(or_failed(write_trace_of(command.trace, answers)));
  }
  const std::string format = command.json ? "json" : command.format;
  if (const int code = print_or_write(text_of(question, answers, format, texts), {}); code != 0)
    return code;
  if (!folder) return 0;
  TS_TRY_DONE(or_failed(write_results(command.out, question, answers, texts)));
  TS_TRY_DONE(or_failed(folder->finish()));
  return 0;
}

Exit run_loader(const LoaderCommand& command) {
  TS_TRY(const auto texts, built_in_texts(command.language));
  if (command.subject.empty()) return print_or_write(list_of_subjects(texts), {});
  TS_TRY(const auto question, loader::question_of(command.subject, command.settings, command.over));
  if (command.worker) return loader::serve_batches(loader::plan_of(question.chosen), command.data);
  std::optional<OutputFolder> folder;
  if (!command.out.empty()) {
    TS_TRY(folder, OutputFolder::claim(command.out, kLoaderFiles));
  }
  std::optional<WorkloadStep> step;
  if (!command.step.workload.empty()) {
    TS_TRY(const auto spec, spec_from_arguments(command.step, built_in_gpus()));
    TS_TRY(step, or_failed(WorkloadStep::make(spec)));
  }
  if (!command.make.empty()) {
    TS_TRY_DONE(make_set(command, question));
  }
  loader::Lab lab(command.make.empty() ? command.data : command.make, program_path());
  auto answers = answers_to(
      question, lab,
      step ? [&](std::size_t batch) { step->run(batch); } : std::function<void(std::size_t)>());
  if (step && !step->problem().empty()) return report(step->problem(), 1);
  if (!answers) return report(answers.error(), command.data.empty() ? 1 : 2);
  return finish(command, question, *answers, folder, texts);
}

}  // namespace

ParsedCommand loader_command(CLI::App& app) {
  const auto options = std::make_shared<LoaderCommand>();
  app.add_option("WHAT", options->subject, "images or tokens; without it their numbers are listed")
      ->option_text(" ");
  app.add_option("NAME=NUMBER", options->settings, "Numbers that differ from the listed ones")
      ->option_text("...");
  app.add_option("--over", options->over, "A column for each number: workers=1,2,4")
      ->type_name("NAME=LIST");
  CLI::Option* const data =
      app.add_option("--data", options->data,
                     "Load this folder: .jpg or .txt files, or .tar archives of them")
          ->type_name("DIR");
  app.add_flag("--worker", options->worker)->group("")->needs(data);
  app.add_option("--make", options->make, "Make the data set in this folder and keep it there")
      ->type_name("DIR")
      ->excludes(data);
  app.add_option("--step", options->step.workload,
                 "Steps of this workload in place of pauses of step_ms: lm, mlp ...")
      ->type_name("WORKLOAD");
  app.add_option("--preset", options->step.presets, "With --step: its settings")->type_name("NAME");
  app.add_option("--set", options->step.settings, "With --step: one setting")
      ->type_name("KEY=VALUE");
  app.add_option("--trace", options->trace,
                 "Write workers and steps of the first column as a trace, which the window opens")
      ->type_name("FILE");
  add_format(app, options->format);
  app.add_flag("--json", options->json, "The same as --format json");
  add_language(app, options->language);
  app.add_option("--out", options->out,
                 "Write loading.json, .csv, .md and the trace of the first column there")
      ->type_name("DIR");
  return parsed_command(options, run_loader);
}

}  // namespace ts::app
