#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <system_error>
#include <thread>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/commands/sweep_arguments.h"
#include "app/output/environment.h"
#include "app/output/output_folder.h"
#include "app/output/own_report.h"
#include "app/output/sweep_files.h"
#include "app/session/catalogue.h"
#include "app/session/engine_loader.h"
#include "app/session/interrupt.h"
#include "app/session/languages.h"
#include "app/session/sweep_runner.h"
#include "core/base/result_files.h"
#include "core/spec/spec_fields.h"
#include "core/sweep/sweep_checks.h"
#include "core/sweep/sweep_findings.h"
#include "core/sweep/sweep_table.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

using namespace std::chrono_literals;

// The requested sweep: from the command line, or with --resume from the journal.
struct Start {
  sweep::SweepSpec spec;
  std::optional<sweep::JournalContent> known;
};

base::Result<Start> start_of(const SweepCommand& command, const spec::GpuCatalogue& catalogue) {
  Start start;
  if (!command.resume) {
    TS_TRY(start.spec, spec_of(command, catalogue));
    start.spec.only_predicted = command.predict;
    return start;
  }
  TS_TRY(auto known, sweep::read_journal(command.out / kJournalName));
  if (command.axes.empty() && !command.spec.workload.empty())
    return base::fail(
        "To continue a sweep leave out the workload: tensorscope sweep --resume --out " +
        command.out.string());
  if (describes_a_sweep(command)) {
    TS_TRY(auto spec, spec_of(command, catalogue));
    TS_TRY_DONE(same_measuring(command, known.spec));
    // Settings that were not given come from the journal.
    spec.protocol = known.spec.protocol;
    spec.max_point_s = known.spec.max_point_s;
    spec.only_predicted = known.spec.only_predicted;
    if (spec != known.spec) {
      return base::fail("The sweep in " + command.out.string() +
                        " is another one: give --resume alone to continue it, or another folder");
    }
  } else if (auto same = same_measuring(command, known.spec); !same) {
    return tl::unexpected(same.error());
  }
  start.spec = known.spec;
  start.spec.only_predicted = command.predict;
  start.known = std::move(known);
  return start;
}

class Progress {
 public:
  explicit Progress(const sweep::Sweep& sweep) : sweep_(&sweep) {}

  // Prints one line for each finished point.
  void point(std::size_t index) {
    clear();
    const sweep::SweepPoint& point = sweep_->points()[index];
    std::string line = point_text(*sweep_, point) + ": ";
    if (point.status == sweep::PointStatus::ok) {
      line += text::duration_ns(point.measurement.step.median_ms * 1e6).joined() + ", peak " +
              text::bytes(point.measurement.peak_allocated).joined();
    } else {
      line += to_string(point.status);
      if (!point.reason.empty()) line += ", " + point.reason.sentence;
    }
    std::fprintf(stderr, "%s\n", line.c_str());
  }

  // On a terminal, rewrites the last line with the progress.
  void now(const Session& session, bool predicting) {
    if (!line_.is_shown_here() || std::chrono::steady_clock::now() < next_) return;
    next_ = std::chrono::steady_clock::now() + 100ms;
    const std::size_t total = sweep_->points().size();
    const std::size_t open =
        sweep_->count(sweep::PointStatus::pending) + (sweep_->running() ? 1 : 0);
    std::string line = text::grouped(total - open) + " of " + text::counted(total, "point");
    if (predicting) line += ", predicting";
    if (sweep_->running() && session.run() != nullptr) {
      line += std::string(", ") + to_string(session.run()->stage);
    }
    if (const double left = sweep_->seconds_left(); left >= 0) {
      line += ", about " + text::decimal(left, 0) + " s left";
    }
    line_.show(line);
  }

  void clear() { line_.clear(); }

 private:
  const sweep::Sweep* sweep_;
  ProgressLine line_;
  std::chrono::steady_clock::time_point next_;
};

void run_points(Session& session, sweep::Sweep& sweep, sweep::SweepJournal& journal,
                const std::filesystem::path& folder) {
  SweepRunner runner(session, sweep, &journal);
  runner.keep_points(folder / kPointsFolder);
  Progress progress(sweep);
  base::Message told;
  runner.on_point = [&](std::size_t point) {
    progress.point(point);
    if (runner.journal_problem() != told) {
      told = runner.journal_problem();
      if (!told.empty())
        report(told.sentence + " The points are kept in memory until there is room.", 1);
    }
  };
  bool cancelled = false;
  runner.update();
  while (!runner.idle()) {
    if (InterruptGuard::interrupted() && !cancelled) {
      cancelled = true;
      runner.cancel();
    }
    const bool news = session.update();
    runner.update();
    progress.now(session, runner.predicting());
    if (!news) std::this_thread::sleep_for(2ms);
  }
  progress.clear();
  if (!runner.recording_problem().empty()) {
    std::fprintf(stderr, "%s\n", text::printable(runner.recording_problem().sentence).c_str());
  }
}

