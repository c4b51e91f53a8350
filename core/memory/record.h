#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/phase.h"
#include "core/base/string_table.h"

namespace ts::memory {

// The owner category of a block, from bottom to top of the stack.
enum class Category : std::uint8_t {
  parameter,
  optimizer_state,
  gradient,
  input,
  activation,
  temporary,
  unknown,
};
inline constexpr int kCategoryCount = 7;

// Names for files and tables, including memory_viz's categories; the window has its own words.
inline constexpr std::array<std::string_view, kCategoryCount> kCategoryNames = {
    "parameter", "optimizer_state", "gradient", "input", "activation", "temporary", "unknown"};
constexpr std::string_view category_name(Category category) {
  return kCategoryNames[static_cast<std::size_t>(category)];
}

// PyTorch's names for events of device memory (the size of a snapshot record is the number of bytes
// that the allocator then holds of the device), then our own marks for the category rules (owner,
// operator_end, phase_begin, phase_end).
enum class Action : std::uint8_t {
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  oom,
  snapshot,
  owner,         // the live block at `address` belongs to `category` (parameter, gradient, ...)
  operator_end,  // an outermost operator ended
  phase_begin,
  phase_end,
};

// One memory record as the engine writes it, in the order in which it happened.
struct Record {
  std::int64_t time_ns = 0;
  std::uint64_t address = 0;
  std::int64_t size = 0;  // bytes; for oom the requested bytes
  base::StringId op = base::kNoString;
  base::StringId module = base::kNoString;
  base::StringId shape = base::kNoString;  // see Block
  std::int32_t step = -1;                  // -1 set-up, then 0, 1, ...
  Action action = Action::alloc;
  base::Phase phase = base::Phase::setup;
  Category category = Category::unknown;  // for owner
  bool graph_kept = false;                // autograd keeps a graph in this phase
};

}  // namespace ts::memory
