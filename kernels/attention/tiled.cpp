#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/attention/attend.h"
#include "kernels/attention/mask.h"
#include "kernels/observe/cancellation.h"
#include "kernels/observe/custom_node.h"

namespace ts::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
// With other masks than the causal one the first tile of a query may have nothing for it to see.
// Its sums are then of exp(0), and vanish beside the first score that is not hidden.
constexpr double kHidden = -1e30;

// Tiles of one attention: as many as a prediction can process in a few hundredths of a second.
constexpr std::int64_t kMostDryTiles = 1024;

// The tiles of one attention: slices of Q, K, V and of the related tensors, as fp32.
struct Tiles {
  std::int64_t tile_q, tile_k;
  spec::Masking masks;
  at::Tensor lengths;
  std::int64_t queries, keys, heads;
  double scale;
  bool sampled;  // only some tiles are processed

  struct Rows {
    std::int64_t begin, count;
    [[nodiscard]] std::int64_t end() const { return begin + count; }
  };

  Tiles(const at::Tensor& q, const at::Tensor& k, std::int64_t rows, std::int64_t columns,
        const spec::Masking& given_masks, at::Tensor given_lengths)
      : tile_q(rows),
        tile_k(columns),
        masks(given_masks),
        lengths(std::move(given_lengths)),
        queries(q.size(2)),
        keys(k.size(2)),
        heads(q.size(1)),
        scale(1 / std::sqrt(static_cast<double>(q.size(3)))),
        sampled(q.is_meta() && count(queries, tile_q) * count(keys, tile_k) > kMostDryTiles) {}

  template <class Visit>
  void each_query_tile(const Visit& visit) const {
    each(queries, tile_q, visit);
  }
  template <class Visit>
  void each_key_tile(const Visit& visit) const {
    each(keys, tile_k, visit);
  }
  // Tensors without data need no computation. Beyond kMostDryTiles only the first two and the last
  // two tiles in each direction are processed. They cover every kind of tile (masked or not, whole
  // or a remainder) and leave the same blocks behind as all tiles.
  static std::int64_t count(std::int64_t length, std::int64_t tile) {
    return (length + tile - 1) / tile;
  }
  template <class Visit>
  void each(std::int64_t length, std::int64_t tile, const Visit& visit) const {
    const std::int64_t tiles = count(length, tile);
    for (std::int64_t i = 0; i < tiles; ++i) {
      if (sampled && i >= 2 && i < tiles - 2) continue;
      check_cancelled();
      visit(Rows{i * tile, std::min(tile, length - i * tile)});
    }
  }
  // True if some query of the tile may look at some key of the other.
  [[nodiscard]] bool sees(const Rows& q, const Rows& k) const {
    const spec::Masking::Range seen = masks.seen_by({q.begin, q.end()}, keys);
    return k.begin < seen.end && k.end() > seen.begin;
  }

  static at::Tensor cut(const at::Tensor& x, const Rows& rows) {
    return x.narrow(2, rows.begin, rows.count).to(at::kFloat);
  }
  // A slice of keys or values, each head repeated for the queries that share it.
  [[nodiscard]] at::Tensor cut_shared(const at::Tensor& x, const Rows& rows) const {
    at::Tensor tile = cut(x, rows);
    const std::int64_t groups = heads / x.size(1);
    if (groups == 1) return tile;
    return tile.unsqueeze(2).expand({-1, -1, groups, -1, -1}).flatten(1, 2);
  }
  // The gradients of the heads that share a key or value, summed.
  [[nodiscard]] at::Tensor sum_shared(const at::Tensor& gradient, std::int64_t kv_heads) const {
    if (kv_heads == heads) return gradient;
    return gradient.unflatten(1, {kv_heads, heads / kv_heads}).sum(2);
  }
  [[nodiscard]] at::Tensor scores(const at::Tensor& q_tile, const at::Tensor& k_tile, const Rows& q,
                                  const Rows& k) const {
    at::Tensor scores = at::matmul(q_tile, k_tile.transpose(-2, -1)).mul_(scale);
    if (masks.any()) {
      scores.masked_fill_(
          hidden_keys(masks, {{q.begin, q.end()}, {k.begin, k.end()}, keys == queries}, lengths,
                      scores.options()),
          kHidden);
    } else if (masks.causal && k.end() > q.begin + 1) {
      const auto options = scores.options().dtype(at::kBool);
      scores.masked_fill_(at::ones({q.count, k.count}, options).triu_(q.begin - k.begin + 1),
                          kMinusInfinity);
    }
    return scores;
  }
};

