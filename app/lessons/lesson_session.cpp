#include "app/lessons/lesson_session.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/session/catalogue.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

std::string name_of(const lessons::Lesson& lesson, lessons::Tier tier) {
  return "lesson-" + lesson.id + "-" + to_string(tier);
}

// Counts the question without a guess, and the free answers that are empty, in a lesson's state.
std::size_t open_questions(const lessons::Lesson& lesson, const nlohmann::json& state) {
  const auto answers = state.value("answers", nlohmann::json::object());
  const auto empty = std::ranges::count_if(lesson.answers, [&](const lessons::FreeAnswer& one) {
    const auto found = answers.find(one.id);
    return found == answers.end() || !found->is_string() || found->get<std::string>().empty();
  });
  const bool guess_missing = lesson.question.has_value() && !state.contains("guess");
  return static_cast<std::size_t>(empty) + (guess_missing ? 1 : 0);
}

}  // namespace

void LessonSession::set_folder(const std::filesystem::path& folder) {
  folder_ = folder;
  progress_.clear();
}

std::unique_ptr<LessonRunner> LessonSession::runner_for(Session& session,
                                                        const lessons::Lesson& lesson,
                                                        lessons::Tier tier) const {
  constexpr int kMost = 100;
  for (int number = 1; number < kMost; ++number) {
    const std::string name =
        name_of(lesson, tier) + (number > 1 ? "-" + std::to_string(number) : "");
    auto runner = std::make_unique<LessonRunner>(session, lesson, tier, folder_ / name);
    if (runner->open()) return runner;
  }
  return std::make_unique<LessonRunner>(session, lesson, tier, folder_ / name_of(lesson, tier));
}

void LessonSession::show(LessonRunner& runner) {
  shown_ = &runner;
  edit.guess = runner.guess() ? runner.guess()->text : "";
  edit.answers = runner.answers();
}

void LessonSession::open(Session& session, const lessons::Lesson& lesson,
                         std::optional<lessons::Tier> tier) {
  keep();
  const lessons::Tier size = tier.value_or(lesson.first_tier());
  std::unique_ptr<LessonRunner>& runner = runners_[name_of(lesson, size)];
  if (runner == nullptr) runner = runner_for(session, lesson, size);
  show(*runner);
}

void LessonSession::open_next(Session& session) {
  const auto all = cards();
  if (all.empty()) return;
  const auto next = std::ranges::find_if(
      all, [](const views::LessonCard& card) { return card.done < card.steps; });
  open(session, *(next != all.end() ? *next : all.front()).lesson);
}

base::Result<void> LessonSession::open_folder(Session& session,
                                              const std::filesystem::path& folder) {
  TS_TRY(const auto json, io::read_json(folder / kLessonState));
  const auto word = [&](const char* key) {
    const bool there = json.is_object() && json.contains(key) && json.at(key).is_string();
    return there ? json.at(key).get<std::string>() : std::string();
  };
  const auto tier = lessons::tier_from(word("tier"));
  const lessons::Lesson* const lesson = find(word("lesson"));
  if (lesson == nullptr || !tier || !lesson->has(*tier)) {
    return text::fail("lesson_error.none_here", {{"path", folder.string()}});
  }
  auto runner = std::make_unique<LessonRunner>(session, *lesson, *tier, folder);
  if (auto opened = runner->open(); !opened) return opened;
  keep();
  std::unique_ptr<LessonRunner>& place = runners_[name_of(*lesson, *tier)];
  place = std::move(runner);
  show(*place);
  return {};
}

base::Result<bool> LessonSession::open_file(Session& session, const std::filesystem::path& file) {
  constexpr std::uintmax_t kMost = 1 << 20;  // more than any lesson
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  if (error || bytes > kMost || file.extension() != ".json") return false;
  const auto content = io::read_file(file);
  const auto json = content ? io::parse_json(*content) : base::fail("");
  if (!json || !json->is_object()) return false;
  if (json->contains("task") && json->contains("steps")) return open_own(session, file, *content);
  if (!json->contains("lesson") || !json->contains("finished")) return false;
  TS_TRY_DONE(open_folder(session, file.parent_path()));
  return true;
}

