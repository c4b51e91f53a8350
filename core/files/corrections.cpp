#include "core/files/corrections.h"

#include <cstdint>
#include <utility>

namespace ts::files {

double guessed_share(const OpenedDevice& device) {
  const memory::AllocationLog& log = device.run.memory;
  std::int64_t guessed = 0;
  for (const memory::BlockIndex block : log.live_after(log.peak_event())) {
    const memory::Block& one = log.blocks()[block];
    if (one.category != memory::Category::unknown &&
        !(block < device.corrected.size() && device.corrected[block]))
      guessed += one.size;
  }
  return log.peak_bytes() == 0
             ? 0
             : static_cast<double>(guessed) / static_cast<double>(log.peak_bytes());
}

void Corrections::add(OpenedDevice& device, Correction correction) {
  const auto blocks = device.run.memory.blocks();
  if (recorded_.empty()) {
    recorded_.reserve(blocks.size());
    for (const memory::Block& block : blocks) recorded_.push_back(block.category);
    guessed_ = device.guessed_share.has_value();
  }
  all_.resize(count_);
  all_.push_back(std::move(correction));
  ++count_;
  apply(device);
}

void Corrections::undo(OpenedDevice& device) {
  if (!can_undo()) return;
  --count_;
  apply(device);
}

void Corrections::redo(OpenedDevice& device) {
  if (!can_redo()) return;
  ++count_;
  apply(device);
}

void Corrections::apply(OpenedDevice& device) {
  std::vector<memory::Category> categories = recorded_;
  device.corrected.assign(recorded_.size(), false);
  for (const Correction& one : held()) {
    for (const memory::BlockIndex block : one.blocks) {
      if (block >= categories.size()) continue;
      categories[block] = one.category;
      device.corrected[block] = true;
    }
  }
  memory::AllocationLog& log = device.run.memory;
  log.decide(categories, {log.phases().begin(), log.phases().end()});
  if (guessed_) device.guessed_share = guessed_share(device);
}

}  // namespace ts::files
