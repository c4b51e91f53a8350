#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "core/base/result.h"
#include "core/io/input_file.h"

namespace ts::live {

// Where scripts that are recorded find the window: Unix sockets in a folder that only this user may
// enter (0700). Each window has one (0600), window-PID; a caller of another user is sent away, and
// so is a window of another user. Errors are one sentence.

using io::Descriptor;

// tensorscope in XDG_RUNTIME_DIR, else tensorscope-UID in the folder for temporary files.
std::filesystem::path meeting_folder();

// A window's socket, removed at the end. One owner thread.
class Listener {
 public:
  // Makes the folder; removes what windows left there that were killed.
  static base::Result<Listener> open(const std::filesystem::path& folder);
  ~Listener();
  Listener(Listener&& other) noexcept = default;
  Listener& operator=(Listener&&) = delete;

  struct Caller {
    Descriptor socket;
    pid_t process = 0;
  };
  // The next caller of this user; none: nobody waits. Does not block.
  std::optional<Caller> accept();
  [[nodiscard]] int number() const { return socket_.number(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  Listener(Descriptor socket, std::filesystem::path path)
      : socket_(std::move(socket)), path_(std::move(path)) {}

  Descriptor socket_;
  std::filesystem::path path_;
};

// A line to the newest window that answers. The descriptor does not block.
base::Result<Descriptor> call_window(const std::filesystem::path& folder);

}  // namespace ts::live
