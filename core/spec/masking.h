#pragma once

#include <cstdint>

#include "core/spec/workload_spec.h"

// The pairs that attention does not see, and the numbers that are dropped in training.
namespace ts::spec {

// Masks of a spec; what does not apply or hides nothing is 0. Of two tokens of one sequence, a
// query sees a key that is less than `window` behind it (without causal also less than `window`
// ahead) and in the same of the sequences of `packed` tokens that lie one behind the other. Keys at
// the end of a sequence are padding, which only they themselves see, so that no row of scores is
// hidden as a whole.
struct Masking {
  bool causal = false;
  std::int64_t window = 0;
  std::int64_t packed = 0;
  std::int64_t padding = 0;

  // True if there is more than the causal mask.
  [[nodiscard]] bool any() const { return window > 0 || packed > 0 || padding > 0; }
  // Positions from begin to before end.
  struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  // The keys, of `keys`, that some query of the range sees, padding apart. They lie side by side.
  [[nodiscard]] Range seen_by(Range queries, std::int64_t keys) const;
};
Masking masking(const WorkloadSpec& spec);

// True if block number `block` of a model has the window: with full_every each n-th sees all.
bool has_window(const WorkloadSpec& spec, std::int64_t block);
// Those that have it, of the blocks from `first` to before `end`.
std::int64_t windowed_blocks(const WorkloadSpec& spec, std::int64_t first, std::int64_t end);
// True if some blocks of the model have it and others have not.
bool mixes_windows(const WorkloadSpec& spec);
// The same model where no block has a window.
WorkloadSpec without_window(const WorkloadSpec& spec);
// The positions whose keys and values a block keeps in generation: all of the context, or those of
// its window, since nothing before them is seen again.
std::int64_t cache_length(const WorkloadSpec& spec, std::int64_t block);

// Padded keys of sequence `row` of `rows`: the last has `padding`, those before evenly fewer.
std::int64_t padded_keys(std::int64_t padding, std::int64_t row, std::int64_t rows);

// The share of the queries x keys pairs in tiles of tile_q x tile_k that are not all hidden,
// padding apart.
double tiled_share(const WorkloadSpec& spec, std::int64_t queries, std::int64_t keys);

// Shares that are dropped; 0 where nothing is: in a pass without a graph.
struct Dropping {
  double attention = 0;  // of the probabilities
  double residual = 0;   // of embeddings and of what is added to the residual stream
  [[nodiscard]] bool any() const { return attention > 0 || residual > 0; }
};
Dropping dropping(const WorkloadSpec& spec);

}  // namespace ts::spec
