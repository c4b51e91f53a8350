#pragma once

#include <imgui.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "core/base/message.h"
#include "core/lessons/findings.h"
#include "core/lessons/lesson.h"
#include "core/lessons/lesson_rows.h"
#include "views/common/ui.h"

namespace ts::views {

// What the user writes on the page of lessons, kept from frame to frame.
struct LessonEdit {
  std::array<char, 64> search{};
  std::array<char, 64> guess{};
  std::map<std::string, std::array<char, 4096>> answers;  // of the lesson that is open, by id
};

// A lesson in the list of all.
struct LessonCard {
  const lessons::Lesson* lesson = nullptr;
  std::size_t done = 0;
  std::size_t steps = 0;
  bool chosen = false;
  bool running = false;
};

// The lesson that is open, as far as it is.
struct LessonShown {
  const lessons::Lesson& lesson;
  lessons::Tier tier;
  const lessons::Findings& findings;
  const std::optional<lessons::Guess>& guess;
  std::set<std::string> finished = {};  // ids of steps
  std::string current = {};             // the step that runs; empty: none
  bool running = false;
  double fraction = 0;
  double seconds_left = -1;    // of the step; negative: not known
  base::Message problem = {};  // why the last start ended early
  std::string card = {};       // that is predicted for; empty: this machine
};

// What the user asked for in this frame.
struct LessonRequests {
  std::optional<std::string> open;  // a lesson of the list
  std::optional<lessons::Tier> tier;
  bool start = false;
  bool cancel = false;
  bool save = false;
  std::optional<std::string> guess;
  std::optional<std::string> answered;  // the id of an answer that was changed
  bool keep = false;                    // an answer is written
};

// "5 of 12" and so on: the whole list with its search field. Cards whose title, summary or row has
// what is searched.
// Below them the exercises that have no lesson, with the reason.
void draw_lesson_gallery(const Ui& ui, LessonEdit& edit, std::span<const LessonCard> cards,
                         const lessons::RowCatalogue& rows, LessonRequests& asked);

// One lesson from its question to what is handed in. Nothing that was measured or predicted is
// shown before a guess is given.
void draw_lesson(const Ui& ui, LessonEdit& edit, const LessonShown& shown, LessonRequests& asked);

// Whether numbers may be shown: there is no question, or it was answered.
bool numbers_are_shown(const LessonShown& shown);

}  // namespace ts::views