base::Result<bool> LessonSession::open_own(Session& session, const std::filesystem::path& file,
                                           const std::string& content) {
  TS_TRY(auto read, lessons::read_lesson(content, file.string(), session.gpus()));
  const auto same = [&](const lessons::Lesson& one) { return one.id == read.id; };
  if (built_in_lesson(read.id) != nullptr) {
    return text::fail("lesson_error.same_id", {{"path", file.string()}, {"lesson", read.id}});
  }
  // The file may have changed since it was opened before.
  keep();
  shown_ = nullptr;
  std::erase_if(runners_, [&](const auto& one) { return same(one.second->lesson()); });
  std::erase_if(own_, [&](const auto& one) { return same(*one); });
  progress_.erase(read.id);
  own_.push_back(std::make_unique<lessons::Lesson>(std::move(read)));
  open(session, *own_.back());
  return true;
}

const lessons::Lesson* LessonSession::find(const std::string& id) const {
  if (const lessons::Lesson* const one = built_in_lesson(id)) return one;
  for (const auto& one : own_) {
    if (one->id == id) return one.get();
  }
  return nullptr;
}

void LessonSession::update() {
  for (const auto& [name, runner] : runners_) {
    const std::size_t before = runner->steps_done();
    runner->update();
    if (runner->steps_done() != before) progress_.erase(runner->lesson().id);
  }
}

base::Result<void> LessonSession::start() {
  if (shown_ == nullptr) return {};
  if (folder_.empty() && shown_->folder().is_relative()) {
    return text::fail("file_error.no_home");
  }
  if (auto kept = shown_->keep(); !kept) return kept;
  shown_->start();
  return {};
}

void LessonSession::cancel() {
  for (const auto& [name, runner] : runners_) {
    if (runner->running()) runner->cancel();
  }
}

bool LessonSession::running() const {
  return std::ranges::any_of(runners_, [](const auto& one) { return one.second->running(); });
}

void LessonSession::keep() {
  if (shown_ == nullptr) return;
  // A lesson without guess, finished steps and answers leaves no files.
  const bool something = shown_->guess() || shown_->steps_done() > 0 || !shown_->answers().empty();
  if (something && shown_->folder().is_absolute()) static_cast<void>(shown_->keep());
  progress_.erase(shown_->lesson().id);
}

LessonSession::Progress LessonSession::progress_of(const lessons::Lesson& lesson) const {
  // The size with the most progress.
  Progress best{0, lesson.steps_in(lesson.first_tier()), 0};
  for (int i = 0; i < lessons::kTierCount; ++i) {
    const auto tier = static_cast<lessons::Tier>(i);
    if (!lesson.has(tier) || folder_.empty()) continue;
    const auto json = io::read_json(folder_ / name_of(lesson, tier) / kLessonState);
    if (!json || !json->is_object() || json->value("lesson", nlohmann::json()) != lesson.id) {
      continue;
    }
    const auto finished = json->value("finished", nlohmann::json::object());
    const Progress here{std::min(finished.size(), lesson.steps_in(tier)), lesson.steps_in(tier),
                        open_questions(lesson, *json)};
    if (here.done * best.steps > best.done * here.steps) best = here;
  }
  return best;
}

std::vector<views::LessonCard> LessonSession::cards() {
  std::vector<views::LessonCard> all;
  std::vector<const lessons::Lesson*> lessons;
  for (const auto& one : own_) lessons.push_back(one.get());
  for (const lessons::Lesson& one : built_in_lessons()) lessons.push_back(&one);
  for (const lessons::Lesson* const one : lessons) {
    const lessons::Lesson& lesson = *one;
    auto known = progress_.find(lesson.id);
    if (known == progress_.end()) {
      known = progress_.emplace(lesson.id, progress_of(lesson)).first;
    }
    views::LessonCard card{.lesson = one,
                           .done = known->second.done,
                           .steps = known->second.steps,
                           .open = known->second.open,
                           .chosen = shown_ != nullptr && shown_->lesson().id == lesson.id};
    for (const auto& [name, runner] : runners_) {
      card.running = card.running || (runner->lesson().id == lesson.id && runner->running());
    }
    all.push_back(card);
  }
  return all;
}

}  // namespace ts::app
