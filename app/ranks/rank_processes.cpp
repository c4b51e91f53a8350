#include "app/ranks/rank_processes.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "core/base/clock.h"
#include "core/io/child_process.h"
#include "core/io/file.h"
#include "core/text/message.h"

namespace ts::app {

RankProcesses::~RankProcesses() {
  signal_all(SIGKILL);
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    int ignored = 0;
    if (!ends_[i].ended) waitpid(ids_[i], &ignored, 0);
  }
}

base::Result<void> RankProcesses::start(const Command& command) {
  const io::SpawnArguments arguments(command.words);
  const io::SpawnArguments environment = io::environment_with(command.environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, command.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  for (const int descriptor : command.close)
    posix_spawn_file_actions_addclose(&actions, descriptor);
  pid_t child = 0;
  const int error = posix_spawnp(&child, command.words.front().c_str(), &actions, nullptr,
                                 arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return text::fail("file_error.no_start",
                      {{"program", command.words.front()}, io::system_reason(error)});
  }
  ids_.push_back(child);
  ends_.emplace_back();
  return {};
}

bool RankProcesses::update() {
  bool any = false;
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    RankEnd& end = ends_[i];
    if (end.ended) continue;
    int status = 0;
    const pid_t found = waitpid(ids_[i], &status, WNOHANG);
    if (found == 0 || (found < 0 && errno == EINTR)) continue;
    end.ended = true;
    end.at_ns = base::now_ns();
    if (found < 0) {
      end.code = 1;
    } else if (WIFSIGNALED(status)) {
      end.signal = WTERMSIG(status);
      end.by_us = std::ranges::find(sent_, end.signal) != sent_.end();
    } else {
      end.code = WEXITSTATUS(status);
    }
    any = true;
  }
  return any;
}

bool RankProcesses::all_ended() const {
  return std::ranges::all_of(ends_, &RankEnd::ended);
}

void RankProcesses::signal_all(int signal) {
  sent_.push_back(signal);
  for (std::size_t i = 0; i < ids_.size(); ++i)
    if (!ends_[i].ended) kill(ids_[i], signal);
}

}  // namespace ts::app
