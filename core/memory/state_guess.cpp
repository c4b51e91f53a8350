#include "core/memory/state_guess.h"

#include <algorithm>

#include "core/memory/address_map.h"

namespace ts::memory {
namespace {

// Counts of blocks by size. A file can have hundreds of thousands of sizes.
using Counts = AddressMap<std::int64_t>;

bool take(Counts& counts, std::uint64_t size) {
  std::int64_t* const count = counts.find(size);
  if (count == nullptr || *count <= 0) return false;
  --*count;
  return true;
}

std::int64_t bytes_of(std::uint64_t size, std::int64_t count) {
  return static_cast<std::int64_t>(size) * count;
}

class Parting {
 public:
  Parting(const AllocationLog& log, const EvidenceList& evidence, const KeptBlocks& kept,
          std::span<Category> categories)
      : log_(log), evidence_(evidence), kept_(kept), categories_(categories) {
    count_most_at_once();
  }

  void run() {
    for (const BlockIndex index : kept_.replaced)
      categories_[index] =
          take(states_, size(index)) ? Category::optimizer_state : Category::unknown;
    if (!kept_.loose.empty()) part_loose();
    if (!kept_.persistent.empty()) part_persistent();
  }

 private:
  // Blocks of a size.
  struct Lives {
    std::int64_t now = 0;
    std::int64_t most = 0;
  };

  [[nodiscard]] std::uint64_t size(BlockIndex index) const {
    return static_cast<std::uint64_t>(log_.blocks()[index].size);
  }
  void count_most_at_once();
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

void Parting::count_most_at_once() {
  AddressMap<Lives> gradients;
  AddressMap<Lives> states;
  for (const Event& event : log_.events()) {
    if (event.block == kNone || event.action == Action::oom) continue;
    const Category category = categories_[event.block];
    if (category != Category::gradient && category != Category::optimizer_state) continue;
    Lives& lives = (category == Category::gradient ? gradients : states)[size(event.block)];
    lives.now += event.action == Action::alloc ? 1 : -1;
    lives.most = std::max(lives.most, lives.now);
  }
  gradients.for_each([&](std::uint64_t size, Lives lives) { gradients_[size] = lives.most; });
  states.for_each([&](std::uint64_t size, Lives lives) { states_[size] = lives.most; });
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
  const auto count_of = [](const Counts& of, std::uint64_t size) {
    const std::int64_t* const count = of.find(size);
    return count == nullptr ? std::int64_t{0} : *count;
  };
  gradients_.for_each([&](std::uint64_t size, std::int64_t count) {
    all += bytes_of(size, count);
    const std::int64_t others = count_of(gradients_, 2 * size);
    const bool fits =
        count_of(counts, size) >= 3 * count || count_of(counts, 2 * size) >= 2 * count + others;
    fitting += fits ? bytes_of(size, count) : 0;
  });
  return 10 * fitting > 9 * all;
}

void Parting::part_persistent() {
  std::int64_t gradient_bytes = 0;
  std::int64_t state_bytes = 0;
  gradients_.for_each(
      [&](std::uint64_t size, std::int64_t count) { gradient_bytes += bytes_of(size, count); });
  for (BlockIndex i = 0; i < log_.blocks().size(); ++i)
    state_bytes += categories_[i] == Category::optimizer_state ? log_.blocks()[i].size : 0;
  if (gradient_bytes == 0 || state_bytes > gradient_bytes / 2) return;
  if (!kept_.optimizer && !state_fits()) return;
  // So many blocks of a size may be state beside their parameters: two moments for each gradient,
  // and three numbers in 32 bits for each gradient in 16. The rest is frozen.
  Counts parameters = gradients_;
  Counts states;
  gradients_.for_each([&](std::uint64_t size, std::int64_t count) {
    states[size] += 2 * count;
    states[2 * size] += 3 * count;
  });
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
