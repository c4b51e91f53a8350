#include "core/memory/state_guess.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

namespace ts::memory {
namespace {

using Counts = std::unordered_map<std::int64_t, std::int64_t>;  // of blocks, by size

bool take(Counts& counts, std::int64_t size) {
  const auto found = counts.find(size);
  if (found == counts.end() || found->second <= 0) return false;
  --found->second;
  return true;
}

class Parting {
 public:
  Parting(const AllocationLog& log, const EvidenceList& evidence, const KeptBlocks& kept,
          std::span<Category> categories)
      : log_(log), evidence_(evidence), kept_(kept), categories_(categories) {
    gradients_ = most_at_once(Category::gradient);
    states_ = most_at_once(Category::optimizer_state);
  }

  void run() {
    for (const BlockIndex index : kept_.replaced)
      categories_[index] =
          take(states_, size(index)) ? Category::optimizer_state : Category::unknown;
    part_loose();
    part_persistent();
  }

 private:
  [[nodiscard]] std::int64_t size(BlockIndex index) const { return log_.blocks()[index].size; }
  [[nodiscard]] Counts most_at_once(Category category) const;
  void part_loose();
  void part_persistent();
  [[nodiscard]] bool state_fits() const;

  const AllocationLog& log_;
  const EvidenceList& evidence_;
  const KeptBlocks& kept_;
  std::span<Category> categories_;
  Counts gradients_;  // alive at once, at most
  Counts states_;
};

Counts Parting::most_at_once(Category category) const {
  Counts most;
  Counts alive;
  for (const Event& event : log_.events()) {
    if (event.block == kNone || event.action == Action::oom) continue;
    if (categories_[event.block] != category) continue;
    std::int64_t& now = alive[size(event.block)];
    now += event.action == Action::alloc ? 1 : -1;
    most[size(event.block)] = std::max(most[size(event.block)], now);
  }
  return most;
}

void Parting::part_loose() {
  Counts free = gradients_;
  for (const BlockIndex index : kept_.persistent) take(free, size(index));
  for (const BlockIndex index : kept_.loose)
    categories_[index] = take(free, size(index)) ? Category::parameter : Category::input;
}

// Whether nearly all bytes of gradients have two blocks of their size, or of twice their size,
// beside the parameters.
bool Parting::state_fits() const {
  Counts counts;
  for (const BlockIndex index : kept_.persistent) ++counts[size(index)];
  std::int64_t all = 0;
  std::int64_t fitting = 0;
  for (const auto& [size, count] : gradients_) {
    all += size * count;
    const auto wide = gradients_.find(2 * size);
    const std::int64_t others = wide == gradients_.end() ? 0 : wide->second;
    const bool fits = counts[size] >= 3 * count || counts[2 * size] >= 2 * count + others;
    fitting += fits ? size * count : 0;
  }
  return 10 * fitting > 9 * all;
}

void Parting::part_persistent() {
  std::int64_t gradient_bytes = 0;
  std::int64_t state_bytes = 0;
  for (const auto& [size, count] : gradients_) gradient_bytes += size * count;
  for (BlockIndex i = 0; i < log_.blocks().size(); ++i)
    state_bytes += categories_[i] == Category::optimizer_state ? size(i) : 0;
  if (gradient_bytes == 0 || state_bytes > gradient_bytes / 2) return;
  if (!kept_.optimizer && !state_fits()) return;
  // So many blocks of a size may be state beside their parameters: two moments for each gradient,
  // and three numbers in 32 bits for each gradient in 16. The rest is frozen.
  Counts parameters = gradients_;
  Counts states;
  for (const auto& [size, count] : gradients_) {
    states[size] += 2 * count;
    states[2 * size] += 3 * count;
  }
  for (const BlockIndex index : kept_.persistent) {
    if (take(parameters, size(index))) continue;
    const bool may_be = evidence_[index].earlier || !evidence_[index].python;
    if (may_be && take(states, size(index))) categories_[index] = Category::optimizer_state;
  }
}

}  // namespace

void part_kept(const AllocationLog& log, const EvidenceList& evidence, const KeptBlocks& kept,
               std::span<Category> categories) {
  Parting(log, evidence, kept, categories).run();
}

}  // namespace ts::memory
