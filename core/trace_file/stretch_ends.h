#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace ts::trace_file {

// Begins and ends of stretches that a file writes as two events ("B", "E"), in whatever order. On
// each thread an end belongs to the stretch that began last and has not ended, by time; among equal
// times the order of the file decides. Private to this folder.
class StretchEnds {
 public:
  struct Mark {
    std::int64_t time_ns = 0;
    std::size_t number = 0;  // of the caller's own, to know the event again
    bool begins = false;
  };

  void add(std::uint32_t track, const Mark& mark) {
    std::vector<Mark>& marks = tracks_[track];
    sorted_ = sorted_ && (marks.empty() || marks.back().time_ns <= mark.time_ns);
    marks.push_back(mark);
  }

  // Calls ended(begin, end) with the two marks of each stretch, and open(begin) for those without
  // an end. Ends without a begin are left out. Then nothing is left.
  template <class Ended, class Open>
  void take(const Ended& ended, const Open& open) {
    for (auto& [track, marks] : tracks_) {
      if (!sorted_) std::ranges::stable_sort(marks, {}, &Mark::time_ns);
      std::vector<Mark> begun;
      for (const Mark& mark : marks) {
        if (mark.begins) {
          begun.push_back(mark);
        } else if (!begun.empty()) {
          ended(begun.back(), mark);
          begun.pop_back();
        }
      }
      for (const Mark& begin : begun) open(begin);
    }
    tracks_.clear();
    sorted_ = true;
  }

 private:
  std::map<std::uint32_t, std::vector<Mark>> tracks_;
  bool sorted_ = true;
};

}  // namespace ts::trace_file
