#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/session/session.h"
#include "core/base/result.h"
#include "core/lessons/lesson.h"

namespace ts::app {

// A running step of a lesson: does the work of the command of its kind without blocking. Main
// thread.
class LessonStep {
 public:
  virtual ~LessonStep() = default;
  // Once a frame, after Session::update().
  virtual void update() = 0;
  virtual void cancel() = 0;
  [[nodiscard]] virtual bool done() const = 0;
  // Call once when done. Returns the document; it and all other files are in the folder of the
  // step. Empty if it was cancelled; the error is the reason why there is no result.
  virtual base::Result<std::optional<nlohmann::json>> take() = 0;
  [[nodiscard]] virtual double fraction() const { return 0; }
  [[nodiscard]] virtual double seconds_left() const { return -1; }
};

// Starts a step of the plan's kind. Creates `folder`. The session's engine must be loaded.
base::Result<std::unique_ptr<LessonStep>> begin_step(Session& session,
                                                     const lessons::StepPlan& plan,
                                                     const std::filesystem::path& folder);

// The name of the document in the folder of a step.
const char* document_name(lessons::StepKind kind);
const spec::WorkloadSpec& spec_of_plan(const lessons::StepPlan& plan);

}  // namespace ts::app
