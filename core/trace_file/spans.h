#pragma once

#include <cstdint>
#include <vector>

namespace ts::trace_file {

// A time interval, in nanoseconds. Pure functions: all threads.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// Spans by begin become disjoint ones, by begin.
std::vector<Span> merged(const std::vector<Span>& spans);

// The time that either of two disjoint lists covers, as disjoint spans.
std::vector<Span> united(const std::vector<Span>& a, const std::vector<Span>& b);

std::int64_t length_of(const std::vector<Span>& disjoint);

// The part of it that lies in `within`. O(log n + spans in it).
std::int64_t length_within(const std::vector<Span>& disjoint, const Span& within);

// Time of `a` within the disjoint `b`, both by begin; spans of `a` that overlap all count.
std::int64_t common_time(const std::vector<Span>& a, const std::vector<Span>& b);

}  // namespace ts::trace_file
