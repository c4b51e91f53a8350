#include "app/commands/predict_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/output/named_files.h"
#include "app/output/output_folder.h"
#include "app/output/own_report.h"
#include "app/output/prediction_files.h"
#include "app/own_file/own_lines.h"
#include "app/session/card_questions.h"
#include "app/session/catalogue.h"
#include "app/session/engine_loader.h"
#include "app/session/interrupt.h"
#include "app/session/languages.h"
#include "app/window/workspace_picture.h"
#include "core/base/result_files.h"
#include "core/cluster/cluster_hunt.h"
#include "core/io/file.h"
#include "core/io/text_table.h"
#include "core/predict/data_parallel.h"
#include "core/report/live_tables.h"
#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "views/calculate/cluster_document.h"

namespace ts::app {
namespace {

struct Question {
  spec::WorkloadSpec spec;
  predict::PredictionTarget target;
  predict::Share share;
};

base::Result<Question> read_question(const PredictCommand& command,
                                     const spec::GpuCatalogue& gpus) {
  Question question;
  SpecArguments arguments = command.spec;
  if (command.alloc_conf) arguments.settings.push_back("alloc_conf=" + *command.alloc_conf);
  TS_TRY(auto found, targeted_spec(std::move(arguments), command.gpu, command.cpu, gpus));
  question.spec = std::move(found.spec);
  question.target = std::move(found.target);
  TS_TRY(question.share, share_of(command.share, question.spec));
  if (!command.data_parallel) return question;
  if (!question.share.whole()) return base::fail("--data-parallel is --ranks 2: give one of them");
  question.share.ranks = 2;
  return question;
}

// "one rank; 20 buckets hold 490.7 MiB of gradients a second time"
std::string rank_text(const predict::DryRun& rank) {
  const std::vector<std::int64_t> buckets = predict::buckets_of(rank);
  const std::int64_t bytes = std::accumulate(buckets.begin(), buckets.end(), std::int64_t{0});
  return "one rank; " + std::to_string(buckets.size()) +
         (buckets.size() == 1 ? " bucket holds " : " buckets hold ") + size_as_text(bytes) +
         " of gradients a second time";
}

// True if the ranks are of DistributedDataParallel.
bool has_buckets(const predict::Share& share) {
  return share.ranks > 1 && !share.shards_gradients();
}

nlohmann::json share_json(const predict::Share& share) {
  const nlohmann::json rank = share.rank < 0 ? nlohmann::json() : nlohmann::json(share.rank);
  return {{"ranks", share.ranks},   {"shard", to_string(share.shard)},
          {"tensor", share.tensor}, {"pipeline", share.pipeline},
          {"stage", share.stage},   {"rank", rank},
          {"cards", share.cards()}, {"words", share_text(share)}};
}

std::string settings_of(const spec::WorkloadSpec& spec) {
  constexpr std::array kShown = {spec::Field::backend,  spec::Field::dtype, spec::Field::autocast,
                                 spec::Field::B,        spec::Field::T,     spec::Field::pass,
                                 spec::Field::optimizer};
  return spec::settings_text(spec, kShown);
}

// The arguments that were given; the others are the file's.
std::string settings_of(const OwnQuestion& own) {
  return text::printable(own_title(own)) +
         (own.settings.empty() ? ", arguments as in the file" : ", others as in the file");
}

void print_answer(const Question& question, const CardAnswer& answer, const std::string& settings) {
  const predict::Prediction& prediction = answer.now.prediction;
  const predict::PredictionTarget& target = question.target;
  std::printf("%s\n", prediction.sentence.sentence.c_str());
  if (target.card && target.card->multiprocessors == 0)
    print_row("Assumed", text::grouped(target.multiprocessors) +
                             " multiprocessors, on which the size of some workspaces depends; "
                             "sm=N in the card's name tells it");
  if (!prediction.unchecked.empty()) std::printf("%s\n", prediction.unchecked.sentence.c_str());
  print_row("Settings", settings);
  const std::string dimensions = spec::dimensions_text(question.spec);
  if (!dimensions.empty()) print_row("Open dimensions", dimensions);
  if (!question.share.whole()) {
    print_row("Of one rank", share_text(question.share) + ", " +
                                 text::grouped(question.share.cards()) + " cards in all");
  }
  const predict::DryRun& run = answer.now.run;
  print_row("Parameters", text::grouped(run.parameters));
  if (run.trained > 0 && run.trained < run.parameters)
    print_row("Trained of them", text::grouped(run.trained));
  const predict::NeedChain& chain = prediction.chain;
  if (target.kind == spec::DeviceKind::cpu) {
    print_row("Tensors", size_as_text(chain.tensors) + ", all that is needed");
  } else {
    print_row("Tensors", size_as_text(chain.tensors));
    print_row("+ rounding", size_as_text(chain.rounding));
    print_row("+ cuBLAS workspaces", size_as_text(chain.workspaces));
    print_row("= peak allocated", size_as_text(chain.allocated()));
  }
  if (has_buckets(question.share)) print_row("Data parallel", rank_text(answer.now.run));
  if (answer.now.run.apart_bytes > 0) {
    print_row("Threads apart", "a run may take up to " + size_as_text(answer.now.run.apart_bytes) +
                                   " less: not all threads of flash's backward meet");
  }
  if (prediction.before_backward) {
    print_row("Before backward", size_as_text(*prediction.before_backward) + " allocated");
  }
  if (prediction.first_step) {
    print_row("First step", size_as_text(*prediction.first_step) +
                                " at most; the peak is that of the steps after it");
  }
  if (target.kind == spec::DeviceKind::cuda) {
    print_row("+ cached", size_as_text(chain.cached));
    print_row("= peak reserved", size_as_text(chain.reserved()));
    print_row("+ CUDA context", size_as_text(chain.context));
    print_row("= needed", size_as_text(chain.needed()));
    if (prediction.scratch_high > 0) {
      print_row("Scratch of kernels", size_as_text(prediction.scratch_low) + " to " +
                                          size_as_text(prediction.scratch_high) + " on top");
    }
  }
  const char* title = "At the peak";
  for (std::size_t i = 0; i < prediction.by_category.size(); ++i) {
    if (prediction.by_category[i] == 0) continue;
    print_row(std::exchange(title, ""),
              size_as_text(prediction.by_category[i]) + " " +
                  std::string(memory::category_name(static_cast<memory::Category>(i))));
  }
  if (const std::string state = optimizer_state_text(question.spec); !state.empty()) {
    print_row("Optimizer state", state);
  }
  for (const predict::Remedy& remedy : answer.remedies) {
    std::string words = size_as_text(remedy.needed);
    if (remedy.time_ratio) {
      words += ", time x " + text::decimal(*remedy.time_ratio, 2) + " (estimated)";
    }
    if (remedy.fit == predict::Fit::oom) words += ", still out of memory";
    for (const std::string& one : changed_settings(question.spec, remedy.spec)) {
      words += "  --set " + one;
    }
    print_row(to_string(remedy.kind), words);
  }
  print_types(answer.now.run.types);
  if (!answer.now.run.backend.empty()) print_row("Attention kernel", answer.now.run.backend);
  const std::int64_t took_ns = answer.now.run.duration_ns;
  print_row("Dry run",
            (took_ns > 0 ? text::duration_ns(static_cast<double>(took_ns)).joined() + ", " : "") +
                text::grouped(answer.now.run.log.events().size()) + " memory events");
}

base::Result<void> draw_prediction(const spec::WorkloadSpec& spec,
                                   const std::filesystem::path& folder) {
  Session session(make_engine_loader(), make_dry_runner_loader());
  wait_for_engine(session);
  TS_TRY(auto graphics, Graphics::open(Graphics::Kind::off_screen, 64, 64));
  Preferences preferences = default_preferences();
  preferences.spec = spec;
  session.predictions().follow(spec, session.engine());
  session.predictions().finish(kPredictionTime);
  return save_prediction_pictures(*graphics, session, WorkspaceState(preferences), folder);
}

void add_cluster(CLI::App& command, ClusterArguments& arguments) {
  const CLI::Range cards(std::int64_t{2}, predict::kMostRanks);
  CLI::Option* const cluster =
      command
          .add_option("--cluster", arguments.most,
                      "Instead: the fewest cards, up to MOST, on which each way of sharing fits, "
                      "and what it costs")
          ->type_name("MOST")
          ->check(cards);
  const auto add = [&](const char* name, auto& value, const char* help) {
    return command.add_option(name, value, std::string("With --cluster: ") + help)->needs(cluster);
  };
  add("--node", arguments.wiring.node, "cards of a node")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  add("--link", arguments.wiring.inside, "between cards of a node, PCIe ...")->type_name("NAME");
  add("--network", arguments.wiring.between, "between nodes")->type_name("NAME");
  add("--format", arguments.format, "md, csv or tex")->check(CLI::IsMember({"md", "csv", "tex"}));
  add("--lang", arguments.language, "en, zh-CN or zh-TW");
}

Exit answer_cluster(const ClusterArguments& arguments, const spec::WorkloadSpec& spec,
                    const predict::PredictionTarget& target,
                    std::unique_ptr<predict::DryRunner> runner, bool json) {
  const InterruptGuard guard;
  TS_TRY(const auto texts, built_in_texts(arguments.language));
  TS_TRY(const auto request, cluster::cluster_request(spec, target, built_in_links(),
                                                      arguments.wiring, arguments.most));
  predict::RankRunner ranks(std::move(runner), {});
  ProgressLine progress;
  const base::CancelToken cancel;
  const auto answer = cluster::hunt_cluster(
      request, ranks, built_in_scratch(),
      [&](const cluster::ClusterAnswer&, cluster::Mode mode, std::int64_t cards) {
        if (InterruptGuard::interrupted()) cancel.cancel();
        progress.show(std::string(texts(std::string("cluster.mode.") + to_string(mode))) + ": " +
                      std::to_string(cards));
      },
      cancel);
  progress.clear();
  if (!answer) return report(answer.error(), 2);
  if (json) return print_or_write(io::json_text(cluster::to_json(request, *answer)), {});
  return print_or_write(views::cluster_document(request, *answer, arguments.format, texts), {});
}

// The card and the settings of the allocator; all else of the specification says nothing.
base::Result<Question> question_of_own(const PredictCommand& command) {
  if (command.data_parallel || command.cluster.most > 0 || !command.share.share.whole() ||
      command.share.shard != "none") {
    return base::fail(
        "A Python file is predicted as it runs in one process: --data-parallel, "
        "--ranks, --tensor, --pipeline and --cluster are not for it");
  }
  PredictCommand plain = command;
  plain.spec = {};
  return read_question(plain, built_in_gpus());
}

base::Result<void> write_own_prediction(const PredictCommand& command, const Question& question,
                                        const CardAnswer& answer, const OwnDryRun& dry,
                                        const nlohmann::json& document, SaveParts parts) {
  const bool tables = parts.has(SavePart::tables);
  // Those of a specification of ours.
  parts.set(SavePart::tables, false);
  auto written =
      write_prediction(*command.out, answer.now, question.spec, *dry.strings, document, parts);
  if (!written || !tables) return written;
  const io::TextTable live =
      report::live_table(answer.now.run.log, *dry.strings, answer.now.prediction.peak_event);
  return write_files(*command.out,
                     {{"peak.csv", io::to_csv(live)}, {"peak.md", io::to_markdown(live)}});
}

// Those that hold the most at the peak.
void print_lines(const std::vector<OwnLine>& lines) {
  for (std::size_t i = 0; i < std::min(kLinesShown, lines.size()); ++i) {
    print_row(i == 0 ? "Peak by line" : "",
              size_as_text(lines[i].bytes) + " in " + text::counted(lines[i].blocks, "block") +
                  ", " + (lines[i].line.empty() ? "no line" : text::printable(lines[i].line)));
  }
}

// The same of a Python file, which a process of its own runs without data.
Exit predict_own(const PredictCommand& command, const OwnFile& file) {
  TS_TRY(const auto own, own_question(file, command.spec, command.own));
  TS_TRY(const auto question, question_of_own(command));
  TS_TRY(const auto parts, parts_from(command.parts, command.out.has_value()));
  TS_TRY(auto folder,
         OutputFolder::claim_if(command.out, names_of({kPredictionFiles, base::kReportFiles})));
  TS_TRY(auto dry, ask_own(own, [&](OwnProcess& process, const base::CancelToken& cancel) {
           return dry_run_own(process, own, question.target, cancel);
         }));
  for (const base::Message* said : {&dry.on_cpu, &dry.compiled})
    if (!said->empty()) note({said->sentence});
  CardAnswer answer;
  answer.now.run = std::move(dry.run);
  answer.now.target = question.target;
  answer.now.prediction = predict::predict(answer.now.run, *dry.strings, question.target,
                                           predict::allocator_settings_of(question.spec), nullptr);
  nlohmann::json document = to_json(answer, question.spec);
  for (const char* const other : {"allocator_ms", "dry_run_ms", "remedies"}) document.erase(other);
  document["spec"] = own_json(own);
  document["without_data"] = dry.on_cpu.empty();
  const auto lines =
      bytes_by_line(answer.now.run.log, *dry.strings, answer.now.prediction.peak_event);
  document["lines"] = nlohmann::json::array();
  for (const OwnLine& one : lines) {
    document["lines"].push_back({{"line", one.line}, {"bytes", one.bytes}, {"blocks", one.blocks}});
  }
  if (command.json) {
    print_json(document);
  } else {
    print_answer(question, answer, settings_of(own));
    print_lines(lines);
  }
  if (!folder) return 0;
  TS_TRY_DONE(or_failed(write_own_prediction(command, question, answer, dry, document, parts)));
  TS_TRY_DONE(or_failed(folder->finish()));
  print_written(*command.out);
  return 0;
}

// Dry-runs the workload and prints whether it fits. Returns 0 for either answer, 1 when the engine
// cannot be loaded or the dry run fails.
Exit predict_workload(const PredictCommand& command) {
  if (const auto file = own_file_of(command.spec.model)) return predict_own(command, *file);
  TS_TRY(const auto question, read_question(command, built_in_gpus()));
  TS_TRY(const auto parts, parts_from(command.parts, command.out.has_value()));
  note(without_effect(command.spec.settings, question.spec));
  if (const auto held = spec::holds_dimensions(question.spec); !held.empty()) note({held.sentence});
  TS_TRY(auto folder,
         OutputFolder::claim_if(command.out, names_of({kPredictionFiles, base::kReportFiles})));
  TS_TRY(auto runner, or_failed(make_dry_runner_loader()()));
  if (command.cluster.most > 0) {
    return answer_cluster(command.cluster, question.spec, question.target, std::move(runner),
                          command.json);
  }
  if (!question.share.whole()) {
    runner = std::make_unique<predict::RankRunner>(std::move(runner), question.share);
  }

  base::StringTable strings;
  TS_TRY(const auto answer, ask_card(*runner, strings, question.spec, question.target, {}));
  nlohmann::json document = to_json(answer, question.spec);
  if (!question.share.whole()) document["share"] = share_json(question.share);
  if (has_buckets(question.share)) {
    document["data_parallel"] = {{"buckets", predict::buckets_of(answer.now.run)}};
  }
  if (command.json) {
    print_json(document);
  } else {
    print_answer(question, answer, settings_of(question.spec));
  }
  if (!folder) return 0;
  TS_TRY_DONE(or_failed(
      write_prediction(*command.out, answer.now, question.spec, strings, document, parts)));
  // The pictures can only show the prediction for a card.
  const bool pictures = parts.has(SavePart::pictures);
  const bool drawn = !command.cpu && question.share.whole();
  if (pictures && !drawn) note({"no pictures: they show the whole step on a card"});
  if (pictures && drawn) {
    TS_TRY_DONE(or_failed(draw_prediction(question.spec, *command.out)));
  }
  TS_TRY_DONE(or_failed(finish_with_report(*folder, *command.out, parts, built_in_texts())));
  print_written(*command.out);
  return 0;
}

}  // namespace

ParsedCommand predict_command(CLI::App& app) {
  const auto options = std::make_shared<PredictCommand>();
  add_workload(app, options->spec);
  add_spec_options(app, options->spec);
  app.add_option("--gpu", options->gpu, "On this card; default: target_gpu")->type_name("NAME");
  app.add_flag("--cpu", options->cpu, "On this machine's CPU and its memory limit");
  CLI::Option* const ranks = add_data_parallel(app, options->data_parallel);
  add_share(app, options->share);
  add_cluster(app, options->cluster);
  app.add_option("--alloc-conf", options->alloc_conf,
                 "Settings of the allocator, written as in PYTORCH_CUDA_ALLOC_CONF")
      ->type_name("STRING");
  app.add_option("--out", options->out,
                 "Write prediction.json, the snapshot, the tables of the peak and pictures there")
      ->type_name("DIR")
      ->excludes(ranks);
  add_parts(app, options->parts);
  add_own_options(app, options->own);
  add_json(app, options->json);
  app.footer(
      std::string("Exit code 0 whether it fits or not: the answer is in the output (verdict: fits, "
                  "fits_after_flush or oom). 1: the prediction failed. 2: bad input.\n\n") +
      cards_help() + presets_help() + spec::field_help());
  return parsed_command(options, predict_workload);
}

}  // namespace ts::app
