#include "core/run/update.h"

#include <array>

namespace ts::run {

const char* to_string(Stage value) {
  constexpr std::array kNames = {"waiting",
                                 "loading the engine",
                                 "compiling the step",
                                 "preparing",
                                 "recording",
                                 "warming up",
                                 "timing",
                                 "measuring what the device reaches",
                                 "comparing with fp64",
                                 "done"};
  return kNames[static_cast<std::size_t>(value)];
}

void UpdateQueue::push(Update update) {
  const std::lock_guard lock(mutex_);
  if (auto* batch_update = std::get_if<BatchUpdate>(&update)) {
    capture::Batch& batch = batch_update->batch;
    if (batch_update->id != counted_run_) {
      counted_run_ = batch_update->id;
      dropped_of_run_ = 0;
    }
    const std::size_t bytes = batch.bytes();
    if (waiting_bytes_ + bytes > max_bytes_) {
      // Tracks are always kept: later batches refer to them.
      const std::uint64_t records = batch.slices.size() + batch.memory.size();
      dropped_ += records;
      dropped_of_run_ += records;
      batch.slices = {};
      batch.memory = {};
    } else {
      waiting_bytes_ += bytes;
    }
    batch.dropped += dropped_of_run_;
  }
  waiting_.push_back(std::move(update));
}

void UpdateQueue::take(std::vector<Update>& out) {
  out.clear();
  const std::lock_guard lock(mutex_);
  out.swap(waiting_);
  waiting_bytes_ = 0;
}

std::uint64_t UpdateQueue::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace ts::run
