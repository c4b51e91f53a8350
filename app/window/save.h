#pragma once

#include <filesystem>

#include "app/lessons/lesson_runner.h"

#include "app/window/workspace_picture.h"
#include "core/lessons/lesson_report.h"

namespace ts::app {

// Saves the run, the prediction or the comparison of the session into a new folder of `parent`,
// "run-20260131-235959": the files of `tensorscope run --out` and `predict --out`, and pictures as
// the window looks. That folder. Main thread, with the context of `graphics` current.
base::Result<std::filesystem::path> save_in_folder(Requests::Save what, Graphics& graphics,
                                                   Session& session, const WorkspaceState& state,
                                                   const std::filesystem::path& parent);

// The pictures of a step of a lesson that has ended, into its folder: the figure of a sweep and of
// a workload's courses, and those of the window that the lesson hands in, while there is what they
// show.
base::Result<void> save_step_pictures(Graphics& graphics, Session& session,
                                      const WorkspaceState& state, const LessonRunner& lesson,
                                      const std::string& step);

// The pictures of all steps that have ended, and the report, into the folder of the lesson.
base::Result<void> save_lesson_folder(Graphics& graphics, Session& session,
                                      const WorkspaceState& state, const LessonRunner& lesson,
                                      const text::Texts& texts);
// What a report of a lesson is made of, as far as the lesson is; it outlives the report.
lessons::ReportInput report_of(const LessonRunner& lesson, std::string again);

}  // namespace ts::app
