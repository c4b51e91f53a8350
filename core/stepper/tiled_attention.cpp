#include "core/stepper/tiled_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/stepper/seeded.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::stepper {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kLogarithmBytes = 4;

std::vector<float> seeded_matrix(std::int64_t seed, std::uint64_t tensor, std::size_t count) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = seeded_number(seed, tensor, i);
  return numbers;
}

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// The part of `length` that tiles of `block` have.
std::int64_t in_tiles(std::int64_t length, std::int64_t block, bool drop_tail) {
  return drop_tail && length > block ? length / block * block : length;
}

std::string range(std::int64_t first, std::int64_t count) {
  return std::to_string(first) + " \xe2\x80\xa6 " + std::to_string(first + count - 1);
}

}  // namespace

TiledAttention::TiledAttention(const calculate::Chosen& chosen)
    : sizes_(tile_sizes(chosen)),
      length_(chosen.number("T")),
      d_(sizes_.d_head),
      block_q_(sizes_.block_q),
      block_k_(sizes_.block_k),
      element_bytes_(sizes_.element_bytes),
      rows_in_tiles_(in_tiles(length_, block_q_, chosen.number("drop_tail") != 0)),
      keys_in_tiles_(in_tiles(length_, block_k_, chosen.number("drop_tail") != 0)),
      causal_(chosen.number("causal") != 0),
      grid_(rows_in_tiles_, keys_in_tiles_, block_q_, block_k_, causal_) {
  const std::int64_t seed = chosen.number("seed");
  q_ = seeded_matrix(seed, 0, at(length_ * d_));
  k_ = seeded_matrix(seed, 1, at(length_ * d_));
  v_ = seeded_matrix(seed, 2, at(length_ * d_));
  Step now;
  for (now.query_tile = 0; now.query_tile < query_tiles(); ++now.query_tile) {
    const std::int64_t queries = std::min(block_q_, rows_in_tiles_ - now.query_tile * block_q_);
    now.action = Action::load_queries;
    now.key_tile = -1;
    now.read += queries * d_ * element_bytes_;
    steps_.push_back(now);
    now.action = Action::load_keys;
    for (std::int64_t key = 0; key < grid_.key_end(now.query_tile); key += block_k_) {
      now.key_tile = key / block_k_;
      now.read += 2 * std::min(block_k_, keys_in_tiles_ - key) * d_ * element_bytes_;
      steps_.push_back(now);
    }
    now.action = Action::write;
    now.key_tile = -1;
    now.written += queries * (d_ * element_bytes_ + kLogarithmBytes);
    steps_.push_back(now);
  }
  errors_.assign(at(query_tiles()), kNone);
  begin_rows(0);
}

float TiledAttention::score(std::int64_t query, std::int64_t key) const {
  const float* const q = &q_[at(query * d_)];
  const float* const k = &k_[at(key * d_)];
  float sum = 0;
  for (std::int64_t i = 0; i < d_; ++i) sum += q[i] * k[i];
  return sum / std::sqrt(static_cast<float>(d_));
}

void TiledAttention::begin_rows(std::int64_t query_tile) {
  rows_.first = query_tile * block_q_;
  rows_.count = std::min(block_q_, rows_in_tiles_ - rows_.first);
  rows_.first_key = rows_.keys = 0;
  rows_.m.assign(at(rows_.count), kLowest);
  rows_.l.assign(at(rows_.count), 0);
  rows_.shrink.assign(at(rows_.count), 1);
  rows_.acc.assign(at(rows_.count * d_), 0);
  rows_.scores.clear();
}

void TiledAttention::add_tile(std::int64_t key_tile) {
  rows_.first_key = key_tile * block_k_;
  rows_.keys = std::min(block_k_, keys_in_tiles_ - rows_.first_key);
  rows_.scores.assign(at(rows_.count * rows_.keys), kLowest);
  for (std::int64_t r = 0; r < rows_.count; ++r) {
    float* const scores = &rows_.scores[at(r * rows_.keys)];
    float& m = rows_.m[at(r)];
    float largest = m;
    for (std::int64_t c = 0; c < rows_.keys; ++c) {
      const std::int64_t key = rows_.first_key + c;
      if (causal_ && key > rows_.first + r) break;
      scores[c] = score(rows_.first + r, key);
      largest = std::max(largest, scores[c]);
    }
    // The first tile has a key that every row sees, so the maximum is finite.
    const float shrink = std::exp(m - largest);
    m = largest;
    rows_.shrink[at(r)] = shrink;
    float& l = rows_.l[at(r)];
    float* const acc = &rows_.acc[at(r * d_)];
    l *= shrink;
    for (std::int64_t i = 0; i < d_; ++i) acc[i] *= shrink;
    for (std::int64_t c = 0; c < rows_.keys; ++c) {
      const float weight = std::exp(scores[c] - largest);
      l += weight;
      const float* const v = &v_[at((rows_.first_key + c) * d_)];
      for (std::int64_t i = 0; i < d_; ++i) acc[i] += weight * v[i];
    }
  }
}

void TiledAttention::divide() {
  rows_.scores.clear();
  rows_.keys = 0;
  for (std::int64_t r = 0; r < rows_.count; ++r) {
    for (std::int64_t i = 0; i < d_; ++i) rows_.acc[at(r * d_ + i)] /= rows_.l[at(r)];
  }
}

