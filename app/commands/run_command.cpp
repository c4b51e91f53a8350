#include "app/commands/run_command.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/commands/sweep_arguments.h"
#include "app/output/output_folder.h"
#include "app/output/own_report.h"
#include "app/ranks/rank_launcher.h"
#include "app/ranks/rank_results.h"
#include "app/ranks/whole_run.h"
#include "app/session/card_questions.h"
#include "app/session/catalogue.h"
#include "app/session/engine_loader.h"
#include "app/session/interrupt.h"
#include "app/session/languages.h"
#include "app/session/run_files.h"
#include "app/session/session.h"
#include "app/window/workspace_picture.h"
#include "core/base/clock.h"
#include "core/base/result_files.h"
#include "core/io/file.h"
#include "core/io/private_folder.h"
#include "core/memory/before_backward.h"
#include "core/memory/first_step.h"
#include "core/predict/share.h"
#include "core/report/efficiency.h"
#include "core/report/operator_report.h"
#include "core/report/recording_checks.h"
#include "core/report/recording_notes.h"
#include "core/report/result_curves.h"
#include "core/report/run_estimate.h"
#include "core/report/training_summary.h"
#include "core/report/verdict.h"
#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

// Once, before the first step has ended.
void print_estimate(const run::Run& run) {
  static bool printed = false;
  if (printed || !run.roof || run.seconds_left >= 0 || run.finished) return;
  printed = true;
  const auto estimate = report::estimate_run(run.spec, run.protocol, *run.roof);
  if (estimate && estimate->is_long()) note({report::estimate_text(*estimate).sentence});
}

std::string progress_of(const run::Run& run) {
  static const std::int64_t begin_ns = base::now_ns();
  std::string line = std::string(to_string(run.stage)) + ", ";
  // A compiler reports no progress.
  line +=
      run.stage == run::Stage::compiling
          ? text::decimal(static_cast<double>(base::now_ns() - begin_ns) * 1e-9, 0) + " s so far"
          : text::decimal(100.0 * static_cast<double>(run.fraction), 0) + " %";
  if (run.seconds_left >= 0) line += ", " + text::decimal(run.seconds_left, 0) + " s left";
  return line;
}

// "6.9812 to 5.5674 in 15 steps", one number where nothing is learnt.
std::string loss_text(const run::Run& run) {
  std::vector<double> losses;
  for (const report::StepInOrder& step : report::steps_in_order(run)) {
    // After timed warm-ups the recorded steps use a new model.
    const bool anew = run::fixed_warmups(run.spec) && std::string_view(step.kind) == "recorded";
    if (!anew) losses.push_back(step.times.loss);
  }
  if (losses.empty()) return {};
  if (run.spec.pass != spec::Pass::full_step) return text::decimal(losses.back(), 4);
  if (losses.size() == 1) return text::decimal(losses.front(), 4) + " in 1 step";
  return text::decimal(losses.front(), 4) + " to " + text::decimal(losses.back(), 4) + " in " +
         text::counted(losses.size(), "step");
}

void print_training(const run::Run& run) {
  const report::TrainingSummary training = report::training_summary(run);
  const std::string loss = training.bad_loss ? training.bad_loss->sentence
                           : training.loss   ? loss_text(run)
                                             : "";
  if (!loss.empty()) print_row("Loss", loss);
  if (training.gradient_norm) {
    print_row("Gradient norm", text::decimal(*training.gradient_norm, 4) + " before clipping");
  }
  if (training.loss_scale) {
    print_row("Loss scale",
              text::plain(*training.loss_scale) + ", doubles after " +
                  text::grouped(run.spec.growth_interval - training.clean_steps.value_or(0)) +
                  " more clean steps, skipped so far: " + text::grouped(training.skipped_steps));
  }
  if (const std::string state = optimizer_state_text(run.spec); !state.empty()) {
    print_row("Optimizer state", state);
  }
  print_types(run.facts.types);
}

