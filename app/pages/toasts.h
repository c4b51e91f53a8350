#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "views/common/ui.h"

namespace ts::app {

// Messages about files written to disk, shown in the corner for some seconds, with a button that
// shows the file and one that copies its path. They stay while the mouse is over them, and leave
// soon when the user goes on to another page. Main thread.
class Toasts {
 public:
  void add(const std::filesystem::path& saved, std::int64_t now_ns);
  // Another page is shown: it is not covered for long.
  void page_changed(std::int64_t now_ns);
  // Drops those that were shown long enough. Call it before draw().
  void expire(std::int64_t now_ns);
  // Returns the path that the user wants to see.
  std::optional<std::filesystem::path> draw(const views::Ui& ui, std::int64_t now_ns);
  [[nodiscard]] bool empty() const { return toasts_.empty(); }

 private:
  struct Toast {
    std::filesystem::path path;
    std::int64_t until_ns = 0;
  };
  std::vector<Toast> toasts_;  // the newest last
};

}  // namespace ts::app
