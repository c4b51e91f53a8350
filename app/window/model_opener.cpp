#include "app/window/model_opener.h"

#include <utility>

#include "app/session/is_ready.h"
#include "core/exported/model_file.h"

namespace ts::app {

void ModelOpener::open(const std::filesystem::path& path) {
  // The destructor of a future that is not done would wait.
  if (busy()) {
    next_ = path;
    return;
  }
  path_ = path;
  reading_ = std::async(std::launch::async, [path]() -> base::Result<void> {
    TS_TRY_DONE(exported::open_model(path.string()));
    return {};
  });
}

std::optional<base::Result<std::filesystem::path>> ModelOpener::take() {
  if (!busy() || !is_ready(reading_)) return std::nullopt;
  const base::Result<void> read = reading_.get();
  if (const auto next = std::exchange(next_, std::nullopt)) {
    open(*next);
    return std::nullopt;
  }
  if (!read) return tl::unexpected(read.error());
  return path_;
}

}  // namespace ts::app
