#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/io/child_process.h"
#include "core/io/private_folder.h"

namespace ts::app {

// The process of a Python that answers questions about files, each in a fork of itself
// (python/tensorscope/_own_serve.py). It is kept from one question to the next, because importing
// torch takes seconds; a question starts it where there is none, or where it is of another Python.
// It ends with the thread that asked first. One thread at a time.
class OwnProcess {
 public:
  // `given_up` is asked again and again while a question goes on; true ends it as cancelled.
  explicit OwnProcess(std::function<bool()> given_up = {}) : given_up_(std::move(given_up)) {}

  struct Request {
    std::filesystem::path python;
    std::filesystem::path file;     // alone in a folder, where the answer comes, too
    std::chrono::seconds limit{0};  // the question is ended after so long; 0: never
    std::string about;              // the user's file, for sentences
    std::uintmax_t most_bytes = 0;  // of files in that folder; more end the question
  };
  // Returns the exit code of the process that answered, or 128 plus its signal. Errors: Python or
  // the package failed; cancelled; a limit was reached.
  base::Result<int> ask(const Request& request, const base::CancelToken& cancel);
  // Lets go of it until the next question.
  void end();
  // The next question waits for no start.
  [[nodiscard]] bool waits() const { return child_.has_value(); }

 private:
  struct Question;
  base::Result<void> start(const std::filesystem::path& python);
  base::Result<bool> get_ready(const Question& question);
  base::Result<int> answer(Question& question);
  void end_answer(pid_t group);

  std::function<bool()> given_up_;
  std::optional<io::PrivateFolder> folder_;  // with the log
  std::optional<io::LineChild> child_;
  std::filesystem::path python_;
  bool ready_ = false;  // it has said so
};

}  // namespace ts::app
