#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/clock.h"
#include "core/memory/allocation_log.h"

namespace ts::views {

// The allocations that the memory view shows, from any source.
struct MemorySource {
  enum class Kind : std::uint8_t {
    measured,   // of the run on screen
    predicted,  // of a dry run: its times count events, so only the event axis has a meaning
    opened,     // of a file
  };
  Kind kind = Kind::measured;
  const memory::AllocationLog* log = nullptr;  // null: nothing to show
  std::uint64_t id = 0;   // a different id means a different log; distinct within a kind
  base::TimeRange range;  // the full time range; its begin is the zero of all times shown
  bool growing = false;   // the log is being recorded: its end is marked
  // Nothing changes the log any more, and this keeps it and its texts; null: that is not sure.
  std::shared_ptr<const void> owner;
  std::span<const std::uint32_t> stacks;  // of the blocks, by index; empty: not known
  // By event of the log: its number in the list of the file, in ascending order. Empty: the events
  // of the log are counted.
  std::span<const std::uint32_t> event_numbers;
  [[nodiscard]] std::int64_t number_of(memory::EventIndex event) const {
    return event < event_numbers.size() ? event_numbers[event] : event;
  }
  // So many blocks, the first ones, lived before the recording: the log has them from its
  // beginning.
  std::int64_t blocks_before = 0;
  [[nodiscard]] bool is_earlier(memory::BlockIndex block) const { return block < blocks_before; }
  // The guessed share of the bytes at the peak; unset: categories are not guessed.
  std::optional<double> guessed_share;
  // By block: the user said what it holds, so that nothing is guessed. Null or empty: none.
  const std::vector<bool>* corrected = nullptr;
  [[nodiscard]] bool is_guess(memory::BlockIndex block) const {
    if (!guessed_share || log->blocks()[block].category == memory::Category::unknown) return false;
    return corrected == nullptr || corrected->empty() || !(*corrected)[block];
  }
  std::int64_t limit = 0;  // capacity of the allocator in bytes; 0: not known
};

}  // namespace ts::views
