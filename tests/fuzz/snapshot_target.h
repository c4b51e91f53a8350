#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ts::fuzz {

// Feeds bytes to the reader of snapshots and everything behind it: whatever is read is replayed,
// and must survive being written and read again. What must not happen (a crash, an error of a
// sanitizer, a difference) ends the program.
void feed_snapshot(std::string bytes);

// Whether a fault is one only of an event that is read without a dictionary: an event in another
// place than a trace, or one that gets more entries later. PyTorch writes neither.
bool is_fault_of_event(const std::string& sentence);

}  // namespace ts::fuzz
