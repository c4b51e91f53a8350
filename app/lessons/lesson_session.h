#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/lessons/lesson_runner.h"
#include "views/lessons/lesson_page.h"

namespace ts::app {

// The lessons of the window: the list, the progress of each, and the open one. Each has a folder
// among the saved files, so that it is found after a restart, and the command can continue it. Main
// thread.
class LessonSession {
 public:
  // The parent of the lessons' folders, lesson-ID-TIER; empty: no lesson can run.
  void set_folder(const std::filesystem::path& folder);

  // Shows a lesson in that size or in its first one, and reads its folder. A running lesson
  // continues.
  void open(Session& session, const lessons::Lesson& lesson,
            std::optional<lessons::Tier> tier = std::nullopt);
  // Shows the first lesson that is not done; the first of all if all are done.
  void open_next(Session& session);
  // Opens a folder that tensorscope lesson run wrote.
  base::Result<void> open_folder(Session& session, const std::filesystem::path& folder);
  // Opens the user's own lesson, or lesson.json of a lesson's folder; false: the file is neither.
  // The error describes the fault in the lesson.
  base::Result<bool> open_file(Session& session, const std::filesystem::path& file);
  // Finds a built-in lesson or the user's own; null: none has that id.
  [[nodiscard]] const lessons::Lesson* find(const std::string& id) const;
  // Once a frame, after Session::update().
  void update();
  // Runs the remaining steps of the open lesson; the error is the reason why it cannot.
  base::Result<void> start();
  // Cancels every running lesson.
  void cancel();
  [[nodiscard]] bool running() const;

  // The open lesson; null before the first.
  [[nodiscard]] LessonRunner* shown() const { return shown_; }
  // All lessons with their progress.
  [[nodiscard]] std::vector<views::LessonCard> cards();
  views::LessonEdit edit;

  // Writes the state of the open lesson: guess, answers, finished steps.
  void keep();

 private:
  struct Progress {
    std::size_t done = 0;
    std::size_t steps = 0;
    std::size_t open = 0;  // questions without an answer
  };
  // For the first folder with the lesson's name that does not belong to another lesson.
  [[nodiscard]] std::unique_ptr<LessonRunner> runner_for(Session& session,
                                                         const lessons::Lesson& lesson,
                                                         lessons::Tier tier) const;
  [[nodiscard]] Progress progress_of(const lessons::Lesson& lesson) const;
  void show(LessonRunner& runner);
  base::Result<bool> open_own(Session& session, const std::filesystem::path& file,
                              const std::string& content);

  std::filesystem::path folder_;
  std::map<std::string, std::unique_ptr<LessonRunner>> runners_;  // by id and tier
  std::map<std::string, Progress> progress_;                      // by id, as on disk
  std::vector<std::unique_ptr<lessons::Lesson>> own_;             // opened from files
  LessonRunner* shown_ = nullptr;
};

}  // namespace ts::app
