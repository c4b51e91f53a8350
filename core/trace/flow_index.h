#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <unordered_map>

#include "core/trace/slice.h"

namespace ts::trace {

// The two ends of every flow: 16 bytes a flow, in pages, since flow numbers are assigned in order.
// One thread.
class FlowIndex {
 public:
  static constexpr SliceRef kNowhere{.index = std::numeric_limits<std::uint32_t>::max()};
  struct Ends {
    SliceRef first = kNowhere;
    SliceRef second = kNowhere;
  };

  // The ends of a flow, for the caller to fill in.
  Ends& ends(std::uint32_t flow);
  // Null for a flow that was never seen.
  [[nodiscard]] const Ends* find(std::uint32_t flow) const;
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  static constexpr std::uint32_t kPageBits = 8;
  using Page = std::array<Ends, 1U << kPageBits>;
  std::unordered_map<std::uint32_t, std::unique_ptr<Page>> pages_;
};

}  // namespace ts::trace