std::string count_text(std::size_t count, const char* what) {
  return text::grouped(count) + " " + what;
}

// The reasons why points could not be run or predicted at all, each once, with its first point.
std::vector<std::string> refusals(const sweep::Sweep& sweep) {
  std::vector<std::string> reasons;
  std::vector<std::string> sentences;
  for (const sweep::SweepPoint& point : sweep.points()) {
    const bool failed = point.status == sweep::PointStatus::failed;
    const std::string& reason = (failed ? point.reason : point.prediction.problem).sentence;
    if (reason.empty() || (point.measured && !failed) ||
        std::ranges::find(reasons, reason) != reasons.end())
      continue;
    reasons.push_back(reason);
    sentences.push_back(point_text(sweep, point) + ": " + reason);
  }
  return sentences;
}

void print_findings(const sweep::Sweep& sweep, sweep::FitRange fit) {
  std::printf("%s\n", io::to_markdown(sweep::homework_table(sweep)).c_str());
  for (const base::Message& one : sweep::findings(sweep, fit))
    std::printf("%s\n", one.sentence.c_str());
  print_checks(sweep::checks_of(sweep));
  for (const std::string& sentence : refusals(sweep)) std::printf("%s\n", sentence.c_str());
}

// A sentence about what is still missing; empty when nothing is.
std::string missing(const sweep::Sweep& sweep, const std::filesystem::path& out) {
  using sweep::PointStatus;
  std::size_t failed = 0;
  for (const sweep::SweepPoint& point : sweep.points()) {
    failed += point.status == PointStatus::failed && point.measured ? 1 : 0;
  }
  const std::size_t cancelled = sweep.count(PointStatus::cancelled);
  if (failed + cancelled == 0) return {};
  std::string words;
  if (cancelled > 0) words = count_text(cancelled, "points were not run");
  if (failed > 0) words += (words.empty() ? "" : ", ") + count_text(failed, "failed");
  return words + ": continue with tensorscope sweep --resume --out " + out.string();
}

base::Result<void> draw_figure(const SweepCommand& command, const sweep::Sweep& sweep,
                               const SweepNotes& notes) {
  TS_TRY(auto options, figure_options(command));
  options.caption = sweep::sweep_caption(sweep, notes.device, notes.versions);
  TS_TRY(auto graphics, Graphics::open(Graphics::Kind::off_screen, 64, 64));
  auto saved = save_sweep_figure(*graphics, sweep, options, command.out);
  if (!command.charts) return saved;
  options.width = kChartWidth;
  options.height = kChartHeight;
  for (const views::SweepChart chart :
       views::charts_of(sweep, views::analyse(sweep, options.look.fit, built_in_references()))) {
    options.only = chart;
    if (saved) saved = save_sweep_figure(*graphics, sweep, options, command.out);
  }
  return saved;
}

// "Sweeps of the course ...: lab6  LAB-6, LAB-7: attention, T=256:2048:x2, backend=naive,flash".
std::string sweep_presets_help() {
  std::string help = "Sweeps of the course, for --preset without WORKLOAD and --axis:\n";
  for (const sweep::SweepPreset& preset : built_in_sweeps().all()) {
    std::string name = "  " + preset.id;
    name.resize(std::max<std::size_t>(name.size() + 1, 14), ' ');
    help += name + preset.source + ": " + sweep::text_of(preset) + "\n";
  }
  return help + "\n";
}

