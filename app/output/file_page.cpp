#include "app/output/file_page.h"

#include "app/output/memory_page.h"
#include "app/output/trace_page.h"

namespace ts::app {
namespace {

// As in the window: a colour is a category where most of them are known.
bool knows_categories(const files::OpenedDevice& device) {
  constexpr double kMost = 0.5;
  return device.guessed_share ? *device.guessed_share > kMost
                              : files::has_categories(device.run.memory);
}

}  // namespace

std::string file_page(const files::OpenedFile& file, std::size_t device) {
  const std::string title = file.path.filename().string();
  if (const files::OpenedTrace* const trace = file.trace_shown(device))
    return trace_page(trace->run.trace, *trace->about.strings, title);
  const files::OpenedDevice& shown = file.devices[device];
  return memory_page(
      files::blocks_of(file, shown), title,
      {.guessed = shown.guessed_share.has_value(), .by_stack = !knows_categories(shown)});
}

}  // namespace ts::app
