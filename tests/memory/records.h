#pragma once

#include <cstdint>

#include "core/memory/record.h"

// Short ways to write memory records in tests.
namespace ts::memory::testing {

inline Record alloc(std::int64_t time_ns, std::uint64_t address, std::int64_t size,
                    base::Phase phase = base::Phase::setup, bool graph_kept = false) {
  Record record;
  record.time_ns = time_ns;
  record.address = address;
  record.size = size;
  record.phase = phase;
  record.graph_kept = graph_kept;
  record.action = Action::alloc;
  return record;
}

inline Record mark(std::int64_t time_ns, Action action, base::Phase phase = base::Phase::setup) {
  Record record;
  record.time_ns = time_ns;
  record.action = action;
  record.phase = phase;
  return record;
}

inline Record free(std::int64_t time_ns, std::uint64_t address) {
  Record record = mark(time_ns, Action::free_completed);
  record.address = address;
  return record;
}

inline Record owner(std::int64_t time_ns, std::uint64_t address, Category category) {
  Record record = mark(time_ns, Action::owner);
  record.address = address;
  record.category = category;
  return record;
}

}  // namespace ts::memory::testing
