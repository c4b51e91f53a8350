#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace_file/trace_file.h"

namespace ts::files {

// The bytes of a collective, by the shapes and types of its first input; nothing for an event that
// is none (trace::is_collective).
std::optional<std::int64_t> collective_bytes(std::string_view name, std::string_view dims,
                                             std::string_view types);

// One collective on one rank. All times in nanoseconds of the trace.
struct CollectivePart {
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  // Before the last rank had begun: the others were late.
  std::int64_t waited_ns = 0;
  // While operators ran on other threads of the rank: hidden behind them.
  std::int64_t overlapped_ns = 0;
};

// One collective: the k-th of its name and size on every rank.
struct Collective {
  std::string name;
  std::int64_t bytes = 0;
  std::vector<CollectivePart> parts;  // by rank
  // From the last begin to the last end: what the exchange itself took.
  [[nodiscard]] std::int64_t transfer_ns() const;
};

struct Collectives {
  std::vector<Collective> all;  // by their first begin
  // The ranks issued the same collectives in the same order; else the first that differs, from 0.
  std::optional<std::size_t> first_difference;
  std::size_t issued = 0;  // by rank 0
};

// The collectives of `ranks` processes in a trace of merge_ranks(). A collective that a rank
// lacks is left out.
Collectives find_collectives(const trace_file::TraceFile& merged);

// Bytes that pass each rank's link in a ring of n, over bytes: 2 (n - 1) / n for an all-reduce,
// else 1 (a broadcast).
double bus_factor(std::string_view name, std::size_t ranks);

// The times in which a rank did nothing but wait. Nanoseconds.
struct Waits {
  std::int64_t for_slowest_ns = 0;
  std::int64_t for_communication_ns = 0;
};

// Puts these times on a track of its own, a rank: "waits for the slowest rank", "waits for
// communication". Returns their sums by rank.
std::vector<Waits> add_waits(trace_file::TraceFile& merged, const Collectives& collectives);

}  // namespace ts::files
