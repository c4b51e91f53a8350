#pragma once

#include <cstdint>
#include <memory>

#include "app/pages/notices.h"
#include "app/pages/workspace_state.h"
#include "app/session/session.h"

namespace ts::app {

// Starts runs of the current settings: on request, and after each change while Live is on. Main
// thread.
class RunStarter {
 public:
  RunStarter(Session& session, WorkspaceState& state, Notices& notices)
      : session_(&session), state_(&state), notices_(&notices), seen_spec_(state.history.spec()) {}

  // Starts a run; a sentence says why there is none.
  void start() { start(false); }
  // Starts a short run when the settings have changed and then rested. A run takes the place of a
  // file, so Live waits while one is shown. Once a frame.
  void follow_live();
  // The last run started here that had a result is shown again when a newer one of the same
  // settings ended without one, or when the runs of a lesson, sweep or hunt have ended. Once a
  // frame.
  void keep_result();
  // follow_live() has a run to start.
  [[nodiscard]] bool live_pending() const;
  // Sets settings that Live does not run: those of something that was opened.
  void open_settings(const spec::WorkloadSpec& spec);
  // A point of a sweep is being measured; a run now would discard it.
  [[nodiscard]] bool measures_sweep() const;

 private:
  void start(bool live);

  Session* session_;
  WorkspaceState* state_;
  Notices* notices_;
  spec::WorkloadSpec run_spec_;   // of the last run that was started
  spec::WorkloadSpec seen_spec_;  // of the last frame
  std::int64_t changed_ns_ = 0;
  std::shared_ptr<run::Run> result_;  // the last run started here that had one
  run::RunId settled_ = 0;            // the newest request that is known to have ended
};

}  // namespace ts::app
