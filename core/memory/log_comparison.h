#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/allocation_log.h"

namespace ts::memory {

// Compares the predicted and the measured log of one workload event by event. Phases are matched by
// step and kind; steps that only one of the logs has are left out. Inside a phase the events are
// aligned so that as many as possible agree (Myers 1986, "An O(ND) Difference Algorithm and Its
// Variations").

enum class Agreement : std::uint8_t {
  same,            // equal action, bytes and operator
  changed,         // one replaces the other
  only_predicted,  // not in the run
  only_measured,   // not in the dry run
};

// Why a difference is expected; see explanation_of().
enum class Explanation : std::uint8_t { none, thread_scratch, cast_order };

struct EventPair {
  EventIndex predicted = kNone;  // kNone: only_measured
  EventIndex measured = kNone;   // kNone: only_predicted
  Agreement agreement = Agreement::same;
  Explanation explanation = Explanation::none;
};

struct LogComparison {
  std::vector<EventPair> pairs;
  std::vector<std::uint32_t> different;  // of pairs, in order; the first is the first difference
  std::size_t predicted_events = 0;      // number of compared events
  std::size_t measured_events = 0;
  std::int32_t steps = 0;       // present in both logs
  std::size_t unexplained = 0;  // of different
  bool aligned = true;          // false: a phase differs too much; its events were paired in order
  [[nodiscard]] std::size_t same() const { return pairs.size() - different.size(); }
};

// Both logs have their names in `strings`. `broken_off`: the measured run did not reach its end; it
// is compared up to there.
LogComparison compare_logs(const AllocationLog& predicted, const AllocationLog& measured,
                           const base::StringTable& strings, bool broken_off = false);

// Events of a log, without the end.
struct EventSpan {
  EventIndex first = 0;
  EventIndex end = 0;
  [[nodiscard]] int length() const { return static_cast<int>(end - first); }
};

// A stretch of events that agree one by one.
struct EqualEvents {
  EventIndex predicted = 0;
  EventIndex measured = 0;
  EventIndex count = 0;
};

// The events of two phases that agree, aligned as above, in order; none beyond the first difference
// if the phases differ too much. O(n + d^2) for d differences, of which 600 are the most.
std::vector<EqualEvents> equal_events(const AllocationLog& predicted, EventSpan of_predicted,
                                      const AllocationLog& measured, EventSpan of_measured);

// Differences that no dry run can predict, for an event of one of the logs:
// thread_scratch: the backward of flash attention on the CPU allocates small buffers in the threads
// that get a head to work on; pool threads know no module.
// cast_order: LibTorch keeps the weights that autocast cast in a hash table by address and frees
// them in no defined order.
Explanation explanation_of(const AllocationLog& log, EventIndex event,
                           const base::StringTable& strings);

}  // namespace ts::memory
