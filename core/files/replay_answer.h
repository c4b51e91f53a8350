#pragma once

#include <cstdint>
#include <string>

#include "core/allocator/expandable_answer.h"
#include "core/base/message.h"
#include "core/files/opened_file.h"

namespace ts::files {

// Result of the caching-allocator model for a recording: whether the model behaves as recorded, and
// whether expandable segments would have helped.
struct ReplayAnswer {
  base::Message problem;  // why it cannot be replayed; empty when it can
  allocator::ReplayFigures recorded;
  allocator::ReplayFigures simulated;
  std::string difference;  // the first difference between the two; empty when they agree
  allocator::ExpandableAnswer expandable;
};

// Replays one device of the file twice: about a second for a million events. Any thread.
ReplayAnswer replay_answer(const OpenedFile& file, std::int64_t device);

}  // namespace ts::files