// Autocast keeps other lists of operators on a card than on a CPU.
void print_types_on_card(Session& session) {
  const run::Run& run = *session.run();
  if (run.spec.device != spec::DeviceKind::cpu || !report::mixes_types(run.facts.types)) return;
  const auto on_card = types_on_card(session.dry_runner(), session.strings(), run.spec);
  std::string words;
  for (const run::NamedType& one : report::other_types(run.facts.types, on_card))
    words += (words.empty() ? "" : ", ") + one.name + " " + one.type;
  if (!words.empty()) print_row("Other types on CUDA", words + ", by a dry run");
}

std::string text_of(const run::RecordingCost& cost) {
  const std::string probes = text::counted(cost.probes, "probe");
  if (!cost.ci95) return "unclear: " + probes + ", too few for a confidence interval";
  const std::string interval = "95 % CI " + text::percent(cost.ci95->low, 1) + " to " +
                               text::percent(cost.ci95->high, 1) + " %, " + probes;
  if (!cost.clear()) return "unclear: " + interval;
  return text::percent(cost.percent, 1) + " % of a step, " + interval;
}

void print_part(const run::Run& run, const char* title, std::int64_t run::StepTimes::*part) {
  const run::TimingSummary timing = run.timing_of(part);
  if (timing.n == 0) return;
  std::string words = text::duration_ms(timing.median_ms).joined();
  if (timing.std_ms >= 0) {
    words += ", mean " + text::duration_ms(timing.mean_ms).joined() + " \xc2\xb1 " +
             text::duration_ms(timing.std_ms).joined();
  }
  print_row(title, words);
}

void print_times(const run::Run& run) {
  const run::TimingSummary timing = run.timing();
  if (timing.n == 0) return;
  std::string step = text::duration_ms(timing.median_ms).joined();
  if (timing.ci95_low_ms >= 0) {
    step += ", 95 % CI " + text::duration_ms(timing.ci95_low_ms).joined() + " to " +
            text::duration_ms(timing.ci95_high_ms).joined();
  }
  print_row("Step time, median", step + ", n = " + std::to_string(timing.n) + ", " +
                                     to_string(run.spec.cache) + " cache");
  if (const auto called = run.unsynchronised_ms()) {
    print_row("  without waiting", text::duration_ms(*called).joined() +
                                       ": when the calls have returned and the "
                                       "device still computes");
  } else {
    print_row("  without waiting", "\xe2\x80\x93 on cpu: a call returns with its result");
  }
  if (!timing.settled) print_row("", "warm-up did not settle: take the figure with care");
  if (timing.std_ms >= 0) {
    print_row("  mean, std", text::duration_ms(timing.mean_ms).joined() + " \xc2\xb1 " +
                                 text::duration_ms(timing.std_ms).joined());
  }
  std::string tail;
  const auto add = [&tail](const std::string& words) {
    tail += (tail.empty() ? "" : ", ") + words;
  };
  if (timing.p90_ms >= 0) add("P90 " + text::duration_ms(timing.p90_ms).joined());
  if (timing.p99_ms >= 0) add("P99 " + text::duration_ms(timing.p99_ms).joined());
  if (timing.outliers > 0) {
    add(text::grouped(timing.outliers) + " of " + text::grouped(timing.n) + " above " +
        text::duration_ms(timing.outlier_above_ms).joined());
  }
  if (!tail.empty()) print_row("  slow steps", tail);
  if (run::many_outliers(timing)) {
    print_row("", "so many slow steps are not the workload's: something else ran at the time");
  }
  if (run.spec.pass == spec::Pass::generate) {
    print_part(run, "  prefill", &run::StepTimes::prefill_ns);
    print_part(run, "  decode", &run::StepTimes::decode_ns);
    if (const auto tokens = run.decode_tokens_per_s()) {
      const std::int64_t batch = run.spec.batch;
      print_row(
          "  decode rate",
          text::rate(*tokens, "tokens").joined() + ", " +
              text::duration_ns(1e9 * static_cast<double>(batch) / *tokens).joined() +
              (batch == 1 ? std::string(" a token")
                          : " for a token of each of " + text::grouped(batch) + " sequences"));
    }
  } else {
    print_part(run, "  forward", &run::StepTimes::forward_ns);
  }
  print_part(run, "  backward", &run::StepTimes::backward_ns);
  print_part(run, "  optimizer", &run::StepTimes::optimizer_ns);
  // Only the exercise on warm-up needs these; otherwise warm-ups only let the times settle.
  if (!run::fixed_warmups(run.spec)) return;
  std::string first;
  for (const run::StepTimes& one : run.warmup_steps) {
    first +=
        (first.empty() ? "" : ", ") + text::duration_ns(static_cast<double>(one.total_ns)).joined();
  }
  print_row("  warm-up steps", first.empty() ? "none" : first);
  print_row("  first timed step",
            text::duration_ns(static_cast<double>(run.timed_steps.front().total_ns)).joined());
}