// Runs the points of a sweep with progress on stderr, then writes sweep.json, sweep.csv, sweep.md,
// sweep.tex and the figure. Each point is in sweep.jsonl as soon as it has ended, so that --resume
// continues a sweep after Control-C, a crash or a full disk. Returns 0 when every point is known
// (out of memory is a result), 1 when some failed or are missing or a file could not be written.
Exit run_sweep(const SweepCommand& command) {
  if (const auto file = own_file_of(command.spec.model)) return sweep_own(command, *file);
  const InterruptGuard guard;
  Session session(make_engine_loader(), make_dry_runner_loader());
  TS_TRY(auto start, start_of(command, session.gpus()));
  TS_TRY(const auto figure, figure_options(command));
  TS_TRY(const auto parts, parts_from(command.parts, /*written=*/true, kPartsOfMany));
  const sweep::FitRange fit = figure.look.fit;
  sweep::Sweep sweep(start.spec);
  session.want_roof();

  wait_for_engine(session);
  if (session.engine() == nullptr) {
    return report(InterruptGuard::interrupted() ? "Cancelled" : session.engine_problem().sentence,
                  1);
  }
  if (start.spec.base.device == spec::DeviceKind::cuda && !command.predict &&
      !has_cuda(*session.engine())) {
    return base::fail(
        "This machine has no GPU to run on: give --predict for the memory the points would need");
  }
  const auto path = command.out / kJournalName;
  const bool continued = start.known || !sweep::is_new_journal(path);
  const auto names = names_of(
      {base::kSweepFiles, base::kCheckFiles, {"chart-*", kPointsFolder}, base::kReportFiles});
  // An existing journal is refused below, with advice.
  TS_TRY(auto folder, continued ? OutputFolder::continue_in(command.out, names)
                                : OutputFolder::claim(command.out, names));
  const Machine machine = read_machine();
  const sweep::SweepIdentity identity = sweep_identity(machine, *session.engine());
  if (start.known) {
    TS_TRY_DONE(sweep::same_identity(*start.known, identity, path));
    TS_TRY_DONE(sweep::restore(sweep, *start.known, path));
  }
  auto journal = start.known ? sweep::SweepJournal::resume(path, *start.known)
                             : sweep::SweepJournal::create(path, start.spec, identity);
  if (!journal) return report(journal.error().sentence, continued && !start.known ? 2 : 1);
  // Predicted points are run from here on, or the reverse.
  if (start.known && !(start.known->spec == start.spec)) {
    TS_TRY_DONE(or_failed(journal->widen(start.spec)));
  }
  if (!continued) {
    // Points without a journal belong to an earlier sweep.
    std::error_code ignored;
    std::filesystem::remove_all(command.out / kPointsFolder, ignored);
  }

  run_points(session, sweep, *journal, command.out);

  const nlohmann::json environment = environment_json(machine, session.engine());
  if (command.json) {
    print_json(to_json(sweep, environment, fit));
  } else {
    print_findings(sweep, fit);
  }
  int code = 0;
  if (auto written = journal->write_waiting(); !written) code = report(written.error(), 1);
  const SweepNotes notes = notes_of(machine, *session.engine(), sweep);
  auto written = write_sweep_files(command.out, sweep, environment, notes, fit, parts);
  if (written && parts.has(SavePart::pictures)) written = draw_figure(command, sweep, notes);
  const text::Texts texts = built_in_texts(figure.language);
  if (written) written = finish_with_report(folder, command.out, parts, texts);
  if (!written) {
    code = report(written.error(), 1);
  } else {
    print_written(command.out);
  }
  if (const std::string words = missing(sweep, command.out); !words.empty()) {
    code = report(words, 1);
  }
  return code;
}

}  // namespace

ParsedCommand sweep_command(CLI::App& app) {
  const auto options = std::make_shared<SweepCommand>();
  add_workload(app, options->spec);
  app.add_option("--axis", options->axes,
                 "What varies: T=256,512,1Ki or FROM:TO:xN, FROM:TO:+N, FROM:TO (powers of two); "
                 "twice for a plane")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  app.add_option("--series", options->series, "What the curves are: backend=naive,flash")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  add_spec_options(app, options->spec);
  app.add_option("--steps", options->steps,
                 "Timed steps of a point; default: until the median is sure")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--max-seconds", options->max_seconds, "A point that takes longer is too slow")
      ->check(CLI::Range(0.1, 1e6));
  app.add_option("--gpu", options->gpu, "On this card: device=cuda, target_gpu=NAME")
      ->type_name("NAME");
  app.add_flag("--predict", options->predict,
               "Only dry runs: the memory of every point, nothing is run");
  app.add_option("--out", options->out, "Write the points, tables and the figure there")
      ->type_name("DIR")
      ->required();
  add_parts(app, options->parts);
  app.add_option("--fit", options->fit, "Fit slopes over these values of the first axis only")
      ->type_name("FROM:TO");
  app.add_option("--linear", options->linear, "Linear axes of the figure: x, y or xy");
  app.add_option("--log", options->log, "Logarithmic axes of the figure: x, y or xy");
  app.add_option("--size", options->size, "Pixels of the figure")->type_name("WxH");
  app.add_option("--theme", options->theme, "Of the figure: light or dark");
  app.add_option("--lang", options->language, "Of the figure: en, zh-CN or zh-TW");
  app.add_flag("--charts", options->charts,
               "Write every chart alone, too: chart-NAME.png, .svg and .csv");
  app.add_flag("--resume", options->resume, "Go on with the sweep in --out");
  add_json(app, options->json);
  add_own_options(app, options->own);
  app.footer(sweep_presets_help() + presets_help() + cards_help() + spec::field_help());
  return parsed_command(options, run_sweep);
}

}  // namespace ts::app