const TiledAttention::Rows& TiledAttention::rows(std::size_t index) {
  const Step& wanted = steps_[index];
  if (index < at_ || steps_[at_].query_tile != wanted.query_tile) {
    begin_rows(wanted.query_tile);
    at_ = index;
    while (steps_[at_].action != Action::load_queries) --at_;
  }
  while (at_ < index) {
    const Step& next = steps_[++at_];
    next.action == Action::write ? divide() : add_tile(next.key_tile);
  }
  return rows_;
}

double TiledAttention::error(std::int64_t query_tile) {
  double& known = errors_[at(query_tile)];
  if (std::isnan(known)) known = computed_error(query_tile);
  return known;
}

double TiledAttention::computed_error(std::int64_t query_tile) {
  std::size_t last = 0;
  while (steps_[last].query_tile != query_tile || steps_[last].action != Action::write) ++last;
  const Rows& tile = rows(last);
  double largest = 0;
  for (std::int64_t r = 0; r < tile.count; ++r) {
    const std::vector<double> out = exact(tile.first + r);
    for (std::int64_t i = 0; i < d_; ++i)
      largest = std::max(largest, std::abs(out[at(i)] - double{tile.acc[at(r * d_ + i)]}));
  }
  return largest;
}

double TiledAttention::error_of_dropped() const {
  double largest = 0;
  for (std::int64_t query = rows_in_tiles_; query < length_; ++query) {
    for (const double one : exact(query)) largest = std::max(largest, std::abs(one));
  }
  return largest;
}

std::vector<double> TiledAttention::exact(std::int64_t query) const {
  const std::int64_t keys = causal_ ? query + 1 : length_;
  std::vector<double> weights(at(keys)), out(at(d_), 0);
  double most = -std::numeric_limits<double>::infinity();
  for (std::int64_t key = 0; key < keys; ++key) {
    double dot = 0;
    for (std::int64_t i = 0; i < d_; ++i)
      dot += double{q_[at(query * d_ + i)]} * double{k_[at(key * d_ + i)]};
    weights[at(key)] = dot / std::sqrt(static_cast<double>(d_));
    most = std::max(most, weights[at(key)]);
  }
  double sum = 0;
  for (std::int64_t key = 0; key < keys; ++key) {
    const double weight = std::exp(weights[at(key)] - most);
    sum += weight;
    for (std::int64_t i = 0; i < d_; ++i) out[at(i)] += weight * double{v_[at(key * d_ + i)]};
  }
  for (double& one : out) one /= sum;
  return out;
}

TiledAttention::Traffic TiledAttention::naive() const {
  const std::int64_t scores = length_ * length_, tensor = length_ * d_;
  return {.read = (3 * tensor + 2 * scores) * element_bytes_,
          .written = (2 * scores + tensor) * element_bytes_};
}

std::vector<double> TiledAttention::row(std::size_t index) {
  const Step& now = steps_[index];
  const Rows& tile = rows(index);
  const std::size_t last = at(tile.count - 1);
  std::vector<double> numbers = {
      static_cast<double>(now.query_tile),
      now.key_tile < 0 ? kNone : static_cast<double>(now.key_tile),
      static_cast<double>(tile.first + tile.count - 1),
      double{tile.m[last]},
      double{tile.l[last]},
      now.action == Action::load_keys ? double{tile.shrink[last]} : kNone,
      double{tile.acc[last * at(d_)]},
      static_cast<double>(now.read),
      static_cast<double>(now.written),
      kNone};
  if (now.action == Action::write) numbers.back() = error(now.query_tile);
  return numbers;
}

base::Message TiledAttention::said(std::size_t index) {
  const Step& now = steps_[index];
  const Rows& tile = rows(index);
  switch (now.action) {
    case Action::load_queries:
      return text::message("stepper.said.load_queries", {{"rows", range(tile.first, tile.count)}});
    case Action::load_keys: {
      const auto kept = std::ranges::minmax(tile.shrink);
      return text::message(this->tile(now.query_tile, now.key_tile) == Tile::masked
                               ? "stepper.said.load_masked"
                               : "stepper.said.load_keys",
                           {{"keys", range(tile.first_key, tile.keys)},
                            {"least", text::decimal(double{kept.min}, 3)},
                            {"most", text::decimal(double{kept.max}, 3)}});
    }
    case Action::write:
      break;
  }
  return text::message("stepper.said.write", {{"rows", range(tile.first, tile.count)}});
}

std::vector<calculate::Figure> TiledAttention::figures() {
  using calculate::Unit;
  double largest = error_of_dropped(), full = 0, masked = 0, skipped = 0;
  for (std::int64_t i = 0; i < query_tiles(); ++i) {
    largest = std::max(largest, error(i));
    for (std::int64_t j = 0; j < key_tiles(); ++j) {
      const Tile kind = tile(i, j);
      (kind == Tile::full ? full : kind == Tile::masked ? masked : skipped) += 1;
    }
  }
  const Step& end = steps_.back();
  const auto tiled = static_cast<double>(end.read + end.written);
  const auto of_naive = static_cast<double>(naive().all());
  const SharedMemory shared = shared_memory(sizes_);
  return {{"naive_bytes", of_naive, Unit::bytes},
          {"tiled_bytes", tiled, Unit::bytes},
          {"io_ratio", of_naive / tiled, Unit::times},
          {"full_tiles", full},
          {"masked_tiles", masked},
          {"skipped_tiles", skipped},
          {"shared_tiles", static_cast<double>(shared.tiles), Unit::bytes},
          {"shared_scores", static_cast<double>(shared.scores), Unit::bytes},
          {"shared_total", static_cast<double>(shared.all()), Unit::bytes},
          {"zero_rows", static_cast<double>(dropped_rows())},
          {"largest_error", largest}};
}

}  // namespace ts::stepper
