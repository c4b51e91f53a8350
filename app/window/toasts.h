#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "views/common/ui.h"

namespace ts::app {

// What was written to disk, said in the corner for some seconds, with a button that shows it and
// one that takes the path along. While the mouse is over them they stay. Main thread.
class Toasts {
 public:
  void add(const std::filesystem::path& saved, std::int64_t now_ns);
  // Returns the path that the user wants to be shown.
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
