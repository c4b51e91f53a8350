#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/own_file/own_file.h"
#include "app/own_file/own_lines.h"
#include "core/base/job_thread.h"
#include "core/predict/outlook.h"
#include "core/predict/prediction.h"

namespace ts::app {

// The window's questions about a Python file, on a thread of its own: the newest counts, and an
// earlier one is ended, but a prediction that takes no time, so that there are some while a slider
// is dragged. Nothing is asked of a file before one of these calls.
// Members but the thread's own belong to one owner thread.
class OwnSession {
 public:
  enum class Work : std::uint8_t { none, examine, describe, predict, run, write, show, close };
  struct Forecast {
    OwnQuestion question;
    predict::Forecast of;                              // its id is not used
    std::shared_ptr<const base::StringTable> strings;  // of its log
    base::Message on_cpu, compiled;                    // see OwnDryRun
    std::vector<OwnLine> lines;                        // at the peak
  };
  struct State {
    std::shared_ptr<const OwnDescription> description;
    std::shared_ptr<const Forecast> forecast;
    std::string python;  // that was examined last: "Python 3.11.2, torch 2.11.0"
    // Why the last question has no answer. A cancelled one says at most where its file was.
    base::Message problem;
  };

  OwnSession();

  // Asks a Python what it is, and remembers it for later starts if it can be used. Forgets the
  // rest.
  void examine(std::filesystem::path python);
  // Forgets what was known of another file.
  void describe(OwnQuestion question);
  // Where the process must be started first, it waits a moment for a newer one.
  void predict(OwnQuestion question, predict::PredictionTarget target);
  // Writes the recording of a run on the CPU there; take_file() gives it.
  void record(OwnQuestion question, std::filesystem::path out);
  // Writes the module that the step calls first as torch.export has it there; take_file() gives it.
  void write_model(OwnQuestion question, std::filesystem::path out);
  // Writes the memory of the forecast as a snapshot there; take_file() gives it.
  void show(std::shared_ptr<const Forecast> forecast, std::filesystem::path out);
  void cancel() { thread_.cancel(); }
  // Cancels, and ends the process that waits for questions; a later one starts it again.
  void close();

  [[nodiscard]] State state() const;
  // The question in progress, or the one that waits.
  [[nodiscard]] Work work() const;
  [[nodiscard]] bool busy() const { return thread_.busy(); }
  // It is busy with what may take a while: not with a prediction that began just now.
  [[nodiscard]] bool lasts() const;
  // A file that was written since the last call, to be opened.
  std::optional<std::filesystem::path> take_file();

 private:
  struct Job {
    Work work = Work::none;
    OwnQuestion question = {};
    predict::PredictionTarget target = {};
    std::shared_ptr<const Forecast> forecast = {};
    std::filesystem::path out = {};
  };
  void submit(Job job);
  void do_job(const Job& job, const base::CancelToken& cancel);
  base::Result<void> answer(const Job& job, const base::CancelToken& cancel);
  base::Result<void> examine_now(const Job& job, const base::CancelToken& cancel);
  base::Result<void> predict_now(const Job& job, const base::CancelToken& cancel);

  mutable std::mutex mutex_;  // guards the three below
  State state_;
  Work work_ = Work::none;
  std::optional<std::filesystem::path> file_;
  std::atomic<std::int64_t> begun_ns_{0};  // when the work in progress began
  OwnProcess process_;                     // the thread's own
  base::JobThread<Job> thread_;            // last: it uses all members above
};

}  // namespace ts::app
