#pragma once

#include "kernels/own/attention_kernel.h"
#include "kernels/own/row_vectors.h"

// Shared by the kernels of attention in vectors: parts of memory, masks, and softmax with its
// gradient in vectors of fp32. All names are local (see vector.h).
namespace ts::kernels::own {
namespace {

inline Index min_of(Index a, Index b) {
  return a < b ? a : b;
}
// Numbers of a row, filled up to whole vectors.
inline Index padded(Index d) {
  return (d + kLanes - 1) / kLanes * kLanes;
}
inline float scale_of(const Head& head) {
  return static_cast<float>(head.scale);
}

template <class Number>
Number* row_of(const Matrix& matrix, Index row) {
  return static_cast<Number*>(matrix.data) + row * matrix.row;
}

// Hands out parts of the scratch memory, each aligned to a vector. Without memory it only counts.
class Parts {
 public:
  explicit Parts(void* memory) : memory_(static_cast<float*>(memory)) {}
  float* take(Index numbers) {
    float* const part = memory_ == nullptr ? nullptr : memory_ + taken_;
    taken_ += (numbers + 15) / 16 * 16;
    return part;
  }
  [[nodiscard]] Index bytes() const { return taken_ * Index{sizeof(float)}; }

 private:
  float* memory_;
  Index taken_ = 0;
};

// The rows of a tile, and the numbers of a row of its scores.
struct Tile {
  Index queries, keys;
  explicit Tile(const Head& head)
      : queries(min_of(head.tile_queries, head.queries)), keys(min_of(head.tile_keys, head.keys)) {}
};

// Scores of keys that a query must not see; key and query of the first score of the tile.
inline void mask_transposed(float* s, Index width, Index keys, Index key, Index query) {
  for (Index j = 0; j < keys; ++j) {
    const Index hidden = min_of(key + j - query, width);
    for (Index i = 0; i < hidden; ++i) s[j * width + i] = kLowest;
  }
}

// Memory has p [keys][width], largest, sum and shrink [width].
// The softmax of the keys so far: S^T becomes P^T, m and l follow, shrink is exp(m - m'). Four sums
// by turns have a quarter of the rounding errors, and need not wait for one another.
template <class Memory>
void online_softmax(const Memory& to, Index keys) {
  for (Index i = 0; i < to.width; i += kLanes) {
    const Vector before = load(to.largest + i);
    Vector largest = before;
    for (Index j = 0; j < keys; ++j) largest = larger(load(to.p + j * to.width + i), largest);
    // Scores of minus infinity alone have the weight 0, not NaN.
    const Vector base = largest == kLowest ? Vector{} : largest;
    const Vector shrink = exp(before - base);
    Vector sums[4] = {};
    const auto weigh = [&](Index j, Vector& sum) {
      const Vector p = exp(load(to.p + j * to.width + i) - base);
      sum += p;
      store(to.p + j * to.width + i, p);
    };
    Index j = 0;
    for (; j + 4 <= keys; j += 4) {
      for (Index n = 0; n < 4; ++n) weigh(j + n, sums[n]);
    }
    for (; j < keys; ++j) weigh(j, sums[0]);
    const Vector sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    store(to.largest + i, largest);
    store(to.sum + i, load(to.sum + i) * shrink + sum);
    store(to.shrink + i, shrink);
  }
}

// Memory has p and d_s [queries][width].
// P = exp(S - L) and dS = scale P o (dP - D) of the tile whose first query and key are given. p
// holds S, d_s holds dP; row_sums is D of these queries.
template <class Memory>
void tile_gradients(const Head& head, const Memory& memory, const float* row_sums, Index queries,
                    Index first, Index key) {
  const float scale = scale_of(head);
  for (Index i = 0; i < queries; ++i) {
    const double log_sum = head.log_sums[first + i];
    const auto rounded = static_cast<float>(log_sum);
    const float rest = rounded == -kLowest ? 0 : static_cast<float>(log_sum - double{rounded});
    float* const p_row = memory.p + i * memory.width;
    float* const d_s_row = memory.d_s + i * memory.width;
    if (head.causal) {
      for (Index j = first + i + 1 > key ? first + i + 1 - key : 0; j < memory.width; ++j) {
        p_row[j] = kLowest;
      }
    }
    for (Index j = 0; j < memory.width; j += kLanes) {
      const Vector p = exp(load(p_row + j) - rounded - rest);
      store(p_row + j, p);
      store(d_s_row + j, p * (load(d_s_row + j) - row_sums[i]) * scale);
    }
  }
}

}  // namespace
}  // namespace ts::kernels::own
