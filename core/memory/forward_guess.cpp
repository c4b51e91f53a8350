#include "core/memory/forward_guess.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace ts::memory {
namespace {

struct Pass {
  EventIndex first = 0;
  EventIndex last = 0;  // the last allocation in a module
};

class ForwardGuesser {
 public:
  ForwardGuesser(const AllocationLog& log, const EvidenceList& evidence)
      : events_(log.events()), blocks_(log.blocks()), evidence_(evidence) {}

  std::vector<Category> run() {
    std::vector<Category> categories(blocks_.size(), Category::unknown);
    find_passes();
    if (passes_.empty()) return categories;
    const Category kept = many_of_each() ? Category::unknown : Category::parameter;
    for (BlockIndex i = 0; i < blocks_.size(); ++i) {
      const BlockEvidence known = evidence_[i];
      if (is_workspace(blocks_[i], known)) {
        categories[i] = Category::temporary;
      } else if (known.earlier) {
        categories[i] = category_of_earlier(i, kept);
      } else {
        categories[i] = category_of(i);
      }
    }
    return categories;
  }

 private:
  void find_passes();
  [[nodiscard]] bool many_of_each() const;
  [[nodiscard]] Category category_of_earlier(BlockIndex index, Category kept) const;
  [[nodiscard]] Category category_of(BlockIndex index) const;
  [[nodiscard]] const Pass* pass_after(EventIndex event) const;
  [[nodiscard]] bool alive_after(const Block& block, EventIndex event) const {
    return block.free_event == kNone || block.free_event > event;
  }
  [[nodiscard]] bool called(BlockIndex index) const {
    return evidence_[index].in_module && !evidence_[index].earlier;
  }

  std::span<const Event> events_;
  std::span<const Block> blocks_;
  const EvidenceList& evidence_;
  std::vector<Pass> passes_;
};

void ForwardGuesser::find_passes() {
  std::vector<BlockIndex> calls;
  for (BlockIndex i = 0; i < blocks_.size(); ++i) {
    if (called(i)) calls.push_back(i);
  }
  if (calls.empty()) return;
  const std::uint32_t first = evidence_[calls.front()].stack;
  const std::uint32_t last = evidence_[calls.back()].stack;
  const auto times = [&](std::uint32_t stack) {
    return std::ranges::count(calls, stack, [&](BlockIndex i) { return evidence_[i].stack; });
  };
  // Layers in a loop repeat the first stack, too, but then not the last as often.
  const bool repeats = first != kNone && times(first) == times(last);
  for (const BlockIndex i : calls) {
    const EventIndex event = blocks_[i].alloc_event;
    if (passes_.empty() || (repeats && evidence_[i].stack == first))
      passes_.push_back({.first = event, .last = event});
    passes_.back().last = event;
  }
}

// Three blocks of a size for each parameter, with two moments, or four, with its gradient.
bool ForwardGuesser::many_of_each() const {
  constexpr std::int64_t kSmallShare = 100'000;
  std::unordered_map<std::int64_t, std::int64_t> counts;
  std::int64_t total = 0;
  for (BlockIndex i = 0; i < blocks_.size(); ++i) {
    if (!evidence_[i].earlier || is_workspace(blocks_[i], evidence_[i])) continue;
    ++counts[blocks_[i].size];
    total += blocks_[i].size;
  }
  std::int64_t divisor = 0;
  for (const auto& [size, count] : counts) {
    const bool counts_here = count >= 3 && count * size >= total / kSmallShare;
    if (counts_here) divisor = std::gcd(divisor, count);
  }
  return divisor > 0 && (divisor % 3 == 0 || divisor % 4 == 0);
}

Category ForwardGuesser::category_of_earlier(BlockIndex index, Category kept) const {
  const BlockEvidence known = evidence_[index];
  if (known.phase == base::Phase::optimizer) return Category::optimizer_state;
  if (blocks_[index].free_event != kNone) return Category::unknown;
  if (known.makes_module) return Category::parameter;
  return known.in_module ? Category::activation : kept;
}

// The first pass that begins after an event.
const Pass* ForwardGuesser::pass_after(EventIndex event) const {
  const auto found = std::ranges::upper_bound(passes_, event, {}, &Pass::first);
  return found == passes_.end() ? nullptr : &*found;
}

Category ForwardGuesser::category_of(BlockIndex index) const {
  const Block& block = blocks_[index];
  const BlockEvidence known = evidence_[index];
  const Pass* const next = pass_after(block.alloc_event);
  if (known.in_module && !known.makes_module) {
    const Pass& own = *((next == nullptr ? passes_.data() + passes_.size() : next) - 1);
    return alive_after(block, own.last) ? Category::activation : Category::temporary;
  }
  if (next != nullptr && alive_after(block, next->first))
    return known.makes_module ? Category::parameter : Category::input;
  if (known.makes_module || block.free_event == kNone) return Category::unknown;
  return Category::temporary;
}

}  // namespace

std::vector<Category> guess_of_stacks(const AllocationLog& log, const EvidenceList& evidence) {
  const auto blocks = log.blocks();
  std::vector<Category> categories(blocks.size(), Category::unknown);
  const auto tells = [](const BlockEvidence& known) {
    return known.makes_module || known.in_module || known.phase != base::Phase::idle;
  };
  if (std::ranges::none_of(evidence.kinds(), tells)) return categories;
  std::unordered_map<std::int64_t, std::int64_t> parameters;  // without a gradient, by size
  for (BlockIndex i = 0; i < blocks.size(); ++i)
    if (evidence[i].makes_module && blocks[i].free_event == kNone) ++parameters[blocks[i].size];
  for (BlockIndex i = 0; i < blocks.size(); ++i) {
    const BlockEvidence known = evidence[i];
    if (blocks[i].free_event != kNone) continue;
    if (is_workspace(blocks[i], known)) {
      categories[i] = Category::temporary;
    } else if (known.phase == base::Phase::optimizer) {
      categories[i] = Category::optimizer_state;
    } else if (known.makes_module) {
      categories[i] = Category::parameter;
    } else if (known.phase == base::Phase::backward || !known.python) {
      const auto of_size = parameters.find(blocks[i].size);
      if (of_size == parameters.end() || of_size->second == 0) continue;
      --of_size->second;
      categories[i] = Category::gradient;
    } else if (known.in_module) {
      categories[i] = Category::activation;
    }
  }
  return categories;
}

std::vector<Category> guess_of_forwards(const AllocationLog& log, const EvidenceList& evidence) {
  return ForwardGuesser(log, evidence).run();
}

}  // namespace ts::memory
