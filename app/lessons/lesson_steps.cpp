#include "app/lessons/lesson_steps.h"

#include <future>
#include <utility>

#include "app/output/comparison_files.h"
#include "app/output/environment.h"
#include "app/output/named_files.h"
#include "app/output/prediction_files.h"
#include "app/output/sweep_files.h"
#include "app/session/card_questions.h"
#include "app/session/catalogue.h"
#include "app/session/engine_loader.h"
#include "app/session/is_ready.h"
#include "app/session/languages.h"
#include "app/session/run_files.h"
#include "app/session/sweep_runner.h"
#include "core/advice/advice_table.h"
#include "core/advice/ladder.h"
#include "core/base/result_files.h"
#include "core/calculate/calculation_json.h"
#include "core/calculate/calculation_table.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/io/text_table.h"
#include "core/loader/lab.h"
#include "core/report/compare_report.h"
#include "core/simulate/experiment.h"
#include "core/spec/spec_fields.h"
#include "core/stepper/step_table.h"
#include "core/trace_file/trace_write.h"

namespace ts::app {
namespace {

using Document = base::Result<std::optional<nlohmann::json>>;

class RunStep : public LessonStep {
 public:
  RunStep(Session& session, const lessons::StepPlan& plan, std::filesystem::path folder)
      : session_(&session), folder_(std::move(folder)) {
    session.show(nullptr);
    session.start(plan.spec, plan.protocol);
    id_ = session.asked();
  }
  void update() override {}
  void cancel() override {
    if (mine()) session_->cancel();
  }
  [[nodiscard]] bool done() const override { return !mine() || !session_->busy(); }
  Document take() override {
    const run::Run* const run = session_->current();
    if (!mine() || run == nullptr || run->id != id_ || !run->finished) return std::nullopt;
    if (run->verdict == run::Verdict::cancelled) return std::nullopt;
    if (run->verdict == run::Verdict::failed) return tl::unexpected<base::Error>(run->failure);
    session_->show(nullptr);
    nlohmann::json document = document_of(*session_);
    TS_TRY_DONE(write_run(folder_, *session_, document));
    return document;
  }
  [[nodiscard]] double fraction() const override {
    const run::Run* const run = session_->current();
    return run != nullptr && run->id == id_ ? static_cast<double>(run->fraction) : 0;
  }
  [[nodiscard]] double seconds_left() const override {
    const run::Run* const run = session_->current();
    return run != nullptr && run->id == id_ ? run->seconds_left : -1;
  }

 private:
  // True if no other run was requested since.
  [[nodiscard]] bool mine() const { return session_->asked() == id_; }
  Session* session_;
  std::filesystem::path folder_;
  run::RunId id_ = 0;
};

class AbStep : public LessonStep {
 public:
  AbStep(Session& session, const lessons::StepPlan& plan, std::filesystem::path folder)
      : session_(&session), protocol_(plan.protocol), folder_(std::move(folder)) {
    session.start_comparison(plan.spec, plan.other, plan.protocol);
    id_ = session.asked();
  }
  void update() override {}
  void cancel() override {
    cancelled_ = true;
    if (session_->asked() == id_) session_->cancel();
  }
  [[nodiscard]] bool done() const override { return session_->asked() != id_ || !session_->busy(); }
  Document take() override {
    if (cancelled_ || session_->asked() != id_) return std::nullopt;
    const run::Comparison* const comparison = session_->comparison();
    if (comparison == nullptr) return tl::unexpected(session_->comparison_problem());
    if (comparison->failure) return tl::unexpected<base::Error>(*comparison->failure);
    const auto environment = environment_json(read_machine(), session_->engine());
    nlohmann::json document = report::to_json(*comparison, protocol_, environment);
    TS_TRY_DONE(write_comparison(folder_, *comparison, document));
    return document;
  }
  [[nodiscard]] double fraction() const override {
    const run::Comparison* const so_far = session_->comparison();
    if (so_far == nullptr || session_->asked() != id_) return 0;
    const auto pairs = static_cast<double>(so_far->sides[0].timed_steps.size());
    return std::min(
        1.0, std::max(pairs / protocol_.max_samples, so_far->seconds / protocol_.hard_budget_s));
  }

