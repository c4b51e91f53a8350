#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/session/point_recordings.h"
#include "app/session/session.h"
#include "core/base/message.h"
#include "core/sweep/sweep.h"
#include "core/sweep/sweep_journal.h"

namespace ts::app {

// Predicts the points of a sweep, then runs them on the session's worker, one after the other, and
// writes each into the journal as it ends. Used by the command and by the window. Main thread.
//
// Predictions come first and alone: dry runs beside a measurement would take processor time from
// it. Without a loader of dry runs in the session, or an engine that loads, there are none.
class SweepRunner {
 public:
  // `journal` may be null: nothing is kept on disk then. All outlive the runner.
  SweepRunner(Session& session, sweep::Sweep& sweep, sweep::SweepJournal* journal);
  ~SweepRunner();
  SweepRunner(const SweepRunner&) = delete;
  SweepRunner& operator=(const SweepRunner&) = delete;

  // Call after Session::update(), as often as there may be news. Takes over what has ended and
  // starts the next point. A run that somebody else asked for goes first: the point it replaced
  // waits and is run again.
  void update();

  // Dry runs still go on.
  [[nodiscard]] bool predicting() const { return predictor_ != nullptr; }
  // The point that runs is finished first; predictions go on.
  void pause() { paused_ = true; }
  void resume();
  // Runs that point next, also while the others are paused.
  void rerun(std::size_t point);
  // The sweep has got more points: they are predicted and run, too.
  void widened();
  // From now on points are written there.
  void write_to(sweep::SweepJournal* journal) { journal_ = journal; }
  // What tensorscope compare needs of every point goes there, and its recording, a file each. The
  // next point begins when they are written: a disk at work would be measured, too. Empty: nowhere.
  void keep_points(std::filesystem::path folder);
  [[nodiscard]] bool paused() const { return paused_; }
  // Ends the running point and gives up the rest; resume() takes them up again.
  void cancel();
  // Nothing runs or is predicted, and nothing will.
  [[nodiscard]] bool idle() const;

  // Called with each point that has ended, after it was written.
  std::function<void(std::size_t point)> on_point;
  // Why the journal could not be written, when it last could not; the points wait in memory.
  [[nodiscard]] const base::Message& journal_problem() const { return journal_problem_; }
  // Why the last point has no recording; empty when it has.
  [[nodiscard]] const base::Message& recording_problem() const { return recordings_.problem(); }

 private:
  void take_end();
  void keep_profile(std::size_t point, const run::Run& run);
  void end_if_too_slow();
  // Whether the points may run as far as predictions go.
  bool predicted();

  Session* session_;
  sweep::Sweep* sweep_;
  sweep::SweepJournal* journal_;
  std::unique_ptr<sweep::SweepPredictor> predictor_;
  bool asked_predictor_ = false;
  run::RunId id_ = 0;  // of the running point
  bool paused_ = false;
  bool cancelling_ = false;
  bool too_long_ = false;
  std::filesystem::path points_;                     // folder
  std::unique_ptr<run::RecordingWriter> recording_;  // of the running point
  RecordingSaver recordings_;
  base::Message journal_problem_;
};

}  // namespace ts::app
