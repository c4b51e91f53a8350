#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/allocator/expandable_answer.h"
#include "core/allocator/what_if.h"
#include "core/base/message.h"
#include "core/blocks/allocator_history.h"
#include "core/files/opened_file.h"

namespace ts::files {

// Result of the caching-allocator model for a recording: whether the model behaves as recorded, and
// whether other settings would have helped.
struct ReplayAnswer {
  base::Message problem;  // why it cannot be replayed; empty when it can
  allocator::ReplayFigures recorded;
  allocator::ReplayFigures simulated;
  base::Message difference;  // the first difference between the two; empty when they agree
  allocator::ExpandableAnswer expandable;
  std::vector<allocator::SettingTrial> trials;
  // Known even where the recording cannot be replayed.
  std::optional<blocks::Misfit> misfit;
};

// Replays one device of the file five times: about a second for a million events. Any thread.
ReplayAnswer replay_answer(const OpenedFile& file, std::int64_t device);

// Why more is reserved than was asked for, at one moment.
struct ReservedMoment {
  base::Message problem;  // why that cannot be told; else there is an answer
  std::optional<allocator::ReservedAnswer> answer;
};
// After so many events of the trace of one device; unset: at a refusal, else where most is
// reserved. Any thread; about two seconds for a million events.
ReservedMoment reserved_moment(const OpenedFile& file, std::int64_t device,
                               std::optional<std::size_t> position);

}  // namespace ts::files
