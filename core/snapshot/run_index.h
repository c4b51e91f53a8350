#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ts::snapshot {

// Finds runs of values that a document has stored already. A table with open addressing that looks
// at a few places only: a file that is made to collide stores its runs more than once and costs no
// more time.
class RunIndex {
 public:
  // `bits(i)` is the value at i of a run of `count`. Multiplies by an odd number with many changes
  // of bits (2^64 over the golden ratio) after Knuth; two chains, because each waits for its
  // product.
  template <class Bits>
  static std::uint64_t hash_of(std::size_t count, Bits&& bits) {
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
    const auto mixed = [](std::uint64_t hash, std::uint64_t value) {
      hash = (hash ^ value) * kFactor;
      return hash ^ (hash >> 32U);
    };
    std::uint64_t even = count;
    std::uint64_t odd = 0;
    for (std::size_t i = 0; i + 1 < count; i += 2) {
      even = mixed(even, bits(i));
      odd = mixed(odd, bits(i + 1));
    }
    if (count % 2 != 0) even = mixed(even, bits(count - 1));
    return mixed(even, odd);
  }

  // The begin of the run of that hash and count for which `equal(begin)` holds. Where there is
  // none, `begin` is remembered and returned.
  template <class Equal>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t count, std::uint32_t begin,
                            Equal&& equal) {
    if (2 * used_ >= runs_.size()) grow();
    const auto tail = static_cast<std::uint32_t>(hash);
    for (std::size_t i = 0; i < kMostPlaces; ++i) {
      Run& run = place(tail, i);
      if (run.count == 0) {
        run = {.begin = begin, .count = count, .hash = tail};
        ++used_;
        return begin;
      }
      if (run.hash == tail && run.count == count && equal(run.begin)) return run.begin;
    }
    return begin;
  }

  [[nodiscard]] std::size_t bytes() const { return runs_.size() * sizeof(Run); }

 private:
  static constexpr std::size_t kMostPlaces = 8;
  static constexpr std::size_t kFirstSize = 1024;
  struct Run {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;  // 0 where there is none
    std::uint32_t hash = 0;
  };

  // The size is a power of two.
  Run& place(std::uint32_t hash, std::size_t step) {
    return runs_[(hash + step) & (runs_.size() - 1)];
  }
  void grow() {
    std::vector<Run> old(runs_.empty() ? kFirstSize : 2 * runs_.size());
    old.swap(runs_);
    used_ = 0;
    for (const Run& run : old) {
      for (std::size_t i = 0; run.count != 0 && i < kMostPlaces; ++i) {
        Run& to = place(run.hash, i);
        if (to.count != 0) continue;
        to = run;
        ++used_;
        break;
      }
    }
  }

  std::vector<Run> runs_;
  std::size_t used_ = 0;
};

}  // namespace ts::snapshot
