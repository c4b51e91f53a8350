#pragma once

#include <imgui.h>

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/lessons/findings.h"
#include "core/lessons/lesson.h"
#include "core/lessons/lesson_rows.h"
#include "core/lessons/material_errors.h"
#include "views/common/ui.h"

namespace ts::views {

// The user's input on the page of lessons, kept from frame to frame.
struct LessonEdit {
  std::string search;
  std::string guess;
  std::vector<double> curve;  // being drawn: a value at each place of the axis; 0: none yet
  std::string curve_of;       // the lesson and the size that it is of
  std::map<std::string, std::string> answers;  // of the open lesson, by id
  bool key = false;  // the teacher's: numbers before a guess, and the expected answers
};

// A lesson in the list of all.
struct LessonCard {
  const lessons::Lesson* lesson = nullptr;
  std::size_t done = 0;
  std::size_t steps = 0;
  std::size_t open = 0;  // questions without an answer
  bool chosen = false;
  bool running = false;
};

// The open lesson with its progress.
struct LessonShown {
  const lessons::Lesson& lesson;
  lessons::Tier tier;
  const lessons::Findings& findings;
  const std::optional<lessons::Guess>& guess;
  std::set<std::string> finished = {};  // ids of steps
  std::string current = {};             // the running step; empty: none
  bool running = false;
  double fraction = 0;
  double seconds_left = -1;    // of the step; negative: not known
  base::Message problem = {};  // why the last start ended early
  std::string card = {};       // the card of the predictions; empty: this machine
  const lessons::MaterialErrors* errors = nullptr;  // of the material; null: not shown
};

// Requests of the user in this frame.
struct LessonRequests {
  std::optional<std::string> open;  // a lesson of the list
  std::optional<lessons::Tier> tier;
  bool start = false;
  bool cancel = false;
  bool save = false;
  std::optional<std::string> guess;
  std::optional<std::string> answered;  // the id of a changed answer
  bool keep = false;                    // an answer is complete: save it
};

// Draws the whole list with progress ("5 of 12") and a search field. Shows the cards whose title,
// summary or row contains the search text. Below them the exercises without a lesson, with the
// reason.
void draw_lesson_gallery(const Ui& ui, LessonEdit& edit, std::span<const LessonCard> cards,
                         const lessons::RowCatalogue& rows, const lessons::MaterialErrors& errors,
                         LessonRequests& asked);

// Draws one lesson from its question to its deliverables. No measured or predicted value is shown
// before a guess is given.
void draw_lesson(const Ui& ui, LessonEdit& edit, const LessonShown& shown, LessonRequests& asked);

// True if numbers may be shown: there is no question, or it was answered.
bool numbers_are_shown(const LessonShown& shown);

}  // namespace ts::views
