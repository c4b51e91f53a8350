#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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
  bool python = false;        // a line of Python is on it
  bool in_module = false;     // a call of a module of torch.nn is on it
  bool makes_module = false;  // a line that makes, loads or moves a module is, inside of no call
  bool workspace = false;     // cuBLAS asked for it
};

// The parts of "blocks.3.attn @ model.py:61": a module, and the line of its program that runs in
// it. Either may be missing.
struct SourceLine {
  std::string_view file;
  std::int64_t number = 0;  // 0: there is no line
};
struct PlaceParts {
  std::string_view module;
  SourceLine line;
};
PlaceParts parts_of_place(std::string_view place);
std::string place_text(std::string_view module, SourceLine line);

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
