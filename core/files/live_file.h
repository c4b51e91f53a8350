#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <vector>

#include "core/base/clock.h"
#include "core/files/opened_file.h"
#include "core/live/reception.h"

namespace ts::files {

// A recording that grows while the script runs, in the form of an opened file: its timeline and
// memory at once, its blocks by line when it has ended. One owner thread.
class LiveFile {
 public:
  explicit LiveFile(std::shared_ptr<live::Incoming> incoming);
  // The line to the script is cut.
  ~LiveFile();
  LiveFile(const LiveFile&) = delete;
  LiveFile& operator=(const LiveFile&) = delete;

  // Null until something has come.
  [[nodiscard]] const std::shared_ptr<OpenedFile>& opened() const { return opened_; }
  // Applies what has come, for about that long; true if anything changed.
  bool update(std::int64_t budget_ns);

  [[nodiscard]] live::Incoming::State state() const { return state_; }
  // The run of opened() still changes on this thread: no other one may read it.
  [[nodiscard]] bool grows() const { return opened_ == nullptr || !opened_->trace->run.finished; }
  // It will not change any more.
  [[nodiscard]] bool complete() const { return complete_; }
  // Where the script left its recording; empty: nowhere, or it did not say so.
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

  // From the beginning of the last whole step to the newest record.
  [[nodiscard]] base::TimeRange newest_step() const;
  // The longest time from a record to its place in the run, of the batches that came so far, in ns.
  // Both clocks are this machine's.
  [[nodiscard]] const std::vector<std::int64_t>& delays() const { return delays_; }

 private:
  void apply(run::Update&& update);
  void finish(const live::Incoming::Ending& ending);
  void take_forms();
  void note_delay(const capture::Batch& batch);

  std::shared_ptr<live::Incoming> incoming_;
  std::shared_ptr<OpenedFile> opened_;
  live::Incoming::State state_ = live::Incoming::State::live;
  std::filesystem::path file_;
  std::vector<run::Update> waiting_;
  std::size_t applied_ = 0;  // of waiting_
  std::int64_t newest_ns_ = 0;
  std::vector<std::int64_t> delays_;
  std::future<RecordingForms> forms_;
  bool complete_ = false;
};

}  // namespace ts::files
