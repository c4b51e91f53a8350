#include "core/stats/call_memory.h"

#include <algorithm>
#include <unordered_map>

namespace ts::stats {

std::vector<std::int64_t> bytes_of_calls(std::span<const OperatorCall> calls,
                                         const memory::AllocationLog& memory) {
  std::vector<std::int64_t> bytes(calls.size(), 0);
  std::unordered_map<base::StringId, std::vector<std::uint32_t>> by_name;
  for (std::uint32_t i = 0; i < calls.size(); ++i) by_name[calls[i].slice.name].push_back(i);
  const auto begin_of = [&](std::uint32_t call) { return calls[call].slice.begin_ns; };
  for (auto& [name, list] : by_name) std::ranges::stable_sort(list, {}, begin_of);
  for (const memory::Block& block : memory.blocks()) {
    if (block.phase == base::Phase::setup) continue;
    const auto found = by_name.find(block.op);
    if (found == by_name.end()) continue;
    const std::int64_t time = memory.events()[block.alloc_event].time_ns;
    // Search backwards from the latest call that had begun; calls of one name overlap on a few
    // threads at most.
    constexpr int kLooks = 16;
    auto at = std::ranges::upper_bound(found->second, time, {}, begin_of);
    for (int look = 0; look < kLooks && at != found->second.begin(); ++look) {
      --at;
      if (time > calls[*at].slice.end_ns()) continue;
      bytes[*at] += block.size;
      break;
    }
  }
  return bytes;
}

}  // namespace ts::stats
