#include "app/run_command.h"

#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "app/engine_loader.h"
#include "app/environment.h"
#include "app/session.h"
#include "app/shot_command.h"
#include "app/spec_arguments.h"
#include "core/base/clock.h"
#include "core/io/chrome_trace.h"
#include "core/io/file.h"
#include "core/io/snapshot_write.h"
#include "core/memory/snapshot_of_log.h"
#include "core/run/operator_report.h"
#include "core/run/run_json.h"
#include "core/run/training_summary.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

// A terminal gets one line that rewrites itself; a file or pipe gets nothing until the end.
void print_progress(const run::Run& run) {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  if (!terminal) return;
  std::string line = std::string(run::to_string(run.stage)) + ", " +
                     text::decimal(100.0 * static_cast<double>(run.fraction), 0) + " %";
  if (run.seconds_left >= 0) line += ", " + text::decimal(run.seconds_left, 0) + " s left";
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
}

void end_progress() {
  if (isatty(STDERR_FILENO) != 0) std::fputs("\r\033[K", stderr);
}

void print_row(const char* title, const std::string& value) {
  std::printf("  %-22s %s\n", title, value.c_str());
}

void print_training(const run::Run& run) {
  const run::TrainingSummary training = run::training_summary(run);
  if (training.bad_loss) print_row("Loss", training.bad_loss->sentence);
  if (training.gradient_norm) {
    print_row("Gradient norm", text::decimal(*training.gradient_norm, 4) + " before clipping");
  }
  if (training.loss_scale) {
    print_row("Loss scale", text::plain(*training.loss_scale) + ", " +
                                text::grouped(training.skipped_steps) + " steps skipped");
  }
  if (!run::mixes_types(run.facts)) return;
  for (const run::NamedType& type : run.facts.types) {
    print_row(&type == run.facts.types.data() ? "Types" : "", type.name + " " + type.type);
  }
}

void print_summary(const run::Run& run) {
  std::printf("%s\n", run::verdict_sentence(run).c_str());
  const run::TimingSummary timing = run.timing();
  if (timing.n > 0) {
    std::string step = text::duration_ns(timing.median_ms * 1e6).joined();
    if (timing.ci95_low_ms >= 0) {
      step += ", 95 % CI " + text::duration_ns(timing.ci95_low_ms * 1e6).joined() + " to " +
              text::duration_ns(timing.ci95_high_ms * 1e6).joined();
    }
    print_row("Step time, median", step + ", n = " + std::to_string(timing.n));
    if (!timing.stable) print_row("", "warm-up did not settle: take the figure with care");
  }
  if (const auto tokens = run.tokens_per_s()) {
    print_row("Throughput", text::rate(*tokens, "tokens").joined());
  }
  if (const auto tflops = run.tflops_per_s()) {
    print_row("Compute", text::decimal(*tflops, 3) + " TFLOP/s");
  }
  print_row("Peak allocated", text::bytes(run.memory.peak_bytes()).joined() + " of " +
                                  text::bytes(run.limit).joined() + " (" + run.limit_source + ")");
  if (!run.facts.backend_ran.empty()) print_row("Backend that ran", run.facts.backend_ran);
  print_training(run);
  print_row("Recorded", text::grouped(static_cast<std::int64_t>(run.trace.slice_count())) +
                            " slices, " +
                            text::grouped(static_cast<std::int64_t>(run.memory.events().size())) +
                            " memory events, " +
                            text::grouped(static_cast<std::int64_t>(run.dropped)) + " dropped");
  if (const auto overhead = run.recording_overhead_percent()) {
    print_row("Cost of recording", text::percent(*overhead, 1) + " %");
  }
}

// The run's memory as PyTorch's viewers open it, with the segments that its allocator would have.
base::Result<void> write_memory_snapshot(const std::filesystem::path& path,
                                         const Session& session) {
  const run::Run& run = *session.run();
  memory::SnapshotOfLogOptions options;
  options.memory_limit = run.limit;
  options.unix_offset_ns = base::unix_now_ns() - base::now_ns();
  const memory::Snapshot snapshot = memory::snapshot_of(run.memory, session.strings(), options);
  return io::write_snapshot(path, snapshot, io::SnapshotFormat::pickle);
}

base::Result<void> write_outputs(const std::filesystem::path& folder, Session& session,
                                 const nlohmann::json& document) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return base::fail("The folder " + folder.string() + " cannot be made: " + error.message());
  }
  if (auto written = io::write_file(folder / "run.json", document.dump(2) + "\n"); !written) {
    return written;
  }
  const nlohmann::json metadata = {{"spec", document.at("spec")},
                                   {"environment", document.at("environment")}};
  if (auto written =
          io::write_chrome_trace(folder / "trace.json", session.strings(), session.run()->trace,
                                 session.run()->memory, metadata.dump());
      !written) {
    return written;
  }
  if (auto written = write_memory_snapshot(folder / "snapshot.pickle", session); !written) {
    return written;
  }
  const run::Run& run = *session.run();
  const base::StringTable& strings = session.strings();
  const auto by_operator =
      stats::operator_table(run.trace, run.memory, strings, stats::GroupBy::op);
  if (auto written = io::write_file(folder / "operators.csv",
                                    io::to_csv(run::operator_text(by_operator, strings)));
      !written) {
    return written;
  }
  if (auto written = io::write_file(folder / "operators.md", run::operators_markdown(run, strings));
      !written) {
    return written;
  }
  return save_run_pictures(session, folder);
}

int report_bad_input(const std::string& sentence) {
  std::fprintf(stderr, "tensorscope: %s\n", sentence.c_str());
  return 2;
}

}  // namespace

int run_workload(const RunCommand& command) {
  Session session(make_engine_loader(), make_dry_runner_loader());
  const auto spec = spec_from_arguments(command.spec, session.gpus());
  if (!spec) return report_bad_input(spec.error().sentence);

  run::Protocol protocol;
  if (command.steps > 0) {
    protocol.min_samples = protocol.max_samples = command.steps;
    protocol.hard_budget_s = 1e9;
  }
  run_to_end(session, *spec, protocol, print_progress);
  end_progress();
  if (session.run() == nullptr || session.engine() == nullptr) {
    std::fprintf(stderr, "tensorscope: %s\n", session.engine_problem().c_str());
    return 1;
  }
  const run::Run& run = *session.run();
  nlohmann::json document = run::to_json(run, environment_json(read_machine(), session.engine()));
  if (command.operators) document["operators"] = run::operators_json(run, session.strings());
  if (command.json) {
    std::printf("%s\n", document.dump(2).c_str());
  } else {
    print_summary(run);
  }
  if (command.out) {
    if (auto written = write_outputs(*command.out, session, document); !written) {
      std::fprintf(stderr, "tensorscope: %s\n", written.error().sentence.c_str());
      return 1;
    }
    std::fprintf(stderr, "Wrote %s\n", command.out->string().c_str());
  }
  return run.verdict == run::Verdict::ok ? 0 : 1;
}

}  // namespace ts::app