// The first new tokens of the first sequence.
std::string token_words(const std::vector<std::int64_t>& tokens) {
  constexpr std::size_t kShown = 16;
  std::string words;
  for (std::size_t i = 0; i < std::min(tokens.size(), kShown); ++i) {
    words += (i == 0 ? "" : " ") + std::to_string(tokens[i]);
  }
  if (tokens.size() > kShown) {
    words += " and " + text::grouped(tokens.size() - kShown) + " more";
  }
  return words;
}

void print_result(const run::Run& run, const run::NamedNumber& one) {
  if (run.spec.workload == spec::WorkloadKind::layernorm) {
    const auto error = report::largest_of(run.facts, one.name);
    print_row(one.name.c_str(),
              "largest error " + (error ? fmt::format("{:.2e}", *error) : text::kNoNumber) + ", " +
                  text::grouped(static_cast<std::int64_t>(one.value)) + " inf or nan");
    return;
  }
  print_row(one.name.c_str(), text::decimal(one.value, 4) + ", error " +
                                  text::percent((one.value / one.exact - 1) * 100, 3) + " %");
}

void print_summary(const run::Run& run) {
  std::printf("%s\n", report::verdict_sentence(run).sentence.c_str());
  if (run.verdict == run::Verdict::failed && report::steps_in_order(run).empty()) return;
  print_times(run);
  if (const auto tokens = run.tokens_per_s()) {
    print_row("Throughput", text::rate(*tokens, "tokens").joined());
  }
  if (const auto tflops = run.tflops_per_s()) {
    print_row("Compute", text::rate(*tflops * 1e12, "FLOP").joined());
  }
  for (const report::Utilisation& one : report::utilisations(run)) {
    print_row("MFU", text::decimal(one.share * 100, 1) + " % by " + one.flops.formula + ", of " +
                         text::rate(one.peak.tflops * 1e12, "FLOP").joined() + " (" +
                         one.peak.source.sentence + ")");
    if (!one.over.sentence.empty()) print_row("", one.over.sentence);
  }
  print_row("Peak allocated", text::bytes(run.peak_allocated()).joined() + " of " +
                                  text::bytes(run.limit).joined() + " (" + run.limit_source + ")");
  if (const auto first = memory::first_step(run.memory))
    print_row("First step", text::bytes(first->bytes).joined() + " at most");
  if (const auto before = memory::before_backward(run.memory)) {
    print_row("Before backward", text::bytes(before->bytes).joined() + " allocated");
  }
  if (!run.facts.backend_ran.empty()) print_row("Backend that ran", run.facts.backend_ran);
  if (run.facts.compile_s > 0) {
    print_row("Compiled", text::decimal(run.facts.compile_s, 1) + " s, once for this shape");
  }
  print_training(run);
  for (const run::NamedNumber& one : run.facts.results) print_result(run, one);
  if (!run.facts.generated.empty()) print_row("Generated", token_words(run.facts.generated));
  if (!run.facts.generated_text.empty()) print_row("  as text", run.facts.generated_text);
  print_row("Recorded", text::counted(run.trace.slice_count(), "slice") + ", " +
                            text::counted(run.memory.events().size(), "memory event") + ", " +
                            text::grouped(run.dropped) + " dropped");
  if (std::abs(run.clock_drift_ns) > run::kReportedDrift) {
    print_row("Clock drift",
              text::duration_ms(static_cast<double>(run.clock_drift_ns) * 1e-6).joined() +
                  " between the GPU's records and ours, in one recording");
  }
  if (const auto errors = report::value_errors(run)) print_row("Values", errors->second.sentence);
  if (const auto cost = run.recording_cost()) print_row("Cost of recording", text_of(*cost));
  for (const base::Message& note : report::recording_notes(run)) print_row("Note", note.sentence);
}

