#include "app/window/save.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/output/comparison_files.h"
#include "app/output/environment.h"
#include "app/output/lesson_files.h"
#include "app/output/own_report.h"
#include "app/output/prediction_files.h"
#include "app/output/sweep_files.h"
#include "app/output/time_stamp.h"
#include "app/pictures/curve_picture.h"
#include "app/pictures/lesson_picture.h"
#include "app/pictures/step_picture.h"
#include "app/pictures/sweep_picture.h"
#include "app/session/languages.h"
#include "app/session/run_files.h"
#include "core/base/result_files.h"
#include "core/calculate/inputs.h"
#include "core/predict/prediction_json.h"
#include "core/report/compare_report.h"
#include "core/sweep/sweep_findings.h"
#include "core/sweep/sweep_journal.h"
#include "core/text/message.h"

namespace ts::app {

namespace {

base::Result<void> save_run(Graphics& graphics, Session& session, const WorkspaceState& state,
                            const std::filesystem::path& folder) {
  if (session.run() == nullptr) return text::fail("save_error.no_run");
  const SaveParts& parts = state.preferences.save_parts;
  nlohmann::json document = document_of(session);
  const auto notes = state.notes.find(session.run()->id);
  if (notes != state.notes.end() && !notes->second.all().empty())
    document["notes"] = notes_json(*session.run(), session.strings(), notes->second.all());
  auto written = write_run(folder, session, document, parts);
  if (!written || !parts.has(SavePart::pictures)) return written;
  return save_run_pictures(graphics, session, state, folder);
}

base::Result<void> save_prediction(Graphics& graphics, Session& session,
                                   const WorkspaceState& state,
                                   const std::filesystem::path& folder) {
  const predict::Outlook* const outlook = session.predictions().outlook();
  if (outlook == nullptr || outlook->target == nullptr) {
    return text::fail("save_error.no_prediction");
  }
  const auto forecast = outlook->target;
  const spec::WorkloadSpec spec = outlook->spec;
  const SaveParts& parts = state.preferences.save_parts;
  auto written = write_prediction(folder, *forecast, spec, session.strings(),
                                  predict::to_json(*forecast, spec), parts);
  if (!written || !parts.has(SavePart::pictures)) return written;
  return save_prediction_pictures(graphics, session, state, folder);
}

base::Result<void> save_comparison(Graphics& graphics, Session& session,
                                   const WorkspaceState& state,
                                   const std::filesystem::path& folder) {
  if (session.comparison() == nullptr) return text::fail("save_error.no_comparison");
  const run::Comparison& comparison = *session.comparison();
  const auto environment = environment_json(read_machine(), session.engine());
  const nlohmann::json json = report::to_json(comparison, run::comparison_protocol(), environment);
  const SaveParts& parts = state.preferences.save_parts;
  auto written = write_comparison(folder, comparison, json, parts);
  if (!written || !parts.has(SavePart::pictures)) return written;
  PictureOptions picture;
  picture.page = Page::compare;
  return save_picture(graphics, session, state, picture, folder / "comparison.png");
}

// True if the lesson hands in a picture of the window for that step.
bool wants_pictures(const lessons::Lesson& lesson, const std::string& step) {
  return std::ranges::any_of(lesson.deliverables, [&](const lessons::Deliverable& one) {
    return one.step == step && one.file.ends_with(".png") && one.file != base::kFigurePng &&
           one.file != "curves.png";
  });
}

base::Result<void> save_pictures_of_sweep(Graphics& graphics, const Session& session,
                                          const lessons::StepPlan& plan,
                                          const std::filesystem::path& folder) {
  const auto path = folder / kJournalName;
  TS_TRY(const auto content, sweep::read_journal(path));
  sweep::Sweep sweep(content.spec);
  if (auto restored = sweep::restore(sweep, content, path); !restored) return restored;
  FigureOptions options;
  options.look.fit = plan.fit;
  const SweepNotes notes = notes_of(read_machine(), *session.engine(), sweep);
  options.caption = sweep::sweep_caption(sweep, notes.device, notes.versions);
  return save_sweep_figure(graphics, sweep, options, folder);
}

// The times of a simulation or of a load over an input; nothing for a single point. `axis`: what
// they are called.
base::Result<void> save_picture_of_simulation(Graphics& graphics, const nlohmann::json& document,
                                              const char* axis,
                                              const std::filesystem::path& folder) try {
  if (document.at("over").is_null()) return {};
  const text::Texts texts = built_in_texts();
  std::vector<run::ResultCurve> curves;
  for (const auto& [name, unit] : document.at("units").items()) {
    if (unit != calculate::to_string(calculate::Unit::seconds)) continue;
    run::ResultCurve curve{.name = texts("simulate.term." + name)};
    for (const auto& point : document.at("points")) {
      const auto& value = point.at("figures").at(name);
      curve.x.push_back(std::strtod(point.at("at").get<std::string>().c_str(), nullptr));
      curve.y.push_back(value.is_null() ? std::nan("") : value.get<double>() * 1e3);
    }
    curves.push_back(std::move(curve));
  }
  if (curves.empty() || curves.front().x.empty()) return {};
  constexpr double kWide = 20;  // from here on logarithmic
  const std::string over = "calculate.input." + document.at("over").get<std::string>();
  const auto [least, most] = std::ranges::minmax(curves.front().x);
  const spec::CurveAxes axes{
      .x = over.c_str(), .y = axis, .log = least > 0 && most >= kWide * least};
  return save_curve_figure(graphics, curves, axes, folder, "curves");
} catch (const nlohmann::json::exception&) {
  return {};  // the document of an earlier version, or the user's own
}

base::Result<void> save_pictures_of_run(Graphics& graphics, Session& session,
                                        const WorkspaceState& state, const LessonRunner& lesson,
                                        const std::string& step) {
  const std::shared_ptr<run::Run> run = lesson.run_of(step);
  if (run == nullptr) return {};
  const auto folder = lesson.folder_of(step);
  if (!wants_pictures(lesson.lesson(), step)) {
    return run->facts.curves.empty() ? base::Result<void>()
                                     : save_curve_figure(graphics, *run, folder);
  }
  Preferences preferences = state.preferences;
  preferences.spec = run->spec;
  const std::shared_ptr<run::Run> before = session.show(run);
  auto saved = save_run_pictures(graphics, session, WorkspaceState(preferences), folder);
  session.show(before);
  return saved;
}

}  // namespace

base::Result<std::filesystem::path> save_in_folder(Requests::Save what, Graphics& graphics,
                                                   Session& session, const WorkspaceState& state,
                                                   const std::filesystem::path& parent) {
  struct Kind {
    const char* name;
    decltype(&save_run) save;
  };
  constexpr Kind kKinds[] = {
      {"run", save_run}, {"prediction", save_prediction}, {"comparison", save_comparison}};
  const Kind& kind = kKinds[static_cast<std::size_t>(what)];
  std::filesystem::path folder = new_path(parent, kind.name);
  auto saved = kind.save(graphics, session, state, folder);
  if (saved && state.preferences.save_parts.has(SavePart::report))
    saved = write_own_report(folder, built_in_texts(state.preferences.language));
  if (!saved) return tl::unexpected(saved.error());
  return folder;
}

base::Result<void> save_step_pictures(Graphics& graphics, Session& session,
                                      const WorkspaceState& state, const LessonRunner& lesson,
                                      const std::string& step) {
  const auto& plan = *lesson.lesson().step(step)->plans[static_cast<std::size_t>(lesson.tier())];
  const auto folder = lesson.folder_of(step);
  switch (plan.kind) {
    case lessons::StepKind::run:
      return save_pictures_of_run(graphics, session, state, lesson, step);
    case lessons::StepKind::sweep:
      // A sweep that is only predicted has no points to draw.
      return plan.gpu.empty() ? save_pictures_of_sweep(graphics, session, plan, folder)
                              : base::Result<void>();
    case lessons::StepKind::predict: {
      // The window draws predictions for a card only.
      if (plan.gpu.empty() || !wants_pictures(lesson.lesson(), step)) return {};
      Preferences preferences = state.preferences;
      preferences.spec = plan.spec;
      session.predictions().follow(plan.spec, session.engine());
      session.predictions().finish(kPredictionTime);
      return save_prediction_pictures(graphics, session, WorkspaceState(preferences), folder);
    }
    case lessons::StepKind::simulate:
      return save_picture_of_simulation(graphics, lesson.documents().at(step), "simulated_ms",
                                        folder);
    case lessons::StepKind::load:
      return save_picture_of_simulation(graphics, lesson.documents().at(step), "loaded_ms", folder);
    case lessons::StepKind::step: {
      stepper::Walk walk = plan.stepping->stepper->begin(plan.stepping->chosen);
      const std::size_t last = stepper::steps_of(walk) - 1;
      const StepPicture look{.step = plan.step_shown == 0 ? last : std::min(plan.step_shown, last)};
      return save_step_picture(graphics, *plan.stepping, walk, look, folder, "picture");
    }
    default:
      return {};
  }
}

lessons::ReportInput report_of(const LessonRunner& lesson, std::string again) {
  lessons::ReportInput input{.lesson = &lesson.lesson(),
                             .tier = lesson.tier(),
                             .findings = &lesson.findings(),
                             .guess = lesson.guess(),
                             .answers = lesson.answers()};
  for (const auto& [id, document] : lesson.documents()) input.finished.push_back(id);
  input.again = std::move(again);
  return input;
}

base::Result<void> save_lesson_folder(Graphics& graphics, Session& session,
                                      const WorkspaceState& state, const LessonRunner& lesson,
                                      const text::Texts& texts) {
  for (const auto& [step, document] : lesson.documents()) {
    auto saved = save_step_pictures(graphics, session, state, lesson, step);
    if (!saved) return saved;
  }
  auto drawn = save_lesson_figure(graphics, lesson.lesson(), lesson.tier(), lesson.findings(),
                                  lesson.guess(), texts.language(), lesson.folder());
  if (!drawn) return drawn;
  std::string again = "tensorscope lesson run " + lesson.lesson().id + " --tier " +
                      to_string(lesson.tier()) + " --out DIR";
  const auto environment = environment_json(read_machine(), session.engine());
  return write_lesson_report(lesson.folder(), report_of(lesson, std::move(again)), texts,
                             environment);
}

}  // namespace ts::app
