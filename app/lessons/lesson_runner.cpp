#include "app/lessons/lesson_runner.h"

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

const lessons::StepPlan* plan_of(const lessons::Step& step, lessons::Tier tier) {
  const auto& plan = step.plans[static_cast<std::size_t>(tier)];
  return plan ? &*plan : nullptr;
}

}  // namespace

LessonRunner::LessonRunner(Session& session, lessons::Lesson lesson, lessons::Tier tier,
                           std::filesystem::path folder)
    : session_(&session), lesson_(std::move(lesson)), tier_(tier), folder_(std::move(folder)) {
  findings_ = lessons::find(lesson_, tier_, documents_);
}

std::filesystem::path LessonRunner::folder_of(const std::string& step) const {
  return folder_ / ("step-" + step);
}

base::Result<void> LessonRunner::open() {
  const auto path = folder_ / kLessonState;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  TS_TRY(const auto json, io::read_json(path));
  try {
    const auto lesson = json.at("lesson").get<std::string>();
    const auto tier = json.at("tier").get<std::string>();
    if (lesson != lesson_.id || tier != to_string(tier_)) {
      return text::fail("lesson_error.other",
                        {{"path", folder_.string()}, {"lesson", lesson}, {"tier", tier}});
    }
    if (json.contains("guess")) {
      const auto guess = lessons::parse_guess(lesson_, tier_, json.at("guess").get<std::string>());
      if (guess) guess_ = *guess;
    }
    answers_ = json.at("answers").get<std::map<std::string, std::string>>();
    for (const auto& [id, command] : json.at("finished").items()) {
      const lessons::Step* const step = lesson_.step(id);
      const auto* const plan = step == nullptr ? nullptr : plan_of(*step, tier_);
      // A step whose command has changed runs again.
      if (plan == nullptr || command.get<std::string>() != plan->command) continue;
      auto document = io::read_json(folder_of(id) / document_name(plan->kind));
      if (document) documents_[id] = std::move(*document);
    }
  } catch (const nlohmann::json::exception&) {
    return text::fail("lesson_error.foreign", {{"path", path.string()}});
  }
  findings_ = lessons::find(lesson_, tier_, documents_);
  return {};
}

base::Result<void> LessonRunner::keep() const {
  if (auto made = io::make_folder(folder_); !made) return made;
  auto finished = nlohmann::json::object();
  for (const lessons::Step& step : lesson_.steps) {
    if (documents_.contains(step.id)) finished[step.id] = plan_of(step, tier_)->command;
  }
  nlohmann::json json = {{"lesson", lesson_.id},
                         {"tier", to_string(tier_)},
                         {"steps", lesson_.steps_in(tier_)},
                         {"answers", answers_},
                         {"finished", std::move(finished)}};
  if (guess_) json["guess"] = guess_->choice ? std::to_string(*guess_->choice + 1) : guess_->text;
  return io::write_file(folder_ / kLessonState, io::json_text(json));
}

base::Result<void> LessonRunner::set_guess(const std::string& text) {
  if (guess_ && findings_.answer) return text::fail("lesson_error.known");
  TS_TRY(guess_, lessons::parse_guess(lesson_, tier_, text));
  return {};
}

std::shared_ptr<run::Run> LessonRunner::run_of(const std::string& step) const {
  const auto found = runs_.find(step);
  return found == runs_.end() ? nullptr : found->second;
}

void LessonRunner::start() {
  if (running_) return;
  running_ = true;
  cancelled_ = false;
  problem_ = {};
  current_ = nullptr;
  work_.reset();
}

void LessonRunner::cancel() {
  cancelled_ = true;
  if (work_ != nullptr) work_->cancel();
}

void LessonRunner::begin_next() {
  current_ = nullptr;
  for (const lessons::Step& step : lesson_.steps) {
    if (plan_of(step, tier_) == nullptr || documents_.contains(step.id)) continue;
    current_ = &step;
    auto work = begin_step(*session_, *plan_of(step, tier_), folder_of(step.id));
    if (work) {
      work_ = std::move(*work);
      return;
    }
    problem_ = work.error();
    break;
  }
  running_ = false;
}

void LessonRunner::end_step() {
  auto document = work_->take();
  const std::string id = current_->id;
  if (!document) {
    problem_ = text::message("lesson.step_failed",
                             {{"step", id}, text::argument("reason", document.error())});
  } else if (document->has_value()) {
    documents_[id] = std::move(**document);
    findings_ = lessons::find(lesson_, tier_, documents_);
    if (plan_of(*current_, tier_)->kind == lessons::StepKind::run) {
      runs_[id] = session_->share_current();
    }
    if (auto kept = keep(); !kept) problem_ = kept.error();
    if (on_step) on_step(id);
  } else {
    cancelled_ = true;
  }
  work_.reset();
  if (cancelled_ || !problem_.empty()) running_ = false;
}

void LessonRunner::update() {
  if (!running_) return;
  if (work_ != nullptr) {
    work_->update();
    if (work_->done()) end_step();
    return;
  }
  if (cancelled_) {
    running_ = false;
    return;
  }
  if (session_->engine() == nullptr) {
    if (session_->engine_problem().empty()) return;
    problem_ = session_->engine_problem();
    running_ = false;
    return;
  }
  // Wait for the end of a run that another part has started.
  if (!session_->busy()) begin_next();
}

}  // namespace ts::app
