#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/lessons/lesson_steps.h"
#include "app/session/session.h"
#include "core/base/message.h"
#include "core/base/result_files.h"
#include "core/lessons/findings.h"
#include "core/lessons/lesson.h"

namespace ts::app {

// The names in a lesson's folder; step-ID is a folder for each step.
inline constexpr const char* kLessonState = "lesson.json";
inline constexpr std::initializer_list<const char*> kLessonFiles = {kLessonState,
                                                                    base::kReportMarkdown,
                                                                    base::kReportHtml,
                                                                    base::kReportLatex,
                                                                    "values.csv",
                                                                    "values.md",
                                                                    "values.tex",
                                                                    base::kChecksCsv,
                                                                    base::kChecksMarkdown,
                                                                    "checks.tex",
                                                                    "commands.csv",
                                                                    "figure-*",
                                                                    "step-*"};

// A lesson in progress, in a folder: runs its steps one after the other on the session's worker,
// keeps the user's guess and answers, and continues with what the folder already has. Used by the
// command and by the window. Main thread.
class LessonRunner {
 public:
  LessonRunner(Session& session, lessons::Lesson lesson, lessons::Tier tier,
               std::filesystem::path folder);

  // Reads what the folder has of this lesson and tier; an error if it is of another. Creates and
  // writes nothing.
  base::Result<void> open();
  // Runs the steps that have not ended yet, also after a cancel.
  void start();
  void cancel();
  // Once a frame, after Session::update().
  void update();
  [[nodiscard]] bool running() const { return running_; }
  // The reason why the last start ended early; empty if it did not, or was cancelled.
  [[nodiscard]] const base::Message& problem() const { return problem_; }
  // Called with the id of each step that succeeded.
  std::function<void(const std::string& step)> on_step;

  [[nodiscard]] const lessons::Lesson& lesson() const { return lesson_; }
  [[nodiscard]] lessons::Tier tier() const { return tier_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::filesystem::path folder_of(const std::string& step) const;
  [[nodiscard]] const lessons::Documents& documents() const { return documents_; }
  [[nodiscard]] const lessons::Findings& findings() const { return findings_; }
  [[nodiscard]] bool finished(const std::string& step) const { return documents_.contains(step); }
  [[nodiscard]] std::size_t steps_done() const { return documents_.size(); }
  [[nodiscard]] bool complete() const { return documents_.size() == lesson_.steps_in(tier_); }
  // The running step; null: none.
  [[nodiscard]] const lessons::Step* current() const { return running_ ? current_ : nullptr; }
  // Progress of the running step, and its remaining seconds; negative: not known.
  [[nodiscard]] double fraction() const { return work_ ? work_->fraction() : 0; }
  [[nodiscard]] double seconds_left() const { return work_ ? work_->seconds_left() : -1; }

  [[nodiscard]] const std::optional<lessons::Guess>& guess() const { return guess_; }
  // Fails when a guess exists and the answer is known: then it would be no guess any more.
  base::Result<void> set_guess(const std::string& text);
  [[nodiscard]] const std::map<std::string, std::string>& answers() const { return answers_; }
  void set_answer(const std::string& id, std::string text) { answers_[id] = std::move(text); }
  // The run of a step while it is in memory; null for a step that ended before.
  [[nodiscard]] std::shared_ptr<run::Run> run_of(const std::string& step) const;
  // Writes lesson.json; creates the folder.
  base::Result<void> keep() const;

 private:
  void begin_next();
  void end_step();

  Session* session_;
  lessons::Lesson lesson_;
  lessons::Tier tier_;
  std::filesystem::path folder_;
  lessons::Documents documents_;
  lessons::Findings findings_;
  std::optional<lessons::Guess> guess_;
  std::map<std::string, std::string> answers_;
  std::map<std::string, std::shared_ptr<run::Run>> runs_;
  const lessons::Step* current_ = nullptr;
  std::unique_ptr<LessonStep> work_;
  bool running_ = false;
  bool cancelled_ = false;
  base::Message problem_;
};

}  // namespace ts::app
