#include "core/spec/masking.h"

#include <algorithm>

#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"

namespace ts::spec {

Masking::Range Masking::seen_by(Range queries, std::int64_t keys) const {
  const std::int64_t last = queries.end - 1;
  Range seen{0, keys};
  if (causal) seen.end = std::min(seen.end, last + 1);
  if (window > 0) {
    seen.begin = std::max(seen.begin, queries.begin - window + 1);
    seen.end = std::min(seen.end, last + window);
  }
  if (packed > 0) {
    seen.begin = std::max(seen.begin, queries.begin / packed * packed);
    seen.end = std::min(seen.end, (last / packed + 1) * packed);
  }
  return seen;
}

Masking masking(const WorkloadSpec& spec) {
  Masking masks;
  masks.causal = spec.causal;
  // A length that holds all tokens hides none. New tokens make a sequence longer.
  const std::int64_t added = spec.pass == Pass::generate ? spec.new_tokens : 0;
  const auto shorter = [length = spec.seq_len + added](std::int64_t tokens) {
    return tokens < length ? tokens : 0;
  };
  if (field_applies(spec, Field::window)) masks.window = shorter(spec.window);
  if (field_applies(spec, Field::packed)) masks.packed = shorter(spec.packed);
  if (field_applies(spec, Field::padding)) masks.padding = spec.padding;
  return masks;
}

bool has_window(const WorkloadSpec& spec, std::int64_t block) {
  return windowed_blocks(spec, block, block + 1) > 0;
}

// Block i sees all if i + 1 can be divided by full_every.
std::int64_t windowed_blocks(const WorkloadSpec& spec, std::int64_t first, std::int64_t end) {
  if (masking(spec).window == 0) return 0;
  const bool some = spec.full_every > 0 && field_applies(spec, Field::full_every);
  const std::int64_t full = some ? end / spec.full_every - first / spec.full_every : 0;
  return end - first - full;
}

bool mixes_windows(const WorkloadSpec& spec) {
  const std::int64_t windowed = windowed_blocks(spec, 0, spec.layers);
  return windowed > 0 && windowed < spec.layers;
}

WorkloadSpec without_window(const WorkloadSpec& spec) {
  WorkloadSpec whole = spec;
  whole.window = 0;
  return whole;
}

std::int64_t cache_length(const WorkloadSpec& spec, std::int64_t block) {
  const std::int64_t context = context_length(spec);
  return has_window(spec, block) ? std::min(masking(spec).window, context) : context;
}

std::int64_t padded_keys(std::int64_t padding, std::int64_t row, std::int64_t rows) {
  return padding * (row + 1) / rows;
}

double tiled_share(const WorkloadSpec& spec, std::int64_t queries, std::int64_t keys) {
  const Masking masks = masking(spec);
  const std::int64_t width = spec.tile_k;
  double pairs = 0;
  for (std::int64_t row = 0; row < queries; row += spec.tile_q) {
    const std::int64_t end = std::min(row + spec.tile_q, queries);
    const Masking::Range seen = masks.seen_by({row, end}, keys);
    // Whole tiles, from that of the first key to that of the last.
    const std::int64_t first = seen.begin / width * width;
    const std::int64_t behind = std::min((seen.end + width - 1) / width * width, keys);
    pairs += static_cast<double>(end - row) * static_cast<double>(behind - first);
  }
  return pairs / (static_cast<double>(queries) * static_cast<double>(keys));
}

Dropping dropping(const WorkloadSpec& spec) {
  Dropping dropped;
  if (field_applies(spec, Field::attn_dropout)) dropped.attention = spec.attn_dropout;
  if (field_applies(spec, Field::dropout)) dropped.residual = spec.dropout;
  return dropped;
}

}  // namespace ts::spec
