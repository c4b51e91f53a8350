#include "app/sweep_command.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <system_error>
#include <thread>

#include "app/catalogue.h"
#include "app/engine_loader.h"
#include "app/environment.h"
#include "app/interrupt.h"
#include "app/report.h"
#include "app/sweep_arguments.h"
#include "app/sweep_files.h"
#include "app/sweep_runner.h"
#include "core/io/file.h"
#include "core/run/sweep_table.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

using namespace std::chrono_literals;

bool has_cuda(const run::EngineInfo& engine) {
  return std::any_of(engine.devices.begin(), engine.devices.end(), [](const auto& device) {
    return device.kind == run::DeviceKind::cuda && device.unavailable.empty();
  });
}

// The sweep that is asked for: from the command line, or with --resume from the journal.
struct Start {
  run::SweepSpec spec;
  std::optional<run::JournalContent> known;
};

base::Result<Start> start_of(const SweepCommand& command, const run::GpuCatalogue& catalogue) {
  Start start;
  if (!command.resume) {
    auto spec = spec_of(command, catalogue);
    if (!spec) return tl::unexpected(spec.error());
    start.spec = std::move(*spec);
    return start;
  }
  auto known = run::read_journal(command.out / kJournalName);
  if (!known) return tl::unexpected(known.error());
  if (describes_a_sweep(command)) {
    const auto spec = spec_of(command, catalogue);
    if (!spec) return tl::unexpected(spec.error());
    if (!(*spec == known->spec)) {
      return base::fail("The sweep in " + command.out.string() +
                        " is another one: give --resume alone to continue it, or another folder");
    }
  }
  start.spec = known->spec;
  start.known = std::move(*known);
  return start;
}

void wait_for_engine(Session& session) {
  while (session.engine() == nullptr && session.engine_problem().empty() &&
         !InterruptGuard::interrupted()) {
    if (!session.update()) std::this_thread::sleep_for(2ms);
  }
}

// "naive, T = 2,048".
std::string point_words(const run::Sweep& sweep, const run::SweepPoint& point) {
  std::string words = sweep.series()[point.series].label;
  for (std::size_t i = 0; i < point.at.size(); ++i) {
    words += std::string(words.empty() ? "" : ", ") + run::field_name(sweep.spec().axes[i].field) +
             " = " + text::grouped(point.at[i]);
  }
  return words;
}

class Progress {
 public:
  explicit Progress(const run::Sweep& sweep) : sweep_(&sweep) {}

  // One line for each point that has ended.
  void point(std::size_t index) {
    clear();
    const run::SweepPoint& point = sweep_->points()[index];
    std::string line = point_words(*sweep_, point) + ": ";
    if (point.status == run::PointStatus::ok) {
      line += text::duration_ns(point.measurement.step.median_ms * 1e6).joined() + ", peak " +
              text::bytes(point.measurement.peak_allocated).joined();
    } else {
      line += run::to_string(point.status);
      if (!point.reason.empty()) line += ", " + point.reason;
    }
    std::fprintf(stderr, "%s\n", line.c_str());
  }

  // A terminal gets a last line that rewrites itself.
  void now(const Session& session, bool predicting) {
    if (!terminal_ || std::chrono::steady_clock::now() < next_) return;
    next_ = std::chrono::steady_clock::now() + 100ms;
    const std::size_t total = sweep_->points().size();
    const std::size_t open = sweep_->count(run::PointStatus::pending) + (sweep_->running() ? 1 : 0);
    std::string line = text::grouped(static_cast<std::int64_t>(total - open)) + " of " +
                       text::grouped(static_cast<std::int64_t>(total)) + " points";
    if (predicting) line += ", predicting";
    if (sweep_->running() && session.run() != nullptr) {
      line += std::string(", ") + run::to_string(session.run()->stage);
    }
    if (const double left = sweep_->seconds_left(); left >= 0) {
      line += ", about " + text::decimal(left, 0) + " s left";
    }
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    shown_ = true;
  }

  void clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }

 private:
  const run::Sweep* sweep_;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

