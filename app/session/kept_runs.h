#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "core/base/string_table.h"
#include "core/run/recording.h"

namespace ts::app {

// The last runs of the page of runs that had a result, each with what was recorded of it, so that
// they can be shown again and saved. One owner thread.
class KeptRuns {
 public:
  struct Kept {
    std::shared_ptr<run::Run> run;
    // One of the two: of a run of this process, and of one from a file.
    std::shared_ptr<const run::RecordingWriter> writer;
    std::shared_ptr<const std::string> file;
    // Its recording; any thread.
    [[nodiscard]] std::shared_ptr<const std::string> recording() const;
  };
  // How many, and their bytes in memory; the newest is kept whatever it takes.
  static constexpr std::size_t kMost = 10;
  static constexpr std::size_t kMostBytes = std::size_t{512} << 20;

  // That run is to be kept when it has ended; no other one is.
  void follow(run::RunId id, const base::StringTable& strings);
  void add(run::RunId id, const capture::Batch& batch);
  void finish(const std::shared_ptr<run::Run>& run);
  // One that a file had.
  void add(Kept kept);

  [[nodiscard]] const std::deque<Kept>& all() const { return all_; }  // the oldest first
  // Ids for runs of files: none of the worker.
  static run::RunId next_id();

 private:
  std::shared_ptr<run::RecordingWriter> writer_;  // of the run that goes on
  std::deque<Kept> all_;
};

}  // namespace ts::app
