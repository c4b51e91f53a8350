#pragma once

#include <filesystem>

#include "app/lessons/lesson_runner.h"

#include "app/window/workspace_picture.h"
#include "core/lessons/lesson_report.h"

namespace ts::app {

// Saves the run, the prediction or the comparison of the session into a new folder of `parent`,
// "run-20260131-235959": the files of `tensorscope run --out` and `predict --out`, pictures with
// the look of the window, and a report in its language. Returns that folder. Main thread, with the
// context of `graphics` current.
base::Result<std::filesystem::path> save_in_folder(Requests::Save what, Graphics& graphics,
                                                   Session& session, const WorkspaceState& state,
                                                   const std::filesystem::path& parent);

// Saves the pictures of a finished lesson step into its folder: the figure of a sweep and of a
// workload's curves, and those of the window that the lesson hands in, while their data exist.
base::Result<void> save_step_pictures(Graphics& graphics, Session& session,
                                      const WorkspaceState& state, const LessonRunner& lesson,
                                      const std::string& step);

// Saves the pictures of all finished steps, and the report, into the folder of the lesson.
base::Result<void> save_lesson_folder(Graphics& graphics, Session& session,
                                      const WorkspaceState& state, const LessonRunner& lesson,
                                      const text::Texts& texts);
// The input of a lesson's report with the progress so far. The lesson must outlive the report.
lessons::ReportInput report_of(const LessonRunner& lesson, std::string again);

}  // namespace ts::app
