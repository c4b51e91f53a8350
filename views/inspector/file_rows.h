#pragma once

#include <string>
#include <vector>

#include "views/inspector/inspector_rows.h"

namespace ts::views {

// What is known of an opened file and of the device that is shown; empty for a run of our own.
std::vector<InspectorRow> file_rows(const ViewContext& context);
// The allocator's settings as the file has them.
std::vector<InspectorRow> file_settings(const ViewContext& context);
// What the model of the allocator reserves of it, and where it parts from the recording.
std::vector<InspectorRow> replay_rows(const ViewContext& context);
// "Would expandable segments have helped?", answered; why not where it cannot be told; empty while
// it is being found out.
std::string expandable_sentence(const ViewContext& context);
// The selected block was allocated before the recording, which knows only where it was freed.
bool only_freed_here(const ViewContext& context);
// The stack of the selected allocation, innermost first: "function  file:line"; that of its free
// where only that is known.
std::vector<std::string> stack_lines(const ViewContext& context);

// The verdict of a file: what was reached, or what was refused.
struct FileVerdict {
  std::string sentence;
  std::string remark;
  bool out_of_memory = false;
  bool faulty = false;  // not all of the file could be read; the remark says why
};
FileVerdict file_verdict(const ViewContext& context);

}  // namespace ts::views