class TiledAttention : public torch::autograd::Function<TiledAttention> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& q, const at::Tensor& k,
                            const at::Tensor& v, const AttentionMethod* method) {
    const Tiles tiles(q, k, method->tile_q, method->tile_k, method->masks, method->lengths);
    const auto fp32 = q.options().dtype(at::kFloat);
    const at::Tensor output = at::empty(q.sizes(), q.options());
    const at::Tensor log_sums = at::empty({q.size(0), q.size(1), q.size(2), 1}, fp32);
    tiles.each_query_tile([&](const Tiles::Rows& rows) {
      const at::Tensor q_tile = Tiles::cut(q, rows);
      at::Tensor largest = at::full({q.size(0), q.size(1), rows.count, 1}, kMinusInfinity, fp32);
      at::Tensor sum = at::zeros({q.size(0), q.size(1), rows.count, 1}, fp32);
      at::Tensor weighted = at::zeros({q.size(0), q.size(1), rows.count, q.size(3)}, fp32);
      tiles.each_key_tile([&](const Tiles::Rows& columns) {
        if (!tiles.sees(rows, columns)) return;
        at::Tensor p = tiles.scores(q_tile, tiles.cut_shared(k, columns), rows, columns);
        const at::Tensor now_largest = at::maximum(largest, p.amax({-1}, /*keepdim=*/true));
        p.sub_(now_largest).exp_();
        const at::Tensor shrink = largest.sub_(now_largest).exp_();
        sum.mul_(shrink).add_(p.sum(-1, /*keepdim=*/true));
        weighted.mul_(shrink).add_(at::matmul(p, tiles.cut_shared(v, columns)));
        largest = now_largest;
      });
      output.narrow(2, rows.begin, rows.count).copy_(weighted.div_(sum));
      log_sums.narrow(2, rows.begin, rows.count).copy_(sum.log_().add_(largest));
    });
    context->save_for_backward({q, k, v, output, log_sums});
    context->saved_data["tiles"] = std::vector<std::int64_t>{tiles.tile_q, tiles.tile_k};
    context->saved_data["masks"] =
        std::vector<std::int64_t>{static_cast<std::int64_t>(tiles.masks.causal), tiles.masks.window,
                                  tiles.masks.packed, tiles.masks.padding};
    context->saved_data["lengths"] = tiles.lengths;
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &q = saved[0], &k = saved[1], &v = saved[2], &output = saved[3];
    const at::Tensor &log_sums = saved[4], &d_output = gradients[0];
    const std::vector<std::int64_t> sizes = context->saved_data["tiles"].toIntVector();
    const std::vector<std::int64_t> masks = context->saved_data["masks"].toIntVector();
    const Tiles tiles(
        q, k, sizes[0], sizes[1],
        {.causal = masks[0] != 0, .window = masks[1], .packed = masks[2], .padding = masks[3]},
        context->saved_data["lengths"].toTensor());
    // D = rowsum(dO * O), which the softmax subtracts from every gradient of its row.
    const at::Tensor row_sums = at::mul(d_output, output).sum(-1, /*keepdim=*/true, at::kFloat);
    const at::Tensor d_q = at::zeros(q.sizes(), q.options().dtype(at::kFloat));
    const at::Tensor d_k = at::empty(k.sizes(), k.options());
    const at::Tensor d_v = at::empty(v.sizes(), v.options());
    tiles.each_key_tile([&](const Tiles::Rows& columns) {
      const at::Tensor k_tile = tiles.cut_shared(k, columns);
      const at::Tensor v_tile = tiles.cut_shared(v, columns);
      const at::Tensor d_k_tile = at::zeros(k_tile.sizes(), k_tile.options());
      const at::Tensor d_v_tile = at::zeros(v_tile.sizes(), v_tile.options());
      tiles.each_query_tile([&](const Tiles::Rows& rows) {
        if (!tiles.sees(rows, columns)) return;
        const at::Tensor q_tile = Tiles::cut(q, rows);
        const at::Tensor d_o = Tiles::cut(d_output, rows);
        const at::Tensor p = tiles.scores(q_tile, k_tile, rows, columns)
                                 .sub_(log_sums.narrow(2, rows.begin, rows.count))
                                 .exp_();
        d_v_tile.add_(at::matmul(p.transpose(-2, -1), d_o));
        at::Tensor d_scores = at::matmul(d_o, v_tile.transpose(-2, -1));
        d_scores.sub_(row_sums.narrow(2, rows.begin, rows.count)).mul_(p).mul_(tiles.scale);
        d_q.narrow(2, rows.begin, rows.count).add_(at::matmul(d_scores, k_tile));
        d_k_tile.add_(at::matmul(d_scores.transpose(-2, -1), q_tile));
      });
      d_k.narrow(2, columns.begin, columns.count).copy_(tiles.sum_shared(d_k_tile, k.size(1)));
      d_v.narrow(2, columns.begin, columns.count).copy_(tiles.sum_shared(d_v_tile, v.size(1)));
    });
    return {d_q.to(q.scalar_type()), d_k, d_v, at::Tensor()};
  }
};

}  // namespace

at::Tensor attend_tiled(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k,
                        const at::Tensor& v) {
  note_custom_node(AttentionKernel::tiled);
  return TiledAttention::apply(q, k, v, &method);
}

}  // namespace ts::kernels
