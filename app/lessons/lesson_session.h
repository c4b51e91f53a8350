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

// The lessons of the window: which there are, how far each is, and the one that is open. Each has a
// folder where saved things go, so that it is there again after a restart, and the command goes on
// with it. Main thread.
class LessonSession {
 public:
  // Where the folders of lessons go, lesson-ID-TIER; empty: no lesson can run.
  void set_folder(const std::filesystem::path& folder);

  // Shows a lesson, in that size or in its first; what its folder has is read. One that runs goes
  // on.
  void open(Session& session, const lessons::Lesson& lesson,
            std::optional<lessons::Tier> tier = std::nullopt);
  // Shows the first lesson that is not done; the first of all where all are.
  void open_next(Session& session);
  // The one in a folder that tensorscope lesson run wrote.
  base::Result<void> open_folder(Session& session, const std::filesystem::path& folder);
  // A lesson of one's own, or lesson.json of a folder where one was done; false: the file is
  // neither. The error says what is wrong with the lesson.
  base::Result<bool> open_file(Session& session, const std::filesystem::path& file);
  // Of the program or of one's own; null: none has that id.
  [[nodiscard]] const lessons::Lesson* find(const std::string& id) const;
  // Once a frame, after Session::update().
  void update();
  // Runs what is left of the open lesson; why not.
  base::Result<void> start();
  // Ends what runs.
  void cancel();
  [[nodiscard]] bool running() const;

  // The open lesson; null before the first.
  [[nodiscard]] LessonRunner* shown() const { return shown_; }
  // All of them, with how far they are.
  [[nodiscard]] std::vector<views::LessonCard> cards();
  views::LessonEdit edit;

  // Writes what is known of the open lesson: guess, answers, finished steps.
  void keep();

 private:
  struct Progress {
    std::size_t done = 0;
    std::size_t steps = 0;
  };
  // The first folder of a lesson's name that is not another's.
  [[nodiscard]] std::unique_ptr<LessonRunner> runner_for(Session& session,
                                                         const lessons::Lesson& lesson,
                                                         lessons::Tier tier) const;
  [[nodiscard]] Progress progress_of(const lessons::Lesson& lesson) const;
  void show(LessonRunner& runner);
  base::Result<bool> open_own(Session& session, const std::filesystem::path& file,
                              const std::string& content);

  std::filesystem::path folder_;
  std::map<std::string, std::unique_ptr<LessonRunner>> runners_;  // by id and tier
  std::map<std::string, Progress> progress_;                      // by id, as it is on disk
  std::vector<std::unique_ptr<lessons::Lesson>> own_;             // that were opened from files
  LessonRunner* shown_ = nullptr;
};

}  // namespace ts::app
