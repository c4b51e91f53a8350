#pragma once

#include <cstdint>

#include "core/base/phase.h"
#include "core/base/string_table.h"
#include "core/memory/record.h"

namespace ts::memory {

using BlockIndex = std::uint32_t;
using EventIndex = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xFFFFFFFFU;

// One alloc, free or oom, in order. `total_after` is the sum of live bytes after it.
struct Event {
  std::int64_t time_ns = 0;
  std::int64_t total_after = 0;
  BlockIndex block = kNone;  // kNone for a free of a block that is not in the log, and for oom
  Action action = Action::alloc;
};

// The lifetime of one allocation.
struct Block {
  std::uint64_t address = 0;
  std::int64_t size = 0;
  EventIndex alloc_event = kNone;
  EventIndex free_event = kNone;  // kNone: alive at the end of the log
  base::StringId op = base::kNoString;
  base::StringId module = base::kNoString;
  base::StringId shape = base::kNoString;  // of its tensor, with its type: "[4, 64, 128] bf16"
  std::int32_t step = -1;
  base::Phase phase = base::Phase::setup;
  Category category = Category::unknown;
};

// Bytes that an allocator held of its device from a time on.
struct Reserved {
  std::int64_t time_ns = 0;
  std::int64_t bytes = 0;
};

// A request that the allocator refused.
struct OutOfMemory {
  EventIndex event = kNone;
  std::int64_t bytes_asked = 0;
  base::StringId op = base::kNoString;
  base::StringId module = base::kNoString;
};

// Phase bands for the memory view.
struct PhaseSpan {
  base::Phase phase = base::Phase::setup;
  std::int32_t step = -1;
  EventIndex first_event = 0;
  EventIndex end_event = kNone;  // kNone: still open
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  // 0: still open
};

// A part of the forward that a backward ran again (activation checkpointing), limited to its memory
// events: from its first event to the first of the backward that follows.
struct RecomputeSpan {
  EventIndex first_event = 0;
  EventIndex end_event = kNone;  // kNone: still open
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;                        // 0: still open
  base::StringId first_module = base::kNoString;  // of the first allocation in it
  base::StringId last_module = base::kNoString;
};

}  // namespace ts::memory
