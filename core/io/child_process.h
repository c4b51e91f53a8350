#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/io/input_file.h"

namespace ts::io {

// Strings and the pointers to them, in the form that exec needs.
class SpawnArguments {
 public:
  explicit SpawnArguments(std::vector<std::string> words);
  SpawnArguments(const SpawnArguments&) = delete;
  SpawnArguments& operator=(const SpawnArguments&) = delete;
  [[nodiscard]] char* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

// This process's environment with these settings, which replace existing ones of their names.
SpawnArguments environment_with(const std::vector<std::pair<std::string, std::string>>& settings);

struct ChildCommand {
  std::vector<std::string> words;  // the program, looked for in PATH, and its arguments
  std::vector<std::pair<std::string, std::string>> environment = {};  // added to this process's own
  std::filesystem::path log;      // receives its standard output and error
  std::chrono::seconds limit{0};  // ended as if cancelled after so long; 0: none
};

// Runs a program to its end and returns its exit code, or 128 plus the signal number if a signal
// ended it. A cancelled program and its child processes are ended within a second. Errors: the
// program cannot be started; cancelled, with the sentence "Cancelled"; the limit was reached.
base::Result<int> run_child(const ChildCommand& command, const base::CancelToken& cancel);

// A program that gets lines and answers with lines, over its standard input and output. One owner
// thread. It is started in a process group of its own, which ends with this object.
class LineChild {
 public:
  // `log` receives its standard error; `limit` is not used.
  static base::Result<LineChild> start(const ChildCommand& command);
  ~LineChild() { end(); }
  LineChild(LineChild&& other) noexcept
      : child_(std::exchange(other.child_, 0)),
        socket_(std::move(other.socket_)),
        heard_(std::move(other.heard_)) {}
  LineChild& operator=(LineChild&&) = delete;

  // False: it does not listen any more.
  bool tell(std::string line);
  enum class Heard : std::uint8_t { line, nothing, end };
  // Waits that long for a whole line, which `line` gets without its end.
  Heard hear(std::string& line, std::chrono::milliseconds wait);

 private:
  LineChild(pid_t child, Descriptor socket) : child_(child), socket_(std::move(socket)) {}
  void end() noexcept;

  pid_t child_;
  Descriptor socket_;
  std::string heard_;  // the beginning of the next line
};

// The last line of a program's log that is not blank: of a failed Python its error. "it said
// nothing" where there is none.
std::string last_line(const std::filesystem::path& log);

}  // namespace ts::io