 private:
  Session* session_;
  run::Protocol protocol_;
  std::filesystem::path folder_;
  run::RunId id_ = 0;
  bool cancelled_ = false;
};

// Points are written to a journal, so that an interrupted sweep continues where it stopped.
class SweepStep : public LessonStep {
 public:
  static base::Result<std::unique_ptr<LessonStep>> begin(Session& session,
                                                         const lessons::StepPlan& plan,
                                                         std::filesystem::path folder) {
    auto step = std::make_unique<SweepStep>(session, plan, std::move(folder));
    TS_TRY_DONE(step->open_journal());
    step->runner_ = std::make_unique<SweepRunner>(session, step->sweep_, &*step->journal_);
    step->runner_->update();
    return step;
  }
  SweepStep(Session& session, const lessons::StepPlan& plan, std::filesystem::path folder)
      : session_(&session), sweep_(plan.sweep), fit_(plan.fit), folder_(std::move(folder)) {}

  void update() override { runner_->update(); }
  void cancel() override {
    cancelled_ = true;
    runner_->cancel();
  }
  [[nodiscard]] bool done() const override { return runner_->idle(); }
  Document take() override {
    TS_TRY_DONE(journal_->write_waiting());
    if (cancelled_ || sweep_.count(sweep::PointStatus::cancelled) > 0) return std::nullopt;
    for (const sweep::SweepPoint& point : sweep_.points()) {
      if (point.status == sweep::PointStatus::failed && point.measured) {
        return tl::unexpected(point.reason);
      }
    }
    const Machine machine = read_machine();
    const auto environment = environment_json(machine, session_->engine());
    TS_TRY_DONE(write_sweep_files(folder_, sweep_, environment,
                                  notes_of(machine, *session_->engine(), sweep_), fit_));
    return to_json(sweep_, environment, fit_);
  }
  [[nodiscard]] double fraction() const override {
    const auto all = static_cast<double>(sweep_.points().size());
    const auto open =
        static_cast<double>(sweep_.count(sweep::PointStatus::pending)) + (sweep_.running() ? 1 : 0);
    return (all - open) / all;
  }
  [[nodiscard]] double seconds_left() const override { return sweep_.seconds_left(); }

 private:
  base::Result<void> open_journal() {
    const auto path = folder_ / kJournalName;
    const auto identity = sweep_identity(read_machine(), *session_->engine());
    if (!sweep::is_new_journal(path)) {
      auto known = sweep::read_journal(path);
      // Points of another program or machine do not belong here: they are measured again.
      if (known && known->spec == sweep_.spec() && sweep::same_identity(*known, identity, path)) {
        if (auto restored = sweep::restore(sweep_, *known, path); !restored) return restored;
        TS_TRY(auto journal, sweep::SweepJournal::resume(path, *known));
        journal_.emplace(std::move(journal));
        return {};
      }
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
    TS_TRY(auto journal, sweep::SweepJournal::create(path, sweep_.spec(), identity));
    journal_.emplace(std::move(journal));
    return {};
  }

  Session* session_;
  sweep::Sweep sweep_;
  sweep::FitRange fit_;
  std::filesystem::path folder_;
  std::optional<sweep::SweepJournal> journal_;
  std::unique_ptr<SweepRunner> runner_;
  bool cancelled_ = false;
};

// Dry runs have their own thread, so that the window continues to draw.
class ThreadStep : public LessonStep {
 public:
  using Work = std::function<base::Result<nlohmann::json>(const base::CancelToken&)>;
  explicit ThreadStep(Work work)
      : result_(std::async(std::launch::async, std::move(work), cancel_)) {}
  ~ThreadStep() override { cancel_.cancel(); }
  ThreadStep(const ThreadStep&) = delete;
  ThreadStep& operator=(const ThreadStep&) = delete;

