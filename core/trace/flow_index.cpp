#include "core/trace/flow_index.h"

namespace ts::trace {

FlowIndex::Ends& FlowIndex::ends(std::uint32_t flow) {
  auto& page = pages_[flow >> kPageBits];
  if (!page) page = std::make_unique<Page>();
  return (*page)[flow & ((1U << kPageBits) - 1)];
}

const FlowIndex::Ends* FlowIndex::find(std::uint32_t flow) const {
  const auto page = pages_.find(flow >> kPageBits);
  if (page == pages_.end()) return nullptr;
  const Ends& ends = (*page->second)[flow & ((1U << kPageBits) - 1)];
  return ends.first == kNowhere ? nullptr : &ends;
}

std::size_t FlowIndex::bytes() const noexcept {
  // Estimated size of a node of the map: key, pointer and link.
  constexpr std::size_t kNode = 3 * sizeof(void*);
  return sizeof(FlowIndex) + pages_.size() * (sizeof(Page) + kNode) +
         pages_.bucket_count() * sizeof(void*);
}

}  // namespace ts::trace
