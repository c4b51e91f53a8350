#pragma once

#include <memory>
#include <optional>

#include "app/session/session.h"
#include "core/advice/advisor.h"

namespace ts::app {

// The advice of the window: for the settings when it was asked for. Main thread.
class AdviceSession {
 public:
  // What the request changes and for which device. `here`: this machine instead of the card.
  struct Question {
    advice::RecipeSpace space;
    bool here = false;
    bool large_model = false;
  };
  // The reason why nothing can be asked now; empty when it can.
  [[nodiscard]] static base::Message problem(const Session& session, const spec::WorkloadSpec& spec,
                                             const Question& question);
  // Begins; an earlier search ends.
  void ask(Session& session, const spec::WorkloadSpec& spec, const Question& question);
  // The ladder instead of the advice.
  void ask_ladder(Session& session, const spec::WorkloadSpec& spec, const Question& question);
  void cancel();
  [[nodiscard]] bool busy() const { return advisor_ != nullptr && advisor_->busy(); }
  // Call once a frame.
  void update();
  // The newest state, null before the first request. Valid until the next update().
  [[nodiscard]] const advice::Advice* advice() const { return advice_.get(); }
  [[nodiscard]] const advice::Ladder* ladder() const { return ladder_.get(); }

 private:
  // Nothing when there is a problem. Makes the advisor when there is none yet.
  std::optional<advice::AdviceRequest> request_of(Session& session, const spec::WorkloadSpec& spec,
                                                  const Question& question);

  std::unique_ptr<advice::Advisor> advisor_;
  std::shared_ptr<const advice::Advice> advice_;
  std::shared_ptr<const advice::Ladder> ladder_;
};

}  // namespace ts::app