base::Result<void> draw_run(Session& session, const std::filesystem::path& folder) {
  TS_TRY(auto graphics, Graphics::open(Graphics::Kind::off_screen, 64, 64));
  Preferences preferences = default_preferences();
  preferences.spec = session.run()->spec;
  session.predictions().follow(preferences.spec, session.engine());
  session.predictions().finish(kPredictionTime);
  return save_run_pictures(*graphics, session, WorkspaceState(preferences), folder);
}

// The files of a rank's folder: a few hundred pictures would be of little use.
SaveParts parts_of_rank(SaveParts parts) {
  parts.set(SavePart::pictures, false);
  parts.set(SavePart::report, false);
  return parts;
}

std::string seconds_so_far(std::int64_t begin_ns) {
  return text::decimal(static_cast<double>(base::now_ns() - begin_ns) * 1e-9, 0) + " s so far";
}

// Notes as they stand in run.json: about the run, or about a moment of its recording.
base::Result<nlohmann::json> notes_from(const std::vector<std::string>& given) {
  auto notes = nlohmann::json::array();
  for (const std::string& one : given) {
    nlohmann::json& note = notes.emplace_back(nlohmann::json{{"text", one}});
    if (!one.starts_with('@')) continue;
    const char* const end = one.data() + one.size();
    double ms = 0;
    const auto [after, error] = std::from_chars(one.data() + 1, end, ms);
    if (error != std::errc() || !std::isfinite(ms) || ms < 0 || after == end || *after != ' ')
      return text::fail("run_error.note", {{"note", one}});
    note = {{"text", std::string(after + 1, end)}, {"at_ms", ms}};
  }
  return notes;
}

// Starts the ranks as processes of this program and tells what they did.
Exit run_together(const RunCommand& command, const run::World& world) {
  TS_TRY(const auto spec, spec_from_arguments(command.spec, built_in_gpus()));
  if (const auto problem = predict::shard_problem(spec, world)) return tl::unexpected(*problem);
  TS_TRY(const auto parts, parts_from(command.parts, command.out.has_value()));
  note(without_effect(command.spec.settings, spec));
  if (const auto lacks = spec::lacks_numbers(spec); !lacks.empty()) note({lacks.sentence});
  if (const auto held = spec::holds_dimensions(spec); !held.empty()) note({held.sentence});
  std::optional<OutputFolder> folder;
  std::optional<io::PrivateFolder> temporary;
  RankRun ranks{.spec = spec,
                .world = world,
                .options = {"--parts", parts_of_rank(parts).names()},
                .program = program_path()};
  if (command.steps > 0) {
    ranks.options.insert(ranks.options.end(), {"--steps", std::to_string(command.steps)});
  }
  if (command.check_values) ranks.options.emplace_back("--check-values");
  for (const std::string& one : command.notes)
    ranks.options.insert(ranks.options.end(), {"--note", one});
  if (!command.ranks.hosts.empty()) {
    TS_TRY(ranks.hosts,
           hosts_of_ranks(command.ranks.hosts, static_cast<std::size_t>(world.place.size)));
  }
  if (command.out) {
    TS_TRY(folder, OutputFolder::claim(*command.out, kRankFiles));
    TS_TRY(ranks.folder, io::absolute_path(*command.out));
  } else {
    TS_TRY(auto made, or_failed(io::PrivateFolder::make(std::filesystem::temp_directory_path(),
                                                        "tensorscope-ranks-")));
    temporary.emplace(std::move(made));
    ranks.folder = temporary->path();
  }
  const std::int64_t begin_ns = base::now_ns();
  ProgressLine progress;
  const std::string count = text::counted(world.place.size, "rank");
  const InterruptGuard guard;
  const base::CancelToken cancel;
  const auto ran = run_and_gather(ranks, cancel, [&] {
    if (InterruptGuard::interrupted()) cancel.cancel();
    if (!progress.is_shown_here()) return;
    const auto rank = progress_of_ranks(ranks.folder);
    const std::string stage =
        rank ? rank->stage.sentence + ", " + std::to_string(rank->percent) + " %, " : "";
    progress.show(count + ", " + stage + seconds_so_far(begin_ns));
  });
  progress.clear();
  if (!ran) return report(ran.error(), 1);
  if (command.json) {
    print_json(ran->document);
  } else if (ran->problem.empty()) {
    std::printf("%s ran%s\n", count.c_str(), world.place.size > 1 ? " together" : "");
    for (const auto& [title, words] : rank_rows(ran->document)) print_row(title.c_str(), words);
  }
  if (folder) {
    TS_TRY_DONE(or_failed(folder->finish()));
    print_written(*command.out);
  }
  if (ran->problem.empty()) return 0;
  std::string sentence = ran->problem.sentence;
  if (command.out) sentence += "; what the ranks recorded is in " + command.out->string();
  return report(sentence, ran->bad_input ? 2 : 1);
}

