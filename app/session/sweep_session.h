#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "app/output/save_parts.h"
#include "app/session/point_recordings.h"
#include "app/session/sweep_runner.h"
#include "core/base/message.h"
#include "core/sweep/point_profile.h"
#include "views/sweep/sweep_analysis.h"

namespace ts::app {

// The sweep of the window: its state, its runner, its journal on disk and the last runs of its
// points. Shared by the window and its pictures. Main thread.
class SweepSession {
 public:
  // `folder`: the parent of the sweeps' folders; empty: nothing is written to disk.
  explicit SweepSession(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}
  // For the next sweep.
  void set_folder(const std::filesystem::path& folder) { folder_ = folder; }

  // Ends the current sweep, which stays on disk, and starts another. If no journal can be created
  // the sweep runs anyway, and problem() has the reason.
  void start(Session& session, sweep::SweepSpec spec);
  // Shows the sweep of a journal or of its folder. Runs nothing, and writes nothing before the
  // sweep is resumed. The previous sweep stays on disk.
  base::Result<void> load(Session& session, const std::filesystem::path& path);

  // Continue a sweep that is paused, cancelled or loaded, run one point again, or add the points of
  // `more`. The error is the reason why not: points of another program, LibTorch or machine are
  // never mixed with ours.
  base::Result<void> resume(const Session& session);
  base::Result<void> rerun(const Session& session, std::size_t point);
  base::Result<void> widen(const Session& session, const sweep::SweepSpec& more);

  // Once a frame, after Session::update().
  void update();
  // Waits until a loaded sweep is predicted, for pictures.
  void finish_predictions(Session& session, std::chrono::milliseconds patience);
  [[nodiscard]] const sweep::Sweep* sweep() const { return sweep_.get(); }
  [[nodiscard]] SweepRunner* runner() const { return runner_.get(); }
  [[nodiscard]] bool idle() const { return runner_ == nullptr || runner_->idle(); }
  [[nodiscard]] base::Message problem() const;

  // The run of a point if it is still in memory: only the last few are.
  [[nodiscard]] std::shared_ptr<run::Run> run_of(std::size_t point) const;
  // Opens the run of a point: at once if it is in memory, else from its recording on disk. Then
  // take_opened() returns it once, or the reason why there is none.
  void open(Session& session, std::size_t point);
  struct Opened {
    std::size_t point = 0;
    base::Result<std::shared_ptr<run::Run>> run;
  };
  std::optional<Opened> take_opened();
  [[nodiscard]] bool opening() const { return opener_.busy() || opened_.has_value(); }
  // The differences between two successful points.
  [[nodiscard]] base::Result<sweep::ProfileComparison> compare(std::size_t a, std::size_t b) const;
  [[nodiscard]] views::SweepAnalysisCache& analysis() { return analysis_; }
  // The folder of the shown sweep; empty: it is not on disk, or there is none.
  [[nodiscard]] const std::filesystem::path& own_folder() const { return own_folder_; }
  // Writes tables and JSON beside the journal; returns their folder.
  base::Result<std::filesystem::path> save(const Session& session, const SaveParts& parts);

 private:
  void keep_run(Session& session, std::size_t point);
  void forget_opened();
  // Opens the journal of a loaded sweep for writing.
  base::Result<void> take_up(const Session& session);

  std::filesystem::path folder_;
  std::filesystem::path own_folder_;  // of the current sweep
  std::filesystem::path loaded_;      // its journal until it is resumed; else empty
  std::unique_ptr<sweep::Sweep> sweep_;
  std::optional<sweep::SweepJournal> journal_;
  std::unique_ptr<SweepRunner> runner_;
  std::deque<std::pair<std::size_t, std::shared_ptr<run::Run>>> runs_;
  base::Message start_problem_;
  RecordingOpener opener_;
  std::size_t opening_ = 0;  // the point whose recording is being read
  std::filesystem::path opening_file_;
  spec::WorkloadSpec opening_spec_;  // of that point
  std::optional<Opened> opened_;
  views::SweepAnalysisCache analysis_;
};

}  // namespace ts::app
