#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/session/point_recordings.h"
#include "app/session/sweep_runner.h"
#include "core/base/message.h"
#include "core/sweep/point_profile.h"
#include "views/sweep/sweep_analysis.h"

namespace ts::app {

// The sweep of the window: its state, what runs it, its journal on disk and the last runs of its
// points. Shared by the window and by the pictures made of it. Main thread.
class SweepSession {
 public:
  // `folder`: where the sweeps' own folders go; empty: nothing is kept on disk.
  explicit SweepSession(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}
  // Of the next sweep.
  void set_folder(const std::filesystem::path& folder) { folder_ = folder; }

  // Ends the sweep there is, which stays on disk, and begins another. When no journal can be made
  // the sweep runs all the same and problem() says why.
  void start(Session& session, sweep::SweepSpec spec);
  // Shows the sweep of a journal or of its folder; nothing is run, and nothing written before it is
  // taken up again. The sweep there was goes on to be on disk.
  base::Result<void> load(Session& session, const std::filesystem::path& path);

  // Goes on with what is paused, was cancelled or was loaded, runs one point again, adds what
  // `more` has. The error says why not: points of another program, LibTorch or machine are never
  // mixed with ours.
  base::Result<void> resume(const Session& session);
  base::Result<void> rerun(const Session& session, std::size_t point);
  base::Result<void> widen(const Session& session, const sweep::SweepSpec& more);

  // Once a frame, after Session::update().
  void update();
  // Waits until a sweep that was loaded is predicted, for pictures.
  void finish_predictions(Session& session, std::chrono::milliseconds patience);
  [[nodiscard]] const sweep::Sweep* sweep() const { return sweep_.get(); }
  [[nodiscard]] SweepRunner* runner() const { return runner_.get(); }
  [[nodiscard]] bool idle() const { return runner_ == nullptr || runner_->idle(); }
  [[nodiscard]] base::Message problem() const;

  // The run of a point while it is in memory: the last few.
  [[nodiscard]] std::shared_ptr<run::Run> run_of(std::size_t point) const;
  // Brings the run of a point: of the last few at once, else from its recording on disk. Then
  // take_opened() has it once, or the sentence why there is none.
  void open(Session& session, std::size_t point);
  struct Opened {
    std::size_t point = 0;
    base::Result<std::shared_ptr<run::Run>> run;
  };
  std::optional<Opened> take_opened();
  [[nodiscard]] bool opening() const { return opener_.busy() || opened_.has_value(); }
  // What differs between two points that went well.
  [[nodiscard]] base::Result<sweep::ProfileComparison> compare(std::size_t a, std::size_t b) const;
  [[nodiscard]] views::SweepAnalysisCache& analysis() { return analysis_; }
  // Where the sweep that is shown is kept; empty: nowhere, or there is none.
  [[nodiscard]] const std::filesystem::path& own_folder() const { return own_folder_; }
  // Writes tables and JSON beside the journal; the folder they are in.
  base::Result<std::filesystem::path> save(const Session& session);

 private:
  void keep_run(Session& session, std::size_t point);
  void forget_opened();
  // Opens the journal of a loaded sweep for writing.
  base::Result<void> take_up(const Session& session);

  std::filesystem::path folder_;
  std::filesystem::path own_folder_;  // of the sweep there is
  std::filesystem::path loaded_;      // its journal while it is only looked at; else empty
  std::unique_ptr<sweep::Sweep> sweep_;
  std::optional<sweep::SweepJournal> journal_;
  std::unique_ptr<SweepRunner> runner_;
  std::deque<std::pair<std::size_t, std::shared_ptr<run::Run>>> runs_;
  base::Message start_problem_;
  RecordingOpener opener_;
  std::size_t opening_ = 0;  // the point whose recording is read
  std::filesystem::path opening_file_;
  spec::WorkloadSpec opening_spec_;  // of that point
  std::optional<Opened> opened_;
  views::SweepAnalysisCache analysis_;
};

}  // namespace ts::app
