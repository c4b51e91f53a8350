#pragma once

#include <cstdint>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/base/phase.h"

namespace ts::allocator {

// The origin of an allocation of a snapshot, as far as its stack shows; see log_of_snapshot.h.
struct StackOrigin {
  base::StringId op = base::kNoString;
  base::StringId module = base::kNoString;
  std::int32_t step = -1;
  base::Phase phase = base::Phase::idle;
  bool python = false;     // a line of Python is on it
  bool in_module = false;  // a call of a module of torch.nn is on it
};

// Reads each stack once.
class StackOrigins {
 public:
  explicit StackOrigins(const Snapshot& snapshot) : snapshot_(snapshot) {}
  const StackOrigin& of(StackIndex stack);

 private:
  [[nodiscard]] StackOrigin read(StackIndex stack) const;

  const Snapshot& snapshot_;
  StackOrigin none_;
  std::vector<StackOrigin> origins_;
  std::vector<bool> known_;
};

}  // namespace ts::allocator
