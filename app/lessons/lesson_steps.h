#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/session/session.h"
#include "core/base/result.h"
#include "core/lessons/lesson.h"

namespace ts::app {

// One step of a lesson while it goes on: what the command of its kind does, without waiting for it.
// Main thread.
class LessonStep {
 public:
  virtual ~LessonStep() = default;
  // Once a frame, after Session::update().
  virtual void update() = 0;
  virtual void cancel() = 0;
  [[nodiscard]] virtual bool done() const = 0;
  // Once, when it is done: the document, written into the folder of the step with all other files.
  // Nothing where it was cancelled; the error says why there is no result.
  virtual base::Result<std::optional<nlohmann::json>> take() = 0;
  [[nodiscard]] virtual double fraction() const { return 0; }
  [[nodiscard]] virtual double seconds_left() const { return -1; }
};

// Of the kind of the plan. `folder` is made. The session's engine is loaded.
base::Result<std::unique_ptr<LessonStep>> begin_step(Session& session,
                                                     const lessons::StepPlan& plan,
                                                     const std::filesystem::path& folder);

// The name of the document in the folder of a step.
const char* document_name(lessons::StepKind kind);
const spec::WorkloadSpec& spec_of_plan(const lessons::StepPlan& plan);

}  // namespace ts::app
