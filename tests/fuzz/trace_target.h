#pragma once

#include <string>

namespace ts::fuzz {

// Feeds bytes to the reader of traces and everything behind it. What must not happen (a crash, an
// error of a sanitizer, events out of order) ends the program. Packed ones are unpacked first.
void feed_trace(std::string bytes);

}  // namespace ts::fuzz
