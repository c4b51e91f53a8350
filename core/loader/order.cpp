#include "core/loader/order.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/loader/random.h"

namespace ts::loader {
namespace {

template <class Items>
void shuffle(Items items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

// The samples shard by shard, the shards shuffled.
std::vector<std::uint32_t> by_groups(std::size_t samples, std::span<const std::size_t> groups,
                                     Random& random) {
  std::vector<std::size_t> turns(groups.size());
  std::iota(turns.begin(), turns.end(), std::size_t{0});
  shuffle(std::span(turns), random);
  std::vector<std::uint32_t> order;
  order.reserve(samples);
  for (const std::size_t group : turns) {
    const std::size_t end = group + 1 < groups.size() ? groups[group + 1] : samples;
    for (std::size_t i = groups[group]; i < end; ++i)
      order.push_back(static_cast<std::uint32_t>(i));
  }
  return order;
}

// The open row with the least room that still takes `length`; null: none does.
Row* best_fit(std::span<Row> open, std::uint64_t length, std::uint64_t width) {
  Row* best = nullptr;
  for (Row& row : open) {
    const bool fits = row.tokens + length <= width;
    if (fits && (best == nullptr || row.tokens > best->tokens)) best = &row;
  }
  return best;
}

void put(Row& row, std::uint32_t sample, std::uint64_t length) {
  row.samples.push_back(sample);
  row.tokens += length;
  row.squares += length * length;
}

}  // namespace

std::vector<std::uint32_t> epoch_order(std::size_t samples, std::span<const std::size_t> groups,
                                       std::size_t buffer, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint32_t> stored(samples);
  std::iota(stored.begin(), stored.end(), std::uint32_t{0});
  if (buffer <= 1) return stored;
  if (groups.size() > 1) stored = by_groups(samples, groups, random);
  std::vector<std::uint32_t> order, held;
  order.reserve(samples);
  for (const std::uint32_t next : stored) {
    if (held.size() < buffer) {
      held.push_back(next);
      continue;
    }
    order.push_back(std::exchange(held[random.below(buffer)], next));
  }
  shuffle(std::span(held), random);
  order.insert(order.end(), held.begin(), held.end());
  return order;
}

std::vector<Row> rows_of(std::span<const std::uint32_t> order,
                         std::span<const std::uint32_t> lengths, const RowRule& rule) {
  std::vector<Row> rows;
  std::vector<Row> open;
  for (const std::uint32_t sample : order) {
    const std::uint64_t length = std::min<std::uint64_t>(lengths[sample], rule.width);
    Row* row = rule.packed ? best_fit(open, length, rule.width) : nullptr;
    if (row == nullptr) {
      // The fullest makes room for a new one.
      if (open.size() >= std::max<std::size_t>(1, rule.packed ? rule.open_rows : 1)) {
        const auto fullest = std::ranges::max_element(open, {}, &Row::tokens);
        rows.push_back(std::move(*fullest));
        open.erase(fullest);
      }
      row = &open.emplace_back();
    }
    put(*row, sample, length);
  }
  std::ranges::move(open, std::back_inserter(rows));
  return rows;
}

void bucket(std::vector<Row>& rows, std::size_t batch, std::size_t batches, std::uint64_t seed) {
  if (batches <= 1) return;
  Random random(seed);
  for (std::size_t begin = 0; begin < rows.size(); begin += batch * batches) {
    const std::size_t end = std::min(rows.size(), begin + batch * batches);
    const std::span window = std::span(rows).subspan(begin, end - begin);
    std::ranges::stable_sort(window, {}, &Row::tokens);
    // Whole batches trade places; the rest of the epoch stays where it is.
    for (std::size_t i = window.size() / batch; i > 1; --i) {
      const auto one = window.subspan((i - 1) * batch, batch);
      const auto other = window.subspan(random.below(i) * batch, batch);
      if (one.data() != other.data()) std::ranges::swap_ranges(one, other);
    }
  }
}

std::vector<Batch> batches_of(std::vector<Row> rows, std::size_t batch, std::size_t width,
                              bool longest) {
  std::vector<Batch> batches;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % batch == 0) batches.push_back({.rows = {}, .width = longest ? 0 : width});
    Batch& last = batches.back();
    if (longest) last.width = std::max(last.width, rows[i].tokens);
    last.rows.push_back(std::move(rows[i]));
  }
  return batches;
}

Waste waste_of(std::span<const Batch> batches) {
  double room = 0, tokens = 0, scores = 0, kept = 0;
  for (const Batch& batch : batches) {
    const auto width = static_cast<double>(batch.width);
    room += width * static_cast<double>(batch.rows.size());
    scores += width * width * static_cast<double>(batch.rows.size());
    for (const Row& row : batch.rows) {
      tokens += static_cast<double>(row.tokens);
      kept += static_cast<double>(row.squares);
    }
  }
  if (room <= 0) return {};
  return {.padding = 1 - tokens / room, .kept_scores = kept / scores};
}

}  // namespace ts::loader
