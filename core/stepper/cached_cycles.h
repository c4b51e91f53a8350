#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/allocator/what_if.h"
#include "core/base/result.h"
#include "core/calculate/figure.h"

namespace ts::stepper {

// The memory that PyTorch's caching allocator reserves. Every cycle takes two large blocks,
// the second half of the first, then a small one that stays, and frees the large ones. Played by
// the model of core/allocator. With the start numbers it is the program of
// https://github.com/pytorch/pytorch/pull/193400, whose reserved bytes grow without end.
class CachedCycles {
 public:
  // Inputs cycles, base_mib, large_mib, kept_mib, expandable, max_split_mib (0: none), empty_every
  // (0: never).
  explicit CachedCycles(const calculate::Chosen& chosen);

  // After a cycle; state 0 is before the first, with the base alone.
  struct State {
    allocator::ReservedParts parts;  // measured against the first block of the next cycle
    std::int64_t grown = 0;          // bytes that the cycle took from the device
    std::vector<allocator::SegmentView> segments;
  };

  [[nodiscard]] std::size_t steps() const { return states_.size(); }
  [[nodiscard]] const State& state(std::size_t step) const { return states_[step]; }
  [[nodiscard]] std::int64_t large() const { return large_; }  // bytes
  [[nodiscard]] std::int64_t peak() const { return peak_; }    // reserved
  [[nodiscard]] std::vector<double> row(std::size_t step) const;
  [[nodiscard]] base::Message said(std::size_t step) const;
  // The figures of the last step, and the reserved bytes there with each change.
  [[nodiscard]] std::vector<calculate::Figure> figures() const;
  [[nodiscard]] const allocator::AllocatorSettings& settings() const { return list_.settings; }
  // Up to the end of a step.
  [[nodiscard]] allocator::RequestList requests(std::size_t step) const;

 private:
  void play();

  std::int64_t base_, large_, kept_, empty_every_;
  allocator::RequestList list_;
  std::vector<std::size_t> ends_;  // requests up to the end of each step
  std::vector<State> states_;
  std::int64_t peak_ = 0;
};

}  // namespace ts::stepper