// Runs the workload on the worker, prints the verdict (or one JSON document) and writes the files
// of --out.
Exit run_workload(const RunCommand& given) {
  if (const auto file = own_file_of(given.spec.model)) return run_own(given, *file);
  RunCommand command = given;
  TS_TRY(const auto notes, notes_from(command.notes));
  const bool launched = started_by_our_launcher();
  TS_TRY(const auto world, world_of(command.ranks));
  if (world && command.ranks.world != "env") return run_together(command, *world);
  const std::int64_t begin_unix_ns = base::unix_now_ns();
  const auto whole = command.out;  // the folder of all ranks
  if (world && whole) {
    TS_TRY_DONE(io::make_folder(*whole));
    command.out = folder_of_rank(*whole, static_cast<std::size_t>(world->place.rank));
  }
  Session session(make_engine_loader(), make_dry_runner_loader());
  TS_TRY(const auto spec, spec_from_arguments(command.spec, session.gpus()));

  TS_TRY(const auto asked, parts_from(command.parts, command.out.has_value()));
  const SaveParts parts = world ? parts_of_rank(asked) : asked;

  note(without_effect(command.spec.settings, spec));
  if (const auto lacks = spec::lacks_numbers(spec); !lacks.empty()) note({lacks.sentence});
  if (const auto held = spec::holds_dimensions(spec); !held.empty()) note({held.sentence});
  TS_TRY(auto folder, OutputFolder::claim_if(command.out, names_of({kRunFiles, base::kCheckFiles,
                                                                    base::kReportFiles})));
  if (world) {
    session.set_world(*world);
  } else {
    session.want_roof();
  }
  run::Protocol protocol;
  protocol.check_values = command.check_values;
  if (command.steps > 0) take_steps(protocol, command.steps);
  ProgressLine progress;
  run_to_end(session, spec, protocol, [&](const run::Run& run) {
    print_estimate(run);
    if (launched && world->place.rank == 0) print_progress(run);
    if (progress.is_shown_here()) progress.show(progress_of(run));
  });
  progress.clear();
  // Our launcher ends what hangs; what was recorded is written first.
  if (launched) std::signal(SIGTERM, SIG_IGN);
  if (session.run() == nullptr || session.engine() == nullptr)
    return report(session.engine_problem(), 1);
  const run::Run& run = *session.run();
  nlohmann::json document = document_of(session);
  if (!notes.empty()) document["notes"] = notes;
  if (command.operators) document["operators"] = report::operators_json(run, session.strings());
  const bool tells = !world || world->place.rank == 0;
  if (!tells) {
    if (run.verdict != run::Verdict::ok) report(report::verdict_sentence(run).sentence, 1);
  } else if (command.json) {
    print_json(document);
  } else {
    print_summary(run);
    print_types_on_card(session);
    if (command.log) {
      for (const std::string& line : report::log_lines(run)) std::printf("%s\n", line.c_str());
    }
  }
  if (command.out) {
    TS_TRY_DONE(or_failed(write_run(*command.out, session, document, parts)));
    if (parts.has(SavePart::pictures)) {
      TS_TRY_DONE(or_failed(draw_run(session, *command.out)));
    }
    TS_TRY_DONE(or_failed(finish_with_report(*folder, *command.out, parts, built_in_texts())));
    if (tells) print_written(*command.out);
  }
  if (world && whole && !launched && world->place.rank == 0) {
    TS_TRY_DONE(or_failed(gather_when_written(*whole, *world, begin_unix_ns)));
  }
  return run.verdict == run::Verdict::ok ? 0 : 1;
}

