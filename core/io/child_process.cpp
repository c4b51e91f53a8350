#include "core/io/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <string_view>
#include <thread>

#include "core/io/file.h"
#include "core/text/message.h"

extern char** environ;

namespace ts::io {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLongestHeard = std::size_t{64} << 10;
constexpr int kLogFlags = O_WRONLY | O_CREAT | O_TRUNC;

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

class Attributes {
 public:
  Attributes() { posix_spawnattr_init(&attributes_); }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  posix_spawnattr_t* get() { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

// True if the process has ended; `code` is then its exit code.
bool has_ended(pid_t child, int& code) {
  int status = 0;
  pid_t found = 0;
  do {
    found = waitpid(child, &status, WNOHANG);
  } while (found < 0 && errno == EINTR);
  if (found == 0) return false;
  code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return true;
}

// Asks it and its child processes to end, then ends them.
void end_group(pid_t child) {
  int code = 0;
  kill(-child, SIGTERM);
  for (int i = 0; i < 10 && !has_ended(child, code); ++i) std::this_thread::sleep_for(50ms);
  kill(-child, SIGKILL);  // those that ignored the first signal
  int ignored = 0;
  waitpid(child, &ignored, 0);
}

// In a separate process group, so that its child processes can be ended with it.
base::Result<pid_t> spawn(const ChildCommand& command, FileActions& actions) {
  const SpawnArguments arguments(command.words);
  const SpawnArguments environment = environment_with(command.environment);
  Attributes attributes;
  posix_spawnattr_setflags(attributes.get(), POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(attributes.get(), 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, command.words.front().c_str(), actions.get(),
                                 attributes.get(), arguments.data(), environment.data());
  if (error == 0) return child;
  return text::fail("file_error.no_start",
                    {{"program", command.words.front()}, system_reason(error)});
}

}  // namespace

SpawnArguments::SpawnArguments(std::vector<std::string> words) : words_(std::move(words)) {
  for (std::string& word : words_) pointers_.push_back(word.data());
  pointers_.push_back(nullptr);
}

// The second of two settings with one name would be ignored.
SpawnArguments environment_with(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const bool replaced = std::ranges::any_of(settings, [&](const auto& setting) {
      const std::string& name = setting.first;
      return text.starts_with(name) && text.substr(name.size()).starts_with('=');
    });
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : settings) {
    all.push_back(name);
    all.back().append("=").append(value);
  }
  return SpawnArguments(std::move(all));
}

base::Result<int> run_child(const ChildCommand& command, const base::CancelToken& cancel) {
  FileActions actions;
  posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(actions.get(), 1, command.log.c_str(), kLogFlags, 0600);
  posix_spawn_file_actions_adddup2(actions.get(), 1, 2);
  TS_TRY(const pid_t child, spawn(command, actions));
  int code = 0;
  const auto begin = std::chrono::steady_clock::now();
  while (!has_ended(child, code)) {
    const bool late =
        command.limit.count() > 0 && std::chrono::steady_clock::now() - begin > command.limit;
    if (late || cancel.cancelled()) {
      end_group(child);
      if (!late) return text::fail("engine.cancelled");
      return text::fail("file_error.no_end", {{"program", command.words.front()},
                                              {"seconds", std::to_string(command.limit.count())}});
    }
    std::this_thread::sleep_for(20ms);
  }
  return code;
}

base::Result<LineChild> LineChild::start(const ChildCommand& command) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return text::fail("file_error.no_start",
                      {{"program", command.words.front()}, system_reason(errno)});
  }
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  FileActions actions;
  posix_spawn_file_actions_adddup2(actions.get(), theirs.number(), 0);
  posix_spawn_file_actions_adddup2(actions.get(), theirs.number(), 1);
  posix_spawn_file_actions_addopen(actions.get(), 2, command.log.c_str(), kLogFlags, 0600);
  TS_TRY(const auto child, spawn(command, actions));
  return LineChild(child, std::move(ours));
}

bool LineChild::tell(std::string line) {
  line += '\n';
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t count =
        ::send(socket_.number(), line.data() + at, line.size() - at, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += static_cast<std::size_t>(count);
  }
  return true;
}

LineChild::Heard LineChild::hear(std::string& line, std::chrono::milliseconds wait) {
  const auto until = std::chrono::steady_clock::now() + wait;
  while (true) {
    if (const std::size_t at = heard_.find('\n'); at != std::string::npos) {
      line = heard_.substr(0, at);
      heard_.erase(0, at + 1);
      return Heard::line;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    pollfd ready{.fd = socket_.number(), .events = POLLIN, .revents = 0};
    const int found = ::poll(&ready, 1, std::max(0, static_cast<int>(left.count())));
    if (found == 0 || (found < 0 && errno == EINTR && left.count() <= 0)) return Heard::nothing;
    if (found < 0) continue;
    std::array<char, 4096> buffer{};
    const ssize_t count = ::recv(socket_.number(), buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || heard_.size() > kLongestHeard) return Heard::end;
    heard_.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

void LineChild::end() noexcept {
  if (child_ == 0) return;
  kill(-child_, SIGKILL);
  int ignored = 0;
  while (waitpid(child_, &ignored, 0) < 0 && errno == EINTR) {
  }
  child_ = 0;
}

std::string last_line(const std::filesystem::path& log) {
  constexpr std::streamoff kMost = 64 << 10;  // of the end; a log may be of any size
  std::string last = "it said nothing";
  std::ifstream lines(log, std::ios::binary);
  lines.seekg(0, std::ios::end);
  if (!lines) return last;
  lines.seekg(std::max<std::streamoff>(0, lines.tellg() - kMost));
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t") != std::string::npos) last = line;
  }
  return last;
}

}  // namespace ts::io
