#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/memory/record.h"

namespace ts::capture {

// Merges the memory records of several threads by time. Records of one thread keep their order; at
// equal times the first thread comes first. One owner thread.
class MemoryMerge {
 public:
  void take(std::size_t thread, const memory::Record& record);

  // Appends to `out` the waiting records up to a time; later records stay.
  void hand_over(std::int64_t until_ns, std::vector<memory::Record>& out);
  // The latest time of the waiting records; INT64_MIN if there are none.
  [[nodiscard]] std::int64_t latest_ns() const;

 private:
  struct Queue {
    std::vector<memory::Record> records;
    std::size_t next = 0;
    [[nodiscard]] std::int64_t front_ns() const;  // INT64_MAX when nothing waits
  };
  std::vector<Queue> queues_;  // by thread
};

}  // namespace ts::capture
