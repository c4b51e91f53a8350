#include "app/commands/own_commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/commands/ab_command.h"
#include "app/commands/run_command.h"
#include "app/commands/sweep_arguments.h"
#include "app/commands/target_arguments.h"
#include "app/output/comparison_files.h"
#include "app/output/environment.h"
#include "app/output/named_files.h"
#include "app/output/output_folder.h"
#include "app/own_file/own_points.h"
#include "app/own_file/own_python.h"
#include "app/pictures/curve_picture.h"
#include "app/pictures/graphics.h"
#include "app/session/catalogue.h"
#include "core/findings/script_findings.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/io/sha256.h"
#include "core/memory/first_step.h"
#include "core/report/compare_report.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"

namespace ts::app {
namespace {

constexpr int kSteps = 3;
constexpr const char* kPoints = "points.json";
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
  print_row("Peak allocated", size_as_text(run.peak_allocated()));
  if (const auto first = memory::first_step(run.memory)) {
    print_row("First step", size_as_text(first->bytes) + " at most");
  }
  print_row("Recorded", text::counted(run.trace.slice_count(), "slice") + ", " +
                            text::counted(run.memory.events().size(), "memory event") + ", " +
                            text::grouped(run.dropped) + " dropped");
  for (const report::CheckResult& one : findings)
    print_row(one.id, text::printable(one.found.sentence));
}

base::Result<void> write_own_run(const std::filesystem::path& folder, const OwnRecording& recording,
                                 const nlohmann::json& document) {
  if (auto made = io::make_folder(folder); !made) return made;
  return write_files(folder,
                     {{kRecording, recording.content}, {kSummary, io::json_text(document)}});
}

base::Result<void> take_settings(const std::vector<std::string>& given, const char* option,
                                 OwnSettings& settings) {
  for (const std::string& setting : given) {
    const std::size_t at = setting.find('=');
    if (at == std::string::npos || at == 0)
      return base::fail(std::string(option) + " takes ARGUMENT=VALUE, not " + setting);
    settings[setting.substr(0, at)] = setting.substr(at + 1);
  }
  return {};
}

// Those of the file where none is given.
OwnSettings all_settings(const OwnSettings& given, const OwnDescription& described) {
  OwnSettings all = given;
  for (const OwnArgument& one : described.arguments) all.emplace(one.name, one.value);
  return all;
}

base::Result<OwnSweep> start_sweep(const SweepCommand& command) {
  if (command.charts || !command.fit.empty() || !command.linear.empty() || !command.log.empty()) {
    return base::fail(
        "The sweep of a Python file makes tables and two figures: --charts, --fit, "
        "--linear and --log are not for it");
  }
  if (command.gpu && !command.predict)
    return base::fail("A Python file runs on the CPU here: --gpu needs --predict");
  if (command.axes.empty() || command.axes.size() > 2)
    return base::fail("A sweep goes along one axis or over two: --axis T=256:2048");
  TS_TRY(auto asked, targeted_spec({}, command.gpu, !command.gpu, built_in_gpus()));
  OwnSweep sweep;
  sweep.target = std::move(asked.target);
  sweep.only_predicted = command.predict;
  if (command.steps > 0) take_steps(sweep.protocol, command.steps);
  return sweep;
}

// Each once, with its first point.
void print_reasons(const OwnSweep& sweep) {
  std::vector<std::string> told;
  for (const OwnPoint& point : sweep.points) {
    const std::string& reason = point.reason.sentence;
    if (reason.empty() || std::ranges::find(told, reason) != told.end()) continue;
    told.push_back(reason);
    std::string words;
    for (const auto& [name, value] : point.at) {
      if (!words.empty()) words += ", ";
      words.append(name).append(" = ").append(value);
    }
    std::printf("%s: %s\n", text::printable(words).c_str(), text::printable(reason).c_str());
  }
}

// The question of a sweep. Of the file's code only its own content counts, not that of what it
// imports.
nlohmann::json sweep_question(const OwnQuestion& question) {
  const auto content = io::read_file(question.file.path);
  return {{"own_file", own_json(question)}, {"content", content ? io::sha256(*content) : ""}};
}

// All that is known of a sweep, also while it goes on. `asked` is its question as it began.
nlohmann::json sweep_document(const OwnSweep& sweep, const nlohmann::json& asked) {
  nlohmann::json document = own_sweep_json(sweep);
  document.update(asked);
  return document;
}

// The points that an earlier sweep has in the folder.
base::Result<void> resume_sweep(const std::filesystem::path& folder, const nlohmann::json& question,
                                OwnSweep& sweep) {
  const std::filesystem::path path = folder / kPoints;
  TS_TRY(const auto known, io::read_json(path));
  const nlohmann::json asked = sweep_document(sweep, question);
  for (const char* const key : {"own_file", "content", "axes", "only_predicted", "protocol"}) {
    if (known.is_object() && known.contains(key) && known[key] == asked[key]) continue;
    return base::fail(path.string() +
                      " is no sweep of the same file and settings, or the file has changed (" +
                      key + "): give another folder");
  }
  if (auto taken = take_known(known, sweep); !taken)
    return base::fail(path.string() + " cannot be continued: " + taken.error().sentence);
  return {};
}

base::Result<void> write_sweep(const std::filesystem::path& folder, const OwnSweep& sweep,
                               const std::string& title, const nlohmann::json& document,
                               bool tables) {
  if (auto made = io::make_folder(folder); !made) return made;
  auto written = io::write_file(folder / kPoints, io::json_text(document));
  if (!tables || !written) return written;
  const io::TextTable table = own_table(sweep, false);
  return write_files(folder, {{"points.csv", io::to_csv(own_table(sweep, true))},
                              {"points.md", title + "\n\n" + io::to_markdown(table)},
                              {"points.tex", io::to_latex(table, title, "tab:points")}});
}

// times.png and memory.png, each as .svg, too; none of what no point has.
base::Result<void> draw_sweep(const std::filesystem::path& folder, const OwnSweep& sweep,
                              const std::string& title) {
  constexpr double kWide = 100;  // from here on logarithmic
  const OwnAxis& x = sweep.axes.front();
  const bool wide = std::stod(x.values.back()) >= kWide * std::stod(x.values.front());
  TS_TRY(auto graphics, Graphics::open(Graphics::Kind::off_screen, 64, 64));
  const auto draw = [&](OwnMeasure measure, const char* y, const char* name) {
    const auto curves = own_curves(sweep, measure, title);
    const auto has_number = [](double value) { return !std::isnan(value); };
    const bool any = std::ranges::any_of(curves, [&](const run::ResultCurve& curve) {
      return std::ranges::any_of(curve.y, has_number);
    });
    if (!any) return base::Result<void>();
    const spec::CurveAxes axes{.y = y, .log = wide && curves.front().x.front() > 0};
    return save_curve_figure(*graphics, curves, axes, folder, name, x.argument);
  };
  auto drawn = draw(OwnMeasure::time, "step_ms", "times");
  if (!drawn) return drawn;
  return draw(OwnMeasure::memory, sweep.only_predicted ? "needed_mib" : "peak_mib", "memory");
}

// An argument that A and B give different values; `a` is empty where A does not set it.
struct Difference {
  std::string argument, a, b;
};

std::vector<Difference> differences(const OwnSettings& a, const OwnSettings& b) {
  std::vector<Difference> found;
  for (const auto& [name, value] : b) {
    const auto other = a.find(name);
    const std::string before = other == a.end() ? "" : other->second;
    if (before != value) found.push_back({name, before, value});
  }
  return found;
}

// "layers: A 2, B 4", a line for each.
std::string as_text(const std::vector<Difference>& differences) {
  std::string words;
  for (const Difference& one : differences) {
    std::string line = one.argument;
    line.append(": A ").append(one.a.empty() ? "not set" : one.a).append(", B ").append(one.b);
    words += text::printable(line) + '\n';
  }
  return words;
}

base::Result<void> write_pair(const std::filesystem::path& folder, const std::string& sides,
                              const run::Comparison& comparison, const nlohmann::json& document,
                              bool tables) {
  if (auto made = io::make_folder(folder); !made) return made;
  auto written = io::write_file(folder / "comparison.json", io::json_text(document));
  if (!tables || !written) return written;
  return write_comparison_tables(folder, comparison, sides);
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
  TS_TRY_DONE(take_settings(arguments.settings, "--set", question.settings));
  question.python = own_python();
  if (options.python.empty()) return question;
  TS_TRY(question.python, io::absolute_path(options.python));
  TS_TRY_DONE(examine_python(question.python, {}));
  if (auto kept = remember_python(question.python); !kept) note({kept.error().sentence});
  return question;
}

Ended own_end(base::Error error) {
  static constexpr std::array kEnded = {
      "own_file.raised",      "own_file.exit",         "own_file.killed",   "own_file.left",
      "own_file.interrupted", "own_file.not_exported", "file_error.no_end", "engine.cancelled",
      "own_file.killed_at",   "own_file.no_end",       "own_file.no_room",  "own_file.stopped"};
  const bool ended = std::ranges::find(kEnded, std::string_view(error.key)) != kEnded.end();
  return {std::move(error), ended ? 1 : 2};
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

Exit run_own(const RunCommand& command, const OwnFile& file) {
  if (!command.ranks.world.empty() || !command.notes.empty() || command.operators || command.log) {
    return base::fail(
        "A Python file runs in one process of its own: --world, --note, --operators and "
        "--log are not for it");
  }
  TS_TRY(const auto question, own_question(file, command.spec, command.own));
  TS_TRY(auto folder, OutputFolder::claim_if(command.out, {kRecording, kSummary}));
  const int steps = command.steps > 0 ? command.steps : kSteps;
  TS_TRY(const auto recording,
         ask_own(question, [&](OwnProcess& process, const base::CancelToken& cancel) {
           return record_own(process, question, steps, cancel);
         }));
  const auto findings = findings::of_script(*recording.run, *recording.strings);
  const nlohmann::json document = run_json(question, *recording.run, findings);
  if (command.json) {
    print_json(document);
  } else {
    print_run(question, *recording.run, findings);
  }
  if (!folder) return 0;
  TS_TRY_DONE(or_failed(write_own_run(*command.out, recording, document)));
  TS_TRY_DONE(or_failed(folder->finish()));
  std::fprintf(stderr, "Wrote %s; tensorscope %s opens it\n",
               text::printable(command.out->string()).c_str(),
               text::printable((*command.out / kRecording).string()).c_str());
  return 0;
}

Exit sweep_own(const SweepCommand& command, const OwnFile& file) {
  TS_TRY(auto start, start_sweep(command));
  TS_TRY(auto question, own_question(file, command.spec, command.own));
  if (command.max_seconds)
    question.limit =
        std::chrono::seconds(static_cast<std::int64_t>(std::ceil(*command.max_seconds)));
  TS_TRY(const auto parts, SaveParts::parse(command.parts, kPartsOfMany));
  const auto open = command.resume ? OutputFolder::continue_in : OutputFolder::claim;
  TS_TRY(auto folder, open(command.out, {kPoints, "points.csv", "points.md", "points.tex",
                                         "times.png", "times.svg", "memory.png", "memory.svg"}));
  const nlohmann::json began = sweep_question(question);
  std::atomic<std::size_t> ended = 0, all = 0;
  TS_TRY(const auto sweep,
         ask_own(
             question,
             [&](OwnProcess& process, const base::CancelToken& cancel) -> base::Result<OwnSweep> {
               TS_TRY(const auto described, describe_own(process, question, cancel));
               OwnSweep asked = std::move(start);
               for (const bool sized : {true, false}) {
                 for (const std::string& text : sized ? command.axes : command.series) {
                   TS_TRY(auto axis, sized ? own_size_axis(text, described)
                                           : own_series_axis(text, described));
                   asked.axes.push_back(std::move(axis));
                 }
               }
               TS_TRY_DONE(make_points(asked));
               if (command.resume) {
                 TS_TRY_DONE(resume_sweep(command.out, began, asked));
               }
               all =
                   std::ranges::count(asked.points, sweep::PointStatus::pending, &OwnPoint::status);
               base::Result<void> kept;
               const auto keep = [&](const OwnPoint&) {
                 ++ended;
                 kept = io::write_file(command.out / kPoints,
                                       io::json_text(sweep_document(asked, began)));
               };
               ask_points(process, question, asked, keep, cancel);
               if (!kept) return tl::unexpected(kept.error());
               return asked;
             },
             [&] { return std::to_string(ended) + " of " + std::to_string(all) + " points"; }));
  const nlohmann::json document = sweep_document(sweep, began);
  if (command.json) {
    print_json(document);
  } else {
    std::printf("%s", io::to_markdown(own_table(sweep, false)).c_str());
    print_reasons(sweep);
  }
  TS_TRY_DONE(or_failed(
      write_sweep(command.out, sweep, own_title(question), document, parts.has(SavePart::tables))));
  if (parts.has(SavePart::pictures)) {
    TS_TRY_DONE(or_failed(draw_sweep(command.out, sweep, own_title(question))));
  }
  TS_TRY_DONE(or_failed(folder.finish()));
  print_written(command.out);
  const auto missing = std::ranges::count_if(sweep.points, [](const OwnPoint& point) {
    return point.status == sweep::PointStatus::failed ||
           point.status == sweep::PointStatus::cancelled;
  });
  if (missing == 0) return 0;
  return report("Failed or not run: " + text::counted(missing, "point") +
                    "; the same command with --resume asks for the rest",
                1);
}

Exit compare_own_settings(const AbCommand& command, const OwnFile& file) {
  TS_TRY(const auto question, own_question(file, command.spec, command.own));
  OwnSettings b = question.settings;
  TS_TRY_DONE(take_settings(command.changes, "--with", b));
  TS_TRY(const auto parts, SaveParts::parse(command.parts, kPartsOfPair));
  TS_TRY(auto folder, OutputFolder::claim_if(
                          command.out, {"comparison.json", "comparison.csv", "comparison.md"}));
  run::Protocol protocol = run::comparison_protocol();
  if (command.pairs > 0) take_steps(protocol, command.pairs);
  std::array<OwnSettings, 2> sides;
  TS_TRY(
      const auto comparison,
      ask_own(question,
              [&](OwnProcess& process,
                  const base::CancelToken& cancel) -> base::Result<run::Comparison> {
                TS_TRY(const auto described, describe_own(process, question, cancel));
                sides = {all_settings(question.settings, described), all_settings(b, described)};
                if (sides[0] == sides[1]) {
                  return base::fail(
                      "A and B have the same settings: say with --with ARGUMENT=VALUE what B has "
                      "otherwise");
                }
                return compare_own(process, question, sides, protocol, cancel);
              }));
  const std::vector<Difference> found = differences(sides[0], sides[1]);
  const std::string different = as_text(found);
  nlohmann::json document =
      report::to_json(comparison, protocol, environment_json(read_machine(), nullptr));
  document["own_file"] = own_json(question);
  document["differences"] = nlohmann::json::array();
  for (const Difference& one : found)
    document["differences"].push_back({{"key", one.argument}, {"a", one.a}, {"b", one.b}});
  document["a"]["spec"] = sides[0];
  document["b"]["spec"] = sides[1];
  if (command.json) {
    print_json(document);
  } else {
    std::printf("%s%s\n%s\n", different.c_str(),
                io::to_markdown(report::comparison_table(comparison)).c_str(),
                report::comparison_sentence(comparison).sentence.c_str());
  }
  if (!folder) return 0;
  TS_TRY_DONE(or_failed(
      write_pair(*command.out, different, comparison, document, parts.has(SavePart::tables))));
  TS_TRY_DONE(or_failed(folder->finish()));
  print_written(*command.out);
  return 0;
}

}  // namespace ts::app
