#include "core/stepper/tile_grid.h"

#include <algorithm>

namespace ts::stepper {

std::int64_t TileGrid::key_end(std::int64_t query_tile) const {
  return causal_ ? std::min(keys_, (query_tile + 1) * block_q_) : keys_;
}

std::int64_t TileGrid::key_tiles_of(std::int64_t query_tile) const {
  return (key_end(query_tile) + block_k_ - 1) / block_k_;
}

TileKind TileGrid::kind(std::int64_t query_tile, std::int64_t key_tile) const {
  if (key_tile >= key_tiles_of(query_tile)) return TileKind::skipped;
  const std::int64_t last_key = std::min(keys_, (key_tile + 1) * block_k_) - 1;
  return causal_ && last_key > query_tile * block_q_ ? TileKind::masked : TileKind::full;
}

TileGrid::Counts TileGrid::counts() const {
  Counts counts;
  for (std::int64_t i = 0; i < query_tiles(); ++i) {
    // Before the first row's own key all tiles are full; from there on they are masked.
    const std::int64_t ran = key_tiles_of(i);
    std::int64_t full = causal_ ? std::min(ran, (i * block_q_ + 1) / block_k_) : ran;
    if (full < ran && kind(i, full) == TileKind::full) ++full;
    counts.full += full;
    counts.masked += ran - full;
    counts.skipped += key_tiles() - ran;
  }
  return counts;
}

TileGrid::Place TileGrid::place(std::int64_t turn) const {
  Place place;
  while (turn >= key_tiles_of(place.query_tile)) turn -= key_tiles_of(place.query_tile++);
  place.key_tile = turn;
  return place;
}

std::int64_t TileGrid::turn(Place place) const {
  std::int64_t before = 0;
  for (std::int64_t i = 0; i < place.query_tile; ++i) before += key_tiles_of(i);
  return before + place.key_tile;
}

double TileGrid::computed_pairs() const {
  return static_cast<double>(counts().run()) * static_cast<double>(block_q_) *
         static_cast<double>(block_k_);
}

double TileGrid::needed_pairs() const {
  const auto length = static_cast<double>(length_);
  return causal_ ? length * (length + 1) / 2 : length * length;
}

}  // namespace ts::stepper