  void update() override {}
  void cancel() override { cancel_.cancel(); }
  [[nodiscard]] bool done() const override { return is_ready(result_); }
  Document take() override {
    auto result = result_.get();
    if (cancel_.cancelled()) return std::nullopt;
    if (!result) return tl::unexpected(result.error());
    return std::move(*result);
  }

 private:
  base::CancelToken cancel_;
  std::future<base::Result<nlohmann::json>> result_;  // its destructor waits
};

// The inputs of a thread.
struct Question {
  predict::DryRunnerLoader load;
  spec::WorkloadSpec spec;
  predict::HuntAxis axis;
  predict::PredictionTarget target;
  std::filesystem::path folder;
};

base::Result<nlohmann::json> predict_step(const Question& asked, const base::CancelToken& cancel) {
  TS_TRY(auto runner, asked.load());
  base::StringTable strings;
  TS_TRY(const auto answer, ask_card(*runner, strings, asked.spec, asked.target, cancel));
  nlohmann::json document = to_json(answer, asked.spec);
  TS_TRY_DONE(write_prediction(asked.folder, answer.now, asked.spec, strings, document));
  return document;
}

io::TextTable probes_table(const predict::EdgeHunt& hunt, const predict::HuntAxis& axis) {
  io::TextTable table;
  table.columns = {spec::field_name(axis.field), "verdict", "needed bytes", "reason"};
  table.right = {true, false, true, false};
  for (const predict::HuntProbe& one : hunt.probes) {
    table.rows.push_back({std::to_string(one.at[0]), to_string(one.answer.fit),
                          std::to_string(one.answer.needed), one.answer.reason.sentence});
  }
  return table;
}

base::Result<nlohmann::json> hunt_step(const Question& asked, const base::CancelToken& cancel) {
  TS_TRY(auto runner, asked.load());
  const predict::CudaScratch scratch = built_in_scratch();
  const predict::Probe probe = probe_on(*runner, asked.target, scratch);
  TS_TRY(const auto hunt, find_edge(asked.spec, asked.axis, asked.target.name, probe, cancel));
  nlohmann::json document = edge_json(hunt, asked.spec, asked.axis, asked.target);
  const io::TextTable table = probes_table(hunt, asked.axis);
  TS_TRY_DONE(
      write_files(asked.folder, {{base::kHuntDocument, io::json_text(document)},
                                 {"probes.csv", io::to_csv(table)},
                                 {"probes.md", hunt.sentence + "\n\n" + io::to_markdown(table)}}));
  return document;
}

base::Result<nlohmann::json> write_all(const std::filesystem::path& folder, nlohmann::json document,
                                       const std::vector<NamedFile>& files) {
  TS_TRY_DONE(write_files(folder, files));
  return document;
}

// The files of a table with its title; `last` stands below the table.
std::vector<NamedFile> table_files(const std::string& name, const io::TextTable& table,
                                   const std::string& title, const std::string& last) {
  return {{name + ".csv", io::to_csv(table)},
          {name + ".md", title + "\n\n" + io::to_markdown(table) + "\n" + last + "\n"},
          {name + ".tex", io::to_latex(table, title, name)}};
}

base::Result<nlohmann::json> advise_step(const Question& asked, const base::CancelToken& cancel) {
  TS_TRY(auto runner, asked.load());
  advice::AdviceRequest request;
  request.settings = asked.spec;
  request.target = asked.target;
  request.scratch = std::make_shared<const predict::CudaScratch>(built_in_scratch());
  const advice::Advice advice = advice::advise(request, *runner, {}, cancel);
  if (!advice.problem.empty()) return tl::unexpected<base::Error>(advice.problem);
  const auto rungs = advice::ladder(request, *runner, cancel);
  const text::Texts texts = built_in_texts();
  nlohmann::json document = advice::to_json(advice, false);
  document["ladder"] = advice::to_json(rungs, asked.spec, asked.target)["ladder"];
  auto files = table_files("advice", advice_table(advice, texts), advice_sentence(advice).sentence,
                           rule_sentence(advice).sentence);
  const io::TextTable steps = advice::ladder_table(rungs, asked.target, texts);
  files.push_back({"ladder.csv", io::to_csv(steps)});
  files.push_back({"ladder.md", io::to_markdown(steps)});
  files.push_back({"advice.json", io::json_text(document)});
  return write_all(asked.folder, std::move(document), files);
}

// The steps without a workload write English files, as the commands do.
base::Result<nlohmann::json> calculate_step(const calculate::Values& values,
                                            const std::filesystem::path& folder) {
  const text::Texts texts = built_in_texts();
  const calculate::Calculator& calculator = values.calculator();
  nlohmann::json document = to_json(values);
  auto files = table_files("calculation", calculation_table(values, texts),
                           texts("calculate.title." + std::string(calculator.id)),
                           texts("calculate.source", {{"source", calculator.source}}));
  files.push_back({"calculation.json", io::json_text(document)});
  return write_all(folder, std::move(document), files);
}

base::Result<nlohmann::json> simulate_step(const simulate::Experiment& experiment,
                                           const std::filesystem::path& folder,
                                           const base::CancelToken& cancel) {
  std::vector<simulate::Point> points;
  for (std::size_t i = 0; i < point_count(experiment); ++i) {
    if (cancel.cancelled()) return nlohmann::json();
    points.push_back(run_point(experiment, i));
  }
  TS_TRY_DONE(trace_file::write_trace(folder / "trace.json", trace_of(points.front().outcome),
                                      simulate::kTraceMetadata));
  const text::Texts texts = built_in_texts();
  const std::string id = experiment.simulation->id;
  nlohmann::json document = to_json(experiment, points);
  auto files = table_files("simulation", table_of(experiment, points, texts),
                           texts("simulate.title." + id), texts("simulate.about." + id));
  files.push_back({"simulation.json", io::json_text(document)});
  if (!experiment.over.empty())
    files.push_back({"curves.csv", io::to_csv(simulate::curve_table(document))});
  return write_all(folder, std::move(document), files);
}

// The sentences of each number.
std::string loaded_text(const simulate::Experiment& question,
                        const std::vector<loader::Answer>& answers) {
  std::string words;
  for (const loader::Answer& answer : answers) {
    const std::string at =
        answer.point.at ? question.over + " = " + std::to_string(*answer.point.at) + ": " : "";
    for (const base::Message& said : answer.verdict) words += at + said.sentence + "\n\n";
  }
  return words;
}

base::Result<nlohmann::json> load_step(const simulate::Experiment& question,
                                       const std::filesystem::path& folder,
                                       const base::CancelToken& cancel) {
  loader::Lab lab({}, program_path());
  std::vector<loader::Answer> answers;
  std::vector<simulate::Point> points;
  for (std::size_t i = 0; i < point_count(question); ++i) {
    auto answer = lab.answer(question, i, {}, cancel);
    if (cancel.cancelled()) return nlohmann::json();
    if (!answer) return tl::unexpected(answer.error());
    points.push_back(answer->point);
    answers.push_back(std::move(*answer));
  }
  TS_TRY_DONE(trace_file::write_trace(folder / "trace.json", trace_of(points.front().outcome, ""),
                                      loader::kLoadedMetadata));
  const text::Texts texts = built_in_texts();
  const std::string id = question.simulation->id;
  nlohmann::json document = loader::loading_json(question, answers);
  auto files =
      table_files("loading", table_of(question, points, texts), texts("simulate.title." + id),
                  loaded_text(question, answers) + texts("simulate.about." + id));
  files.push_back({"loading.json", io::json_text(document)});
  if (!question.over.empty())
    files.push_back({"curves.csv", io::to_csv(simulate::curve_table(document))});
  return write_all(folder, std::move(document), files);
}

base::Result<nlohmann::json> stepper_step(const stepper::Exercise& exercise,
                                          const std::filesystem::path& folder) {
  const text::Texts texts = built_in_texts();
  stepper::Walk walk = exercise.stepper->begin(exercise.chosen);
  nlohmann::json document = to_json(exercise, walk);
  std::vector<NamedFile> files = {{"steps.json", io::json_text(document)}};
  for (const char* const format : {"csv", "md", "tex"})
    files.push_back({std::string("steps.") + format, document_text(exercise, walk, format, texts)});
  return write_all(folder, std::move(document), files);
}

}  // namespace

const char* document_name(lessons::StepKind kind) {
  using enum lessons::StepKind;
  constexpr std::pair<lessons::StepKind, const char*> kNames[] = {{run, "run.json"},
                                                                  {predict, "prediction.json"},
                                                                  {sweep, base::kSweepDocument},
                                                                  {hunt, base::kHuntDocument},
                                                                  {ab, "comparison.json"},
                                                                  {calculate, "calculation.json"},
                                                                  {simulate, "simulation.json"},
                                                                  {load, "loading.json"},
                                                                  {step, "steps.json"},
                                                                  {advise, "advice.json"}};
  return std::ranges::find(kNames, kind, &std::pair<lessons::StepKind, const char*>::first)->second;
}

const spec::WorkloadSpec& spec_of_plan(const lessons::StepPlan& plan) {
  return plan.kind == lessons::StepKind::sweep ? plan.sweep.base : plan.spec;
}

base::Result<std::unique_ptr<LessonStep>> begin_step(Session& session,
                                                     const lessons::StepPlan& planned,
                                                     const std::filesystem::path& folder) {
  lessons::StepPlan plan = planned;
  TS_TRY_DONE(io::make_folder(folder));
  if (plan.kind == lessons::StepKind::calculate) {
    return std::make_unique<ThreadStep>([values = *plan.calculation, folder](const auto&) {
      return calculate_step(values, folder);
    });
  }
  if (plan.kind == lessons::StepKind::simulate) {
    return std::make_unique<ThreadStep>(
        [experiment = *plan.experiment, folder](const base::CancelToken& cancel) {
          return simulate_step(experiment, folder, cancel);
        });
  }
  if (plan.kind == lessons::StepKind::load) {
    return std::make_unique<ThreadStep>(
        [question = *plan.experiment, folder](const base::CancelToken& cancel) {
          return load_step(question, folder, cancel);
        });
  }
  if (plan.kind == lessons::StepKind::step) {
    return std::make_unique<ThreadStep>([exercise = *plan.stepping, folder](const auto&) {
      return stepper_step(exercise, folder);
    });
  }
  if (!plan.text.empty()) {
    const auto path = folder / lessons::kTextName;
    TS_TRY_DONE(io::write_file(path, plan.text));
    plan.spec.corpus = std::filesystem::absolute(path).string();
  }
  const std::string spec = io::json_text(to_json(spec_of_plan(plan)));
  TS_TRY_DONE(io::write_file(folder / "spec.json", spec));
  switch (plan.kind) {
    case lessons::StepKind::run:
      return std::make_unique<RunStep>(session, plan, folder);
    case lessons::StepKind::ab:
      return std::make_unique<AbStep>(session, plan, folder);
    case lessons::StepKind::sweep:
      return SweepStep::begin(session, plan, folder);
    default:
      break;
  }
  Question asked{.load = session.dry_runner(),
                 .spec = plan.spec,
                 .axis = plan.axis,
                 .target = target_of_spec(plan.spec, plan.gpu.empty(), session.gpus()),
                 .folder = folder};
  return std::make_unique<ThreadStep>(
      [asked = std::move(asked), kind = plan.kind](const base::CancelToken& cancel) {
        if (kind == lessons::StepKind::advise) return advise_step(asked, cancel);
        if (kind == lessons::StepKind::hunt) return hunt_step(asked, cancel);
        return predict_step(asked, cancel);
      });
}

}  // namespace ts::app
