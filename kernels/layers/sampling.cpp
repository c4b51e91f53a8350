#include "kernels/layers/sampling.h"

#include <ATen/ops/argmax.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/topk.h>

#include <limits>

namespace ts::kernels {

at::Tensor sample_token(const at::Tensor& logits, double temperature, std::int64_t top_k,
                        const std::optional<at::Generator>& generator) {
  if (temperature == 0) return at::argmax(logits, -1, /*keepdim=*/true);
  at::Tensor weights = at::div(logits, temperature);
  if (top_k > 0 && top_k < logits.size(-1)) {
    const at::Tensor least = std::get<0>(at::topk(weights, top_k)).narrow(-1, top_k - 1, 1);
    weights =
        at::masked_fill(weights, at::lt(weights, least), -std::numeric_limits<double>::infinity());
  }
  weights = at::softmax(weights, -1);
  // Same as at::multinomial for one sample, in operators that tensors without data have too: the
  // largest of p / E with E exponential is distributed as p.
  at::Tensor race = at::empty_like(weights).exponential_(1, generator);
  at::div_out(race, weights, race);
  return at::argmax(race, -1, /*keepdim=*/true);
}

}  // namespace ts::kernels
