#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

#include "core/text/printable.h"

namespace ts::app {

// How far a command is: one line of standard error that rewrites itself. A file or a pipe gets
// nothing.
class ProgressLine {
 public:
  [[nodiscard]] bool is_shown_here() const { return terminal_; }
  void show(const std::string& line) {
    if (!terminal_) return;
    std::fprintf(stderr, "\r\033[K%s", text::printable(line).c_str());
    shown_ = true;
  }
  // Before anything else is printed.
  void clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
};

}  // namespace ts::app
