#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace ts::app {

// How the process of a rank ended.
struct RankEnd {
  bool ended = false;
  int code = 0;        // of exit
  int signal = 0;      // that ended it; 0: none did
  bool by_us = false;  // it was that of signal_all()
  std::int64_t at_ns = 0;
  [[nodiscard]] bool well() const { return ended && code == 0 && signal == 0; }
};

// The processes of the ranks of one run, children of this one. One owner thread. The destructor
// ends those that still run.
class RankProcesses {
 public:
  struct Command {
    std::vector<std::string> words;  // the program, looked for in PATH, and its arguments
    std::vector<std::pair<std::string, std::string>> environment;
    std::filesystem::path log;  // receives standard error; standard output goes nowhere
    std::vector<int> close;     // descriptors that the process does not get
  };
  RankProcesses() = default;
  ~RankProcesses();
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;

  base::Result<void> start(const Command& command);
  // Asks which have ended, without waiting; true if one more has.
  bool update();
  [[nodiscard]] const std::vector<RankEnd>& ends() const { return ends_; }
  [[nodiscard]] bool all_ended() const;
  // Sends a signal to those that run.
  void signal_all(int signal);

 private:
  std::vector<pid_t> ids_;
  std::vector<RankEnd> ends_;
  std::vector<int> sent_;  // signals of ours
};

}  // namespace ts::app
