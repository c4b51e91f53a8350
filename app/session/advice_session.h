#pragma once

#include <memory>
#include <optional>

#include "app/session/session.h"
#include "core/advice/advisor.h"

namespace ts::app {

// The advice of the window: for the settings when it was asked for. Main thread.
class AdviceSession {
 public:
  // The settings that may change, and the device. `here`: this machine instead of the card.
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
  // Runs every rung of the newest ladder that can run here, one after the other, as runs of the
  // session; update() goes on. Ends when another run is requested or one is cancelled. Only while
  // can_measure().
  void measure();
  // The newest ladder is of this machine and known, and the session does not run anything.
  [[nodiscard]] bool can_measure(const Session& session) const;
  // The rung that is run now.
  [[nodiscard]] const advice::Rung* measuring() const;
  void cancel();
  [[nodiscard]] bool busy() const {
    return measuring() != nullptr || (advisor_ != nullptr && advisor_->busy());
  }
  // Call once a frame.
  void update(Session& session);
  // The newest state, null before the first request. Valid until the next update().
  [[nodiscard]] const advice::Advice* advice() const { return advice_.get(); }
  [[nodiscard]] const advice::Ladder* ladder() const {
    return timed_ ? timed_.get() : ladder_.get();
  }

 private:
  // Nothing when there is a problem. Makes the advisor when there is none yet.
  std::optional<advice::AdviceRequest> request_of(Session& session, const spec::WorkloadSpec& spec,
                                                  const Question& question);
  void go_on_measuring(Session& session);

  struct Measuring {
    std::size_t rung = 0;
    run::RunId id = 0;  // the run of the rung; 0: none yet
    bool cancelled = false;
  };
  std::unique_ptr<advice::Advisor> advisor_;
  std::shared_ptr<const advice::Advice> advice_;
  std::shared_ptr<const advice::Ladder> ladder_;
  std::shared_ptr<advice::Ladder> timed_;  // a copy with what was measured; null before that
  std::optional<Measuring> measuring_;
};

}  // namespace ts::app