void run_points(Session& session, run::Sweep& sweep, run::SweepJournal& journal,
                const std::filesystem::path& folder, bool only_predict) {
  SweepRunner runner(session, sweep, &journal);
  if (only_predict) runner.pause();
  runner.keep_points(folder / kPointsFolder);
  Progress progress(sweep);
  std::string told;
  runner.on_point = [&](std::size_t point) {
    progress.point(point);
    if (runner.journal_problem() != told) {
      told = runner.journal_problem();
      if (!told.empty()) report(told + " The points are kept in memory until there is room.", 1);
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
    std::fprintf(stderr, "%s\n", runner.recording_problem().c_str());
  }
}

std::string count_words(std::size_t count, const char* what) {
  return text::grouped(static_cast<std::int64_t>(count)) + " " + what;
}

// Why points could not be run or predicted at all, every reason once, with the first point of it.
std::vector<std::string> refusals(const run::Sweep& sweep) {
  std::vector<std::string> reasons;
  std::vector<std::string> sentences;
  for (const run::SweepPoint& point : sweep.points()) {
    const bool failed = point.status == run::PointStatus::failed;
    const std::string& reason = failed ? point.reason : point.prediction.problem;
    if (reason.empty() || (point.measured && !failed) ||
        std::ranges::find(reasons, reason) != reasons.end())
      continue;
    reasons.push_back(reason);
    sentences.push_back(point_words(sweep, point) + ": " + reason);
  }
  return sentences;
}

void print_findings(const run::Sweep& sweep, run::FitRange fit) {
  std::printf("%s\n", io::to_markdown(run::homework_table(sweep)).c_str());
  for (const std::string& sentence : run::findings(sweep, fit))
    std::printf("%s\n", sentence.c_str());
  for (const std::string& sentence : refusals(sweep)) std::printf("%s\n", sentence.c_str());
}

// What is still missing, as a sentence; empty when nothing is.
std::string missing(const run::Sweep& sweep, const std::filesystem::path& out) {
  using run::PointStatus;
  std::size_t failed = 0;
  for (const run::SweepPoint& point : sweep.points()) {
    failed += point.status == PointStatus::failed && point.measured ? 1 : 0;
  }
  const std::size_t cancelled = sweep.count(PointStatus::cancelled);
  if (failed + cancelled == 0) return {};
  std::string words;
  if (cancelled > 0) words = count_words(cancelled, "points were not run");
  if (failed > 0) words += (words.empty() ? "" : ", ") + count_words(failed, "failed");
  return words + ": continue with tensorscope sweep --resume --out " + out.string();
}

base::Result<void> draw_figure(const SweepCommand& command, const run::Sweep& sweep,
                               const SweepNotes& notes) {
  auto options = figure_options(command);
  if (!options) return tl::unexpected(options.error());
  options->caption = run::sweep_caption(sweep, notes.device, notes.versions);
  auto graphics = Graphics::open(Graphics::Kind::off_screen, 64, 64);
  if (!graphics) return tl::unexpected(graphics.error());
  auto saved = save_sweep_figure(**graphics, sweep, *options, command.out);
  if (!command.charts) return saved;
  options->width = kChartWidth;
  options->height = kChartHeight;
  for (const views::SweepChart chart :
       views::charts_of(sweep, views::analyse(sweep, options->look.fit, built_in_references()))) {
    options->only = chart;
    if (saved) saved = save_sweep_figure(**graphics, sweep, *options, command.out);
  }
  return saved;
}

}  // namespace

int run_sweep(const SweepCommand& command) {
  const InterruptGuard guard;
  Session session(make_engine_loader(), make_dry_runner_loader());
  auto start = start_of(command, session.gpus());
  if (!start) return report(start.error().sentence, 2);
  const auto figure = figure_options(command);
  if (!figure) return report(figure.error().sentence, 2);
  const run::FitRange fit = figure->look.fit;
  run::Sweep sweep(start->spec);
  session.want_roof();

  wait_for_engine(session);
  if (session.engine() == nullptr) {
    return report(InterruptGuard::interrupted() ? "Cancelled" : session.engine_problem(), 1);
  }
  if (start->spec.base.device == run::DeviceKind::cuda && !command.predict &&
      !has_cuda(*session.engine())) {
    return report(
        "This machine has no GPU to run on: give --predict for the memory the points would need",
        2);
  }
  if (auto made = io::make_folder(command.out); !made) return report(made.error().sentence, 2);
  const auto path = command.out / kJournalName;
  const Machine machine = read_machine();
  const run::SweepIdentity identity = sweep_identity(machine, *session.engine());
  if (start->known) {
    if (auto same = run::same_identity(*start->known, identity, path); !same) {
      return report(same.error().sentence, 2);
    }
    if (auto restored = run::restore(sweep, *start->known, path); !restored) {
      return report(restored.error().sentence, 2);
    }
  }
  std::error_code error;
  const bool there = std::filesystem::exists(path, error);
  auto journal = start->known ? run::SweepJournal::resume(path, *start->known)
                              : run::SweepJournal::create(path, start->spec, identity);
  if (!journal) return report(journal.error().sentence, there && !start->known ? 2 : 1);

  run_points(session, sweep, *journal, command.out, command.predict);

  const nlohmann::json environment = environment_json(machine, session.engine());
  if (command.json) {
    std::printf("%s\n", run::to_json(sweep, environment, fit).dump(2).c_str());
  } else {
    print_findings(sweep, fit);
  }
  int code = 0;
  if (auto written = journal->write_waiting(); !written) code = report(written.error().sentence, 1);
  const SweepNotes notes = notes_of(machine, *session.engine(), sweep);
  if (auto written = write_sweep_files(command.out, sweep, environment, notes, fit); !written) {
    code = report(written.error().sentence, 1);
  } else if (auto drawn = draw_figure(command, sweep, notes); !drawn) {
    code = report(drawn.error().sentence, 1);
  } else {
    std::fprintf(stderr, "Wrote %s\n", command.out.string().c_str());
  }
  if (const std::string words = missing(sweep, command.out); !words.empty()) {
    code = report(words, 1);
  }
  return code;
}

}  // namespace ts::app