// --world and what goes with it.
void add_rank_options(CLI::App& command, RankOptions& options) {
  CLI::Option* const world = command.add_option(
      "--world", options.world,
      "Run as so many ranks, processes of this machine that share the batch and exchange gradients "
      "as PyTorch's DistributedDataParallel does: N x B rows. env: be one rank, as torchrun, "
      "mpirun "
      "or srun say");
  world->type_name("N|env");
  constexpr double kLongest = 86400;
  constexpr double kLargestMib = 65536;
  command
      .add_option("--timeout", options.timeout_s,
                  "Seconds that a rank waits for another one at most; default 60")
      ->check(CLI::Range(1.0, kLongest))
      ->needs(world);
  command
      .add_option("--shard", options.shard,
                  "What the ranks divide: none (DistributedDataParallel), zero1 (optimizer state), "
                  "zero2 (and gradients), zero3 (and parameters); default none")
      ->type_name("NAME")
      ->needs(world);
  command
      .add_option("--bucket", options.bucket_mib,
                  "MiB of gradients that are exchanged together; default 25")
      ->check(CLI::Range(0.0, kLargestMib))
      ->needs(world);
  command
      .add_option("--first-bucket", options.first_bucket_mib,
                  "MiB of the bucket that is full first; default 1")
      ->check(CLI::Range(0.0, kLargestMib))
      ->needs(world);
  command
      .add_option("--compress", options.compress,
                  "How gradients travel: in 16 bits, or as factors of a low rank; default none")
      ->check(CLI::IsMember({"none", "bf16", "fp16", "powersgd"}))
      ->needs(world);
  constexpr std::int64_t kLargestRank = 65536;
  command
      .add_option("--powersgd-rank", options.factor_rank,
                  "With --compress powersgd: the rank of the factors; default 1")
      ->check(CLI::Range(std::int64_t{1}, kLargestRank))
      ->needs(world);
  command
      .add_option("--hosts", options.hosts,
                  "Start the ranks by ssh on the hosts of this file, a host a line (slots=4: four "
                  "ranks); program and --out have the same path on all of them")
      ->type_name("FILE")
      ->needs(world)
      ->needs("--out");
  command
      .add_flag("--sync-every", options.sync_every,
                "Exchange after every micro-batch, not only after the last one of a step")
      ->needs(world);
}

}  // namespace

ParsedCommand run_command(CLI::App& app) {
  const auto options = std::make_shared<RunCommand>();
  add_workload(app, options->spec);
  add_spec_options(app, options->spec);
  app.add_option("--steps", options->steps, "Timed steps; default: until the median is sure")
      ->check(CLI::Range(1, 1000000));
  app.add_flag("--check-values", options->check_values,
               "At the end compare output, loss and gradients with the same step in fp64 (C-26)");
  app.add_option("--out", options->out,
                 "Write run.json, snapshot, trace, tables and pictures there")
      ->type_name("DIR");
  add_parts(app, options->parts);
  app.add_option(
         "--note", options->notes,
         "About the run, or \"@MS TEXT\" about a moment of its recording; goes into run.json "
         "and the report; may be given several times")
      ->type_name("TEXT")
      ->expected(1)
      ->take_all();
  add_rank_options(app, options->ranks);
  add_own_options(app, options->own);
  add_json(app, options->json);
  app.add_flag("--operators", options->operators,
               "With --json also the operators: calls, self and total time, shares, bytes")
      ->needs("--json");
  app.add_flag("--log", options->log, "Print nanoGPT's line for every timed step, too");
  app.footer(presets_help() + spec::field_help());
  return parsed_command(options, run_workload);
}

}  // namespace ts::app
