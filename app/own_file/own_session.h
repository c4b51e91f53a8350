#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "app/own_file/own_file.h"
#include "core/base/job_thread.h"
#include "core/predict/prediction.h"

namespace ts::app {

// The window's questions about a Python file, on a thread of its own: the newest counts, and
// the process of an earlier one is ended. Nothing is asked of a file before one of these calls.
// Members but the thread's own belong to one owner thread.
class OwnSession {
 public:
  enum class Work : std::uint8_t { none, describe, predict, run, show };
  struct Forecast {
    OwnQuestion question;
    std::shared_ptr<const OwnDryRun> dry;
    predict::PredictionTarget target;
    predict::Prediction prediction;
  };
  struct State {
    std::shared_ptr<const OwnDescription> description;
    std::shared_ptr<const Forecast> forecast;
    base::Message problem;  // why the last question has no answer; cancelled ones say nothing
  };

  OwnSession();

  // Forgets what was known of another file.
  void describe(OwnQuestion question);
  // Waits a moment for a newer one before a process is started.
  void predict(OwnQuestion question, predict::PredictionTarget target);
  // Writes the recording of a run on the CPU there; take_file() gives it.
  void record(OwnQuestion question, std::filesystem::path out);
  // Writes the memory of the forecast as a snapshot there; take_file() gives it.
  void show(std::shared_ptr<const Forecast> forecast, std::filesystem::path out);
  void cancel() { thread_.cancel(); }

  [[nodiscard]] State state() const;
  // The question in progress, or the one that waits.
  [[nodiscard]] Work work() const;
  [[nodiscard]] bool busy() const { return thread_.busy(); }
  // A file that was written since the last call, to be opened.
  std::optional<std::filesystem::path> take_file();

 private:
  struct Job {
    Work work = Work::none;
    OwnQuestion question;
    predict::PredictionTarget target;
    std::shared_ptr<const Forecast> forecast;
    std::filesystem::path out;
  };
  void submit(Job job);
  void do_job(const Job& job, const base::CancelToken& cancel);
  base::Result<void> answer(const Job& job, const base::CancelToken& cancel);
  base::Result<void> predict_now(const Job& job, const base::CancelToken& cancel);

  mutable std::mutex mutex_;  // guards the three below
  State state_;
  Work work_ = Work::none;
  std::optional<std::filesystem::path> file_;
  base::JobThread<Job> thread_;  // last: it uses all members above
};

}  // namespace ts::app
