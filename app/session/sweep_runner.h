#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "app/session/point_recordings.h"
#include "app/session/session.h"
#include "core/base/message.h"
#include "core/sweep/sweep.h"
#include "core/sweep/sweep_journal.h"

namespace ts::app {

// Predicts the points of a sweep, then runs them on the session's worker, one after the other, and
// writes each into the journal when it ends. Used by the command and the window. Main thread.
//
// Predictions come first and alone: dry runs would take processor time from a measurement.
// There are none without a loader of dry runs in the session, or without an engine that loads.
class SweepRunner {
 public:
  // `journal` may be null: then nothing is written to disk. All arguments outlive the runner.
  // Paused at first where nothing is to be run.
  SweepRunner(Session& session, sweep::Sweep& sweep, sweep::SweepJournal* journal);
  ~SweepRunner();
  SweepRunner(const SweepRunner&) = delete;
  SweepRunner& operator=(const SweepRunner&) = delete;

  // Call after Session::update(), as often as there may be news. Takes over finished points and
  // starts the next one. A run requested elsewhere has priority: the point it replaced waits and is
  // run again.
  void update();

  // Dry runs are still in progress.
  [[nodiscard]] bool predicting() const { return predictor_ != nullptr; }
  // The running point is finished first; predictions continue.
  void pause() { paused_ = true; }
  void resume();
  // Runs that point next, even while the others are paused.
  void rerun(std::size_t point);
  // Call when the sweep has got more points: they are predicted and run, too.
  void widened();
  // From now on points are written to this journal.
  void write_to(sweep::SweepJournal* journal) { journal_ = journal; }
  // Writes files for every point there: the input of tensorscope compare, and its recording. The
  // next point starts after that, because disk work would disturb the measurement. Empty: no files.
  void keep_points(std::filesystem::path folder);
  [[nodiscard]] bool paused() const { return paused_; }
  // Stops the running point and skips the rest; resume() continues them.
  void cancel();
  // Nothing runs or is predicted, and nothing will start.
  [[nodiscard]] bool idle() const;

  // Called with each finished point, after it was written.
  std::function<void(std::size_t point)> on_point;
  // The reason why the last write of the journal failed; then the points wait in memory.
  [[nodiscard]] const base::Message& journal_problem() const { return journal_problem_; }
  // The reason why the last point has no recording; empty when it has one.
  [[nodiscard]] const base::Message& recording_problem() const { return recordings_.problem(); }

 private:
  void take_end();
  void keep_profile(std::size_t point, const run::Run& run);
  void end_if_too_slow();
  // True when the points need not wait for predictions.
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
