#include "core/memory/block_evidence.h"

#include <array>

namespace ts::memory {

bool is_workspace(const Block& block, const BlockEvidence& evidence) {
  // ":4096:2:16:8" in KiB, and 32 MiB with 128 KiB beside them.
  constexpr std::array<std::int64_t, 2> kSizes{8'519'680, 33'554'432 + 131'072};
  return evidence.workspace ||
         (block.free_event == kNone && std::ranges::find(kSizes, block.size) != kSizes.end());
}

}  // namespace ts::memory
