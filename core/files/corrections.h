#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/files/opened_file.h"

namespace ts::files {

// Blocks of one device of a file that hold something else than the file tells or was guessed.
struct Correction {
  memory::Category category = memory::Category::unknown;
  std::vector<memory::BlockIndex> blocks;
};

// The corrections of one device, in order; each can be taken back. Changes the categories of the
// device's log, its guessed share and `corrected`: no other thread may read the log meanwhile.
// O(blocks) each.
class Corrections {
 public:
  void add(OpenedDevice& device, Correction correction);  // forgets those that were taken back
  [[nodiscard]] bool can_undo() const { return count_ > 0; }
  [[nodiscard]] bool can_redo() const { return count_ < all_.size(); }
  void undo(OpenedDevice& device);
  void redo(OpenedDevice& device);
  // Those that hold, in order.
  [[nodiscard]] std::span<const Correction> held() const { return {all_.data(), count_}; }

 private:
  void apply(OpenedDevice& device);

  std::vector<memory::Category> recorded_;  // before the first correction
  bool guessed_ = false;                    // they were
  std::vector<Correction> all_;
  std::size_t count_ = 0;
};

}  // namespace ts::files
