#include "app/output/file_page.h"

#include "app/output/memory_page.h"
#include "app/output/trace_page.h"

namespace ts::app {

std::string file_page(const files::OpenedFile& file, std::size_t device,
                      std::span<const files::Note> notes) {
  const std::string title = file.path.filename().string();
  if (const files::OpenedTrace* const trace = file.trace_shown(device))
    return trace_page(*trace, title, notes);
  const files::OpenedDevice& shown = file.devices[device];
  return memory_page(files::blocks_of(file, shown), title,
                     {.guessed = shown.guessed_share.has_value(),
                      .by_stack = !files::knows_categories(shown.run, &shown)},
                     notes);
}

}  // namespace ts::app
