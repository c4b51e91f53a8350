#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/commands/spec_arguments.h"
#include "app/commands/target_arguments.h"
#include "app/output/output_folder.h"
#include "app/own_file/own_file.h"
#include "app/pictures/ladder_picture.h"
#include "app/session/card_questions.h"
#include "app/session/catalogue.h"
#include "app/session/engine_loader.h"
#include "app/session/interrupt.h"
#include "app/session/languages.h"
#include "app/session/session.h"
#include "core/advice/advice_table.h"
#include "core/advice/ladder.h"
#include "core/spec/presets.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/spec/workload_math.h"
#include "views/common/spec_text.h"

namespace ts::app {
namespace {

struct AdviseCommand {
  SpecArguments spec;
  std::optional<std::string> gpu;  // unset: target_gpu of the spec
  bool cpu = false;
  std::vector<std::string> kept;  // settings that stay
  bool free_batch = false;
  bool large = false;  // the model, for the lab's rule
  bool every = false;  // dry-run every combination
  bool ladder = false;
  std::filesystem::path figure;  // a folder for the picture of the ladder
  int measure = 0;               // how many of the best run here
  std::string format = "md";
  std::string language = "en";
  std::filesystem::path out;
  bool json = false;
};

base::Result<advice::AdviceRequest> read_request(const AdviseCommand& command,
                                                 const spec::GpuCatalogue& gpus) {
  TS_TRY(auto found, targeted_spec(command.spec, command.gpu, command.cpu, gpus));
  advice::AdviceRequest request;
  request.settings = std::move(found.spec);
  request.target = std::move(found.target);
  request.space.free_batch = command.free_batch;
  for (const std::string& name : command.kept) {
    TS_TRY(const auto field, spec::field_from_name(name));
    if (!advice::can_be_kept(field)) {
      return base::fail(name + " always stays as it is: --keep takes " + advice::kept_names());
    }
    request.space.kept.push_back(field);
  }
  request.large_model = command.large;
  using Depth = advice::RecipeSearch::Depth;
  request.depth = command.every ? Depth::every_recipe : Depth::kinds;
  request.scratch = std::make_shared<const predict::CudaScratch>(built_in_scratch());
  return request;
}

// The roofs of this machine in each type. Measures a product alone, for the workload may be large.
base::Result<advice::RoofsOf> roofs_here(Session& session, const spec::WorkloadSpec& settings) {
  std::map<spec::DataType, report::Roofs> roofs;
  for (const spec::DataType type :
       {spec::DataType::fp32, spec::DataType::bf16, spec::DataType::fp16}) {
    spec::WorkloadSpec spec;
    spec::choose_workload(spec::WorkloadKind::mlp, spec);
    spec.dtype = type;
    spec.threads = settings.threads;
    TS_TRY(roofs[type], measured_roofs(session, spec));
  }
  return [roofs = std::move(roofs)](spec::DataType type) {
    const auto found = roofs.find(type);
    return found == roofs.end() ? report::Roofs{} : found->second;
  };
}

// Runs the best of as many kinds as are asked for.
base::Result<void> measure_best(Session& session, std::size_t count, ProgressLine& progress,
                                advice::Advice& advice) {
  std::vector<std::size_t> best;
  for (const advice::RecipeSearch::Kind& kind : advice.search.kinds()) {
    if (kind.best) best.push_back(*kind.best);
  }
  std::ranges::sort(best);
  best.resize(std::min(best.size(), count));
  for (const std::size_t recipe : best) {
    const spec::WorkloadSpec& spec = advice.search.recipes()[recipe].spec;
    progress.show("Running " + advice::precision_text(spec) + ", " + to_string(spec.backend) +
                  ", B = " + std::to_string(spec.batch));
    run_to_end(session, spec, run::Protocol(), [](const run::Run&) {});
    const run::Run* const run = session.run();
    if (run == nullptr) return tl::unexpected(base::Error(session.engine_problem()));
    if (InterruptGuard::interrupted() || run->verdict == run::Verdict::cancelled) return {};
    if (run->verdict != run::Verdict::ok) return tl::unexpected(base::Error(run->failure));
    advice.measured_s[recipe] = run->timing().median_ms * 1e-3;
  }
  return {};
}

// Times the rungs that can run here.
base::Result<void> measure_rungs(Session& session, ProgressLine& progress,
                                 std::vector<advice::Rung>& rungs) {
  for (advice::Rung& rung : rungs) {
    if (!advice::can_run_here(rung)) continue;
    progress.show(std::string("Running rung ") + to_string(rung.kind));
    run_to_end(session, rung.asked.spec, run::Protocol(), [](const run::Run&) {});
    const run::Run* const run = session.run();
    if (run == nullptr) return tl::unexpected(base::Error(session.engine_problem()));
    if (InterruptGuard::interrupted() || run->verdict == run::Verdict::cancelled) return {};
    advice::take_run(*run, rung);
    if (!rung.measured_s && rung.kind != advice::Rung::Kind::compiled) {
      return tl::unexpected(base::Error(rung.asked.problem));
    }
  }
  return {};
}

base::Result<void> draw_ladder(const AdviseCommand& command, const std::vector<advice::Rung>& rungs,
                               const predict::PredictionTarget& target, text::Language language) {
  TS_TRY(auto folder, OutputFolder::claim(command.figure, {"ladder.png", "ladder.svg"}));
  TS_TRY(auto graphics, Graphics::open(Graphics::Kind::off_screen, 64, 64));
  auto drawn = save_ladder_figure(*graphics, rungs, target, language, command.figure);
  return drawn ? folder.finish() : drawn;
}

// The ladder in place of the advice.
Exit show_ladder(const AdviseCommand& command, const advice::AdviceRequest& request,
                 predict::DryRunner& runner, Session* session, const text::Texts& texts) {
  const base::CancelToken cancel;
  ProgressLine progress;
  std::vector<advice::Rung> rungs = advice::ladder(request, runner, cancel);
  if (command.measure > 0) {
    TS_TRY_DONE(or_failed(measure_rungs(*session, progress, rungs)));
  }
  progress.clear();
  if (!command.figure.empty()) {
    TS_TRY_DONE(or_failed(draw_ladder(command, rungs, request.target, texts.language())));
  }
  const io::TextTable table = advice::ladder_table(rungs, request.target, texts);
  const std::string title = texts("ladder.title", {{"target", request.target.name}});
  const std::string words =
      command.json ? io::json_text(advice::to_json(rungs, request.settings, request.target))
                   : io::table_document(table, command.format, title, "ladder", "");
  return print_or_write(words, command.out);
}

std::string text_of(const AdviseCommand& command, const advice::Advice& advice,
                    const text::Texts& texts) {
  const io::TextTable table = advice::advice_table(advice, texts);
  const std::string title = texts("advice.title", {{"target", advice.request.target.name}});
  if (command.format == "csv") return io::to_csv(table);
  if (command.format == "tex") return io::to_latex(table, title, "advice");
  std::string words = title + "\n\n" + views::message_text(texts, advice::advice_sentence(advice)) +
                      "\n\n" + io::to_markdown(table) + "\n" +
                      views::message_text(texts, advice::rule_sentence(advice)) + "\n";
  if (!advice.search.best()) return words;
  words += "\n" + texts("advice.set", {{"settings", ""}});
  for (const std::string& one :
       changed_settings(advice.request.settings, advice::advice_rows(advice).front().spec)) {
    words += " --set " + one;
  }
  return words + "\n";
}

// Finds the fastest settings that fit. Returns 0 whether there are any or not, 1 if a run failed.
Exit advise_on_workload(const AdviseCommand& command) {
  const InterruptGuard guard;
  TS_TRY(const auto texts, built_in_texts(command.language));
  if (!command.figure.empty() && !command.ladder) return base::fail("--figure needs --ladder");
  if (own_file_of(command.spec.model)) {
    return base::fail(
        "advise changes settings of this program, and a Python file has arguments of its own: "
        "sweep "
        "tries those, and tensorscope export makes a .pt2 that advise takes");
  }
  if (command.measure > 0 && !command.cpu) {
    return base::fail("--measure runs on this machine: give --cpu");
  }
  TS_TRY(auto request, read_request(command, built_in_gpus()));
  note(without_effect(command.spec.settings, request.settings));
  ProgressLine progress;
  std::optional<Session> session;
  if (command.cpu) {
    progress.show("Measuring what this machine reaches");
    session.emplace(make_engine_loader());
    TS_TRY(request.roofs, or_failed(roofs_here(*session, request.settings)));
  }
  TS_TRY(const auto runner, or_failed(make_dry_runner_loader()()));
  if (command.ladder) {
    return show_ladder(command, request, *runner, session ? &*session : nullptr, texts);
  }
  const base::CancelToken cancel;
  const advice::AdviceRequest asked = request;
  advice::Advice advice = advice::advise(
      std::move(request), *runner,
      [&](const advice::Advice& now) {
        if (InterruptGuard::interrupted()) cancel.cancel();
        progress.show(advice::advice_sentence(now).sentence);
      },
      cancel);
  if (command.measure > 0 && !advice.cancelled) {
    TS_TRY_DONE(or_failed(
        measure_best(*session, static_cast<std::size_t>(command.measure), progress, advice)));
  }
  progress.clear();
  if (!advice.problem.empty()) {
    return report(advice.problem, 2);
  }
  nlohmann::json document;
  if (command.json) {
    document = advice::to_json(advice, command.every);
    const auto rungs = advice::ladder(asked, *runner, cancel);
    document["ladder"] = advice::to_json(rungs, asked.settings, asked.target)["ladder"];
  }
  const std::string words =
      command.json ? io::json_text(document) : text_of(command, advice, texts);
  return print_or_write(words, command.out);
}

}  // namespace

ParsedCommand advise_command(CLI::App& app) {
  const auto options = std::make_shared<AdviseCommand>();
  add_workload(app, options->spec);
  add_spec_options(app, options->spec);
  app.add_option("--gpu", options->gpu, "For this card; default: target_gpu")->type_name("NAME");
  app.add_flag("--cpu", options->cpu,
               "For this machine's CPU and its memory limit; its roofs are measured first");
  app.add_option("--keep", options->kept, "Settings that stay as they are: " + advice::kept_names())
      ->delimiter(',')
      ->type_name("KEY,KEY");
  app.add_flag("--free-batch", options->free_batch,
               "Vary B alone, ranked by time per token; else B times accumulate stays");
  app.add_flag("--large", options->large, "The model is what the rule of LAB-9 calls large");
  app.add_flag("--every", options->every, "Dry-run every combination, not those that decide");
  app.add_option("--measure", options->measure,
                 "With --cpu: run the best of N kinds and rank them by their measured step")
      ->type_name("N")
      ->check(CLI::Range(1, 100));
  app.add_flag("--ladder", options->ladder,
               "From a plain start one change after the other, what each saves, instead of the "
               "advice; with --cpu --measure 1 every rung runs");
  app.add_option("--figure", options->figure, "Draw the ladder as ladder.png and .svg there")
      ->type_name("DIR");
  app.add_option("--format", options->format, "md, csv or tex")
      ->check(CLI::IsMember({"md", "csv", "tex"}));
  add_language(app, options->language);
  add_out_file(app, options->out);
  add_json(app, options->json);
  app.footer(std::string("Exit code 0 whether something fits or not. 1: a run failed. 2: bad "
                         "input.\n\n") +
             cards_help() + presets_help() + spec::field_help());
  return parsed_command(options, advise_on_workload);
}

}  // namespace ts::app
