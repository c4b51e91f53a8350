#pragma once

#include <filesystem>
#include <future>
#include <optional>

#include "core/base/result.h"

namespace ts::app {

// Reads models of torch.export for the window on a thread of their own: the graph of a large one
// takes longer than a frame. What was read is kept by exported::open_model. One owner thread.
class ModelOpener {
 public:
  // The newest wins; one that is being read is forgotten.
  void open(const std::filesystem::path& path);
  // The model that has been read since the last call, or why it could not be; nothing while there
  // is none.
  std::optional<base::Result<std::filesystem::path>> take();
  [[nodiscard]] bool busy() const { return reading_.valid(); }

 private:
  std::filesystem::path path_;
  std::future<base::Result<void>> reading_;
  std::optional<std::filesystem::path> next_;
};

}  // namespace ts::app
