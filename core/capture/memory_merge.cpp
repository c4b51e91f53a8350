#include "core/capture/memory_merge.h"

#include <algorithm>
#include <limits>

namespace ts::capture {

namespace {
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
}  // namespace

std::int64_t MemoryMerge::Queue::front_ns() const {
  return next < records.size() ? records[next].time_ns : kNever;
}

void MemoryMerge::take(std::size_t thread, const memory::Record& record) {
  if (thread >= queues_.size()) queues_.resize(thread + 1);
  queues_[thread].records.push_back(record);
}

std::int64_t MemoryMerge::latest_ns() const {
  std::int64_t latest = std::numeric_limits<std::int64_t>::min();
  for (const Queue& queue : queues_) {
    for (std::size_t i = queue.next; i < queue.records.size(); ++i) {
      latest = std::max(latest, queue.records[i].time_ns);
    }
  }
  return latest;
}

void MemoryMerge::hand_over(std::int64_t until_ns, std::vector<memory::Record>& out) {
  while (true) {
    Queue* first = nullptr;
    std::int64_t first_ns = kNever;
    std::int64_t second_ns = kNever;
    for (Queue& queue : queues_) {
      const std::int64_t front_ns = queue.front_ns();
      if (first == nullptr || front_ns < first_ns) {
        second_ns = first_ns;
        first_ns = front_ns;
        first = &queue;
      } else {
        second_ns = std::min(second_ns, front_ns);
      }
    }
    if (first == nullptr || first_ns == kNever || first_ns > until_ns) break;
    // Takes records up to where another thread's record is earlier, at least one.
    do {
      out.push_back(first->records[first->next++]);
    } while (first->front_ns() <= until_ns && first->front_ns() < second_ns);
  }
  for (Queue& queue : queues_) {
    queue.records.erase(queue.records.begin(),
                        queue.records.begin() + static_cast<std::ptrdiff_t>(queue.next));
    queue.next = 0;
  }
}

}  // namespace ts::capture
