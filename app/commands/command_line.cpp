#include "app/commands/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/session/catalogue.h"
#include "core/spec/presets.h"
#include "core/spec/spec_fields.h"

namespace ts::app {
namespace {

constexpr const char* kVersion = "tensorscope " TENSORSCOPE_VERSION;

// Whose settings: first, before what a command asks about it.
void add_workload(CLI::App& command, SpecArguments& spec) {
  command
      .add_option("WORKLOAD", spec.workload,
                  fmt::format("{}", fmt::join(spec::field_choices(spec::Field::workload), ", ")))
      ->option_text(" ");
}

void add_spec_options(CLI::App& command, SpecArguments& spec) {
  command.add_option("--preset", spec.preset, "Start from a named shape, such as small or lab3");
  command.add_option("--set", spec.settings, "Change one setting; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--spec", spec.spec_file, "Read the whole specification from a JSON file")
      ->type_name("FILE");
}

// Words with commas between them, in lines of a terminal's width.
std::string wrapped(std::string head, const std::vector<std::string>& words) {
  constexpr std::size_t kWidth = 100;
  std::string all = std::move(head);
  std::size_t column = all.size();
  for (const std::string& one : words) {
    const std::string word = " " + one + (&one == &words.back() ? "" : ",");
    if (column + word.size() > kWidth) {
      all += "\n   ";
      column = 3;
    }
    all += word;
    column += word.size();
  }
  return all + "\n";
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

void add_hunt_options(CLI::App& app, HuntCommand& hunt) {
  add_workload(app, hunt.spec);
  app.add_option("--axis", hunt.axes, "Along which size: T or T=FROM:TO; twice for a map")
      ->type_name("KEY[=FROM:TO]")
      ->allow_extra_args(false);
  add_spec_options(app, hunt.spec);
  app.add_option("--gpu", hunt.gpu, "On this card; default: target_gpu")->type_name("NAME");
  app.add_flag("--cpu", hunt.cpu, "On this machine's CPU and its memory limit");
  app.add_flag(
      "--confirm", hunt.confirm,
      "Run both sides of the edge or frontier for real, each in a fresh process; with --cpu");
  app.add_flag("--every-cell", hunt.every_cell,
               "Of a map: ask every cell, instead of those along the frontier");
  app.add_option("--out", hunt.out, "Of a map: write hunt.json, .csv, .md, .tex and .png there")
      ->type_name("DIR");
  app.add_flag("--json", hunt.json, "Print one JSON document on standard output");
  app.footer(cards_help() + presets_help() + spec::field_help());
}

// "Sweeps of the course ...: lab6  LAB-6, LAB-7: attention, T=256:2048:x2, backend=naive,flash".
std::string sweep_presets_help() {
  std::string help = "Sweeps of the course, for --preset without WORKLOAD and --axis:\n";
  for (const sweep::SweepPreset& preset : built_in_sweeps().all()) {
    std::string name = "  " + preset.id;
    name.resize(std::max<std::size_t>(name.size() + 1, 14), ' ');
    help += name + preset.source + ": " + sweep::words_of(preset) + "\n";
  }
  return help + "\n";
}

void add_ab_options(CLI::App& app, AbCommand& compare) {
  add_workload(app, compare.spec);
  app.add_option("--with", compare.changes, "What is different in B; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_spec_options(app, compare.spec);
  app.add_option("--pairs", compare.pairs,
                 "Pairs of steps, rounded up to even; default: until the ratio is sure")
      ->check(CLI::Range(1, 1000000));
  app.add_flag("--json", compare.json, "Print one JSON document on standard output");
  app.footer(presets_help() + spec::field_help());
}

void add_sweep_options(CLI::App& app, SweepCommand& sweep) {
  add_workload(app, sweep.spec);
  app.add_option("--axis", sweep.axes,
                 "What varies: T=256,512,1k or FROM:TO:xN, FROM:TO:+N, FROM:TO (powers of two); "
                 "twice for a plane")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  app.add_option("--series", sweep.series, "What the curves are: backend=naive,flash")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  add_spec_options(app, sweep.spec);
  app.add_option("--steps", sweep.steps,
                 "Timed steps of a point; default: until the median is sure")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--max-seconds", sweep.max_seconds, "A point that takes longer is too slow")
      ->check(CLI::Range(0.1, 1e6));
  app.add_option("--gpu", sweep.gpu, "On this card: device=cuda, target_gpu=NAME")
      ->type_name("NAME");
  app.add_flag("--predict", sweep.predict,
               "Only dry runs: the memory of every point, nothing is run");
  app.add_option("--out", sweep.out, "Write the points, tables and the figure there")
      ->type_name("DIR")
      ->required();
  app.add_option("--fit", sweep.fit, "Fit slopes over these values of the first axis only")
      ->type_name("FROM:TO");
  app.add_option("--linear", sweep.linear, "Linear axes of the figure: x, y or xy");
  app.add_option("--log", sweep.log, "Logarithmic axes of the figure: x, y or xy");
  app.add_option("--size", sweep.size, "Pixels of the figure")->type_name("WxH");
  app.add_option("--theme", sweep.theme, "Of the figure: light or dark");
  app.add_option("--lang", sweep.language, "Of the figure: en, zh-CN or zh-TW");
  app.add_flag("--charts", sweep.charts,
               "Write every chart alone, too: chart-NAME.png, .svg and .csv");
  app.add_flag("--resume", sweep.resume, "Go on with the sweep in --out");
  app.add_flag("--json", sweep.json, "Print one JSON document on standard output");
  app.footer(sweep_presets_help() + presets_help() + cards_help() + spec::field_help());
}

// CLI11 appends a list of every problem; the first line says what is wrong.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

base::Result<Command> parse_command_line(int argc, const char* const* argv) {
  WindowCommand window;
  RunCommand run;
  AbCommand ab;
  SweepCommand sweep;
  ShotCommand shot;
  ReplayCommand replay;
  PredictCommand predict;
  HuntCommand hunt;
  CompareCommand compare;
  DoctorCommand doctor;

  CLI::App app{"Interactive profiler for attention, MLP and transformer workloads", "tensorscope"};
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(0, 1);
  app.add_option("FILE", window.files, "Files to open in the window")->option_text(" ");
  app.footer(
      "Without a command: the window. Exit codes: 0 ok, 1 the run failed or ran out of "
      "memory, 2 bad input.");

  auto* run_app = app.add_subcommand("run", "Run a workload without a window");
  add_workload(*run_app, run.spec);
  add_spec_options(*run_app, run.spec);
  run_app->add_option("--steps", run.steps, "Timed steps; default: until the median is sure")
      ->check(CLI::Range(1, 1000000));
  run_app->add_option("--out", run.out, "Write run.json, trace.json and pictures there")
      ->type_name("DIR");
  run_app->add_flag("--json", run.json, "Print one JSON document on standard output");
  run_app
      ->add_flag("--operators", run.operators,
                 "With --json also the operators: calls, self and total time, shares, bytes")
      ->needs("--json");
  run_app->add_flag("--log", run.log, "Print nanoGPT's line for every timed step, too");
  run_app->footer(presets_help() + spec::field_help());

  auto* ab_app = app.add_subcommand(
      "ab", "Time two variants of a workload by turns: faster, slower, same or unclear");
  add_ab_options(*ab_app, ab);

  auto* sweep_app = app.add_subcommand("sweep", "Run a workload over a range of settings");
  add_sweep_options(*sweep_app, sweep);

  auto* shot_app = app.add_subcommand("shot", "Render a workspace to a PNG; needs no display");
  std::vector<std::string> shown;
  shot_app->add_option("WORKLOAD|FILE", shown, "A workload to run, or memory snapshots to open")
      ->option_text(" ");
  shot_app->add_option("--workspace", shot.workspace,
                       "run, sweep, hunt, ab, projector, or one panel: timeline, memory, segments, "
                       "operators, agreement, controls, inspector");
  shot_app->add_option("--tab", shot.tab,
                       "Of operators: operators, shapes, modules, phases, stacks, kernels or tree");
  shot_app->add_option("--sweep", shot.sweep, "Show this sweep on the sweep page")
      ->type_name("DIR");
  shot_app->add_option("--size", shot.size, "Pixels")->type_name("WxH");
  shot_app->add_option("--scale", shot.scale, "Size of text and controls, 0.75 to 3");
  shot_app->add_option("--theme", shot.theme, "dark or light");
  shot_app->add_option("--lang", shot.language, "en, zh-CN or zh-TW");
  add_spec_options(*shot_app, shot.spec);
  shot_app->add_option("--out", shot.out, "The picture to write")
      ->type_name("FILE.png")
      ->required();

  auto* replay_app = app.add_subcommand(
      "replay", "Replay a memory snapshot through a model of PyTorch's caching allocator");
  replay_app->add_option("SNAPSHOT", replay.snapshot, "Memory snapshot of PyTorch")
      ->option_text(" ")
      ->required();
  replay_app->add_option("--gpu", replay.gpu, "On this card, instead of with unlimited memory")
      ->type_name("NAME");
  replay_app
      ->add_option("--alloc-conf", replay.alloc_conf,
                   "With these settings, written as in PYTORCH_CUDA_ALLOC_CONF")
      ->type_name("STRING");
  replay_app->add_option("--device", replay.device, "Device; default: the first with a trace")
      ->check(CLI::Range(0, 1023));
  replay_app->add_flag("--json", replay.json, "Print one JSON document on standard output");

  auto* predict_app = app.add_subcommand(
      "predict", "Say what memory a workload needs on a card, without running it");
  add_workload(*predict_app, predict.spec);
  add_spec_options(*predict_app, predict.spec);
  predict_app->add_option("--gpu", predict.gpu, "On this card; default: target_gpu")
      ->type_name("NAME");
  predict_app->add_flag("--cpu", predict.cpu, "On this machine's CPU and its memory limit");
  predict_app
      ->add_option("--alloc-conf", predict.alloc_conf,
                   "Settings of the allocator, written as in PYTORCH_CUDA_ALLOC_CONF")
      ->type_name("STRING");
  predict_app->add_flag("--json", predict.json, "Print one JSON document on standard output");
  predict_app->footer(
      std::string("Exit code 0 whether it fits or not: the answer is in the output (verdict: fits, "
                  "fits_after_flush or oom). 1: the prediction failed. 2: bad input.\n\n") +
      cards_help() + presets_help() + spec::field_help());

  auto* hunt_app = app.add_subcommand("hunt", "Find the largest setting that fits a card");
  add_hunt_options(*hunt_app, hunt);

  auto* compare_app =
      app.add_subcommand("compare", "Say what differs between two points of a sweep");
  compare_app->add_option("DIR", compare.sweep, "Folder of the sweep")
      ->option_text(" ")
      ->required();
  compare_app->add_option("A", compare.first, "A point, such as naive_T=512")
      ->option_text(" ")
      ->required();
  compare_app->add_option("B", compare.second, "Another")->option_text(" ")->required();
  compare_app->add_flag("--json", compare.json, "Print one JSON document on standard output");

  auto* doctor_app = app.add_subcommand("doctor", "Say what this machine offers");
  doctor_app->add_flag("--json", doctor.json, "Print one JSON document on standard output");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return TextCommand{app.help()};
  } catch (const CLI::CallForVersion&) {
    return TextCommand{std::string(kVersion) + "\n"};
  } catch (const CLI::ParseError& error) {
    const auto commands = app.get_subcommands();
    const std::string command = commands.empty() ? "" : " " + commands.front()->get_name();
    return base::fail(first_line(error.what()) + ". Try tensorscope" + command + " --help");
  }
  if (run_app->parsed()) return run;
  if (ab_app->parsed()) return ab;
  if (sweep_app->parsed()) return sweep;
  if (shot_app->parsed()) {
    for (const std::string& word : shown) {
      // What looks like a path is a file: no workload is named so.
      if (word.find_first_of("./") != std::string::npos) {
        shot.files.emplace_back(word);
      } else if (shot.spec.workload.empty()) {
        shot.spec.workload = word;
      } else {
        return base::fail("shot takes one workload: " + shot.spec.workload + " or " + word);
      }
    }
    if (!shot.files.empty() && !shot.spec.workload.empty()) {
      return base::fail("shot takes a workload or files, not both");
    }
    return shot;
  }
  if (replay_app->parsed()) return replay;
  if (predict_app->parsed()) return predict;
  if (hunt_app->parsed()) return hunt;
  if (compare_app->parsed()) return compare;
  if (doctor_app->parsed()) return doctor;
  return window;
}

}  // namespace ts::app
