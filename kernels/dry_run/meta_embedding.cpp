#include <ATen/WrapDimUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_embedding_bag_dense_backward.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <algorithm>

#include "kernels/dry_run/meta_kernels.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;

Tensor index_select(const Tensor& self, std::int64_t dim, const Tensor& index) {
  std::vector<std::int64_t> sizes = self.sizes().vec();
  sizes[static_cast<std::size_t>(at::maybe_wrap_dim(dim, self.dim()))] = index.numel();
  return at::empty(sizes, self.options());
}

// LibTorch's own adds out of place on tensors without data, and in place on all devices.
Tensor index_select_backward(const Tensor& gradient, c10::SymIntArrayRef sizes, std::int64_t,
                             const Tensor&) {
  return at::zeros_symint(sizes, gradient.options());
}

Tensor embedding(const Tensor& weight, const Tensor& indices, c10::SymInt, bool, bool) {
  std::vector<std::int64_t> sizes = indices.sizes().vec();
  sizes.push_back(weight.size(1));
  return weight.index_select(0, indices.reshape(-1)).view(sizes);
}

// For more than 3,072 tokens cuda sorts them and sums the rows of a token in parts, in fp32.
// (ATen/native/cuda/Embedding.cu and EmbeddingBackwardKernel.cu of PyTorch 2.11.)
Tensor sorted_on_cuda(const Tensor& gradient, const Tensor& indices, std::int64_t rows) {
  constexpr std::int64_t kTokensOfAPart = 10;
  const std::int64_t tokens = indices.numel(), width = gradient.size(-1);
  const Tensor sorted = at::empty_like(indices), original = at::empty_like(indices);
  { const Tensor range = at::arange(tokens, indices.options()); }
  Tensor result = at::zeros({rows, width}, gradient.options());
  const Tensor segments = at::empty({tokens}, indices.options());
  const Tensor segment_count = at::empty({}, indices.options());
  const std::int64_t most = std::min(tokens, rows);
  const Tensor parts = at::empty({most}, indices.options());
  const Tensor part_offsets = at::empty({most}, indices.options());
  const Tensor part_count = at::empty({}, indices.options());
  const std::int64_t most_parts = tokens / kTokensOfAPart + most;
  const Tensor offsets = at::empty({most_parts}, indices.options());
  const Tensor sums = at::empty({most_parts, width}, gradient.options().dtype(at::kFloat));
  return result;
}

Tensor embedding_dense_backward(const Tensor& gradient, const Tensor& indices, c10::SymInt rows,
                                c10::SymInt, bool) {
  const auto make = [&] {
    return at::zeros({rows.expect_int(), gradient.size(-1)}, gradient.options());
  };
  if (!DryRecording::follows_cuda()) {
    Tensor result = make();
    const Tensor places = indices.contiguous(), dense = gradient.contiguous();
    return result;
  }
  const Tensor dense = gradient.contiguous();
  constexpr std::int64_t kMostUnsorted = 3072;
  if (indices.numel() > kMostUnsorted) return sorted_on_cuda(dense, indices, rows.expect_int());
  return make();
}

// Sums and means of rows on cpu, by a bag for each offset. Bags by their largest rows depend on
// numbers, those on cuda are sorted by cub. (ATen/native/EmbeddingBag.cpp of PyTorch 2.11.)
constexpr std::int64_t kSums = 0, kMeans = 1;

void check_bags(std::int64_t mode, std::int64_t padding, const std::optional<Tensor>& weights) {
  TORCH_CHECK_NOT_IMPLEMENTED(!DryRecording::follows_cuda() && (mode == kSums || mode == kMeans) &&
                                  padding < 0 && !(weights && weights->defined()),
                              "the blocks of such bags are unknown");
}

Tensor bags_of(const Tensor& indices, const Tensor& offsets) {
  Tensor bags = at::zeros({indices.size(0) + 1}, offsets.options());
  { const Tensor ones = at::ones_like(offsets); }
  bags.select(0, 0).sub_(1);
  return bags.cumsum(0, bags.scalar_type()).narrow(0, 0, indices.size(0));
}

template <bool kTrained>
std::tuple<Tensor, Tensor, Tensor, Tensor> bags(const Tensor& weight, const Tensor& indices,
                                                const Tensor& offsets, bool, std::int64_t mode,
                                                bool, const std::optional<Tensor>& weights,
                                                bool last, std::int64_t padding) {
  check_bags(mode, padding, weights);
  const std::int64_t count = offsets.size(0) - (last ? 1 : 0);
  Tensor output = at::empty({count, weight.size(1)}, weight.options());
  // Sums of fp64 are not among the fast ones, which need no bag of each row.
  const bool slow = mode == kMeans || weight.scalar_type() == at::kDouble;
  Tensor bag_of =
      slow ? bags_of(indices, offsets.narrow(0, 0, count)) : at::empty({0}, offsets.options());
  Tensor sizes = at::empty({offsets.size(0)}, offsets.options());
  if (kTrained || mode == kMeans) {
    sizes = sizes.narrow(0, 0, count);
    if (count > 1)
      const Tensor between = offsets.narrow(0, 1, count - 1).sub(offsets.narrow(0, 0, count - 1));
    const Tensor rest = at::empty({}, offsets.options());
  }
  Tensor largest = at::empty({sizes.size(0)}, offsets.options());
  if (mode == kMeans) {
    Tensor ones = at::ones_like(sizes);
    Tensor most = at::maximum(sizes, ones);
    const Tensor numbers = most.to(output.scalar_type());
    ones.reset();
    most.reset();
  }
  return {std::move(output), std::move(bag_of), std::move(sizes), std::move(largest)};
}

Tensor bags_backward(const Tensor& gradient, const Tensor& indices, const Tensor& bag_of,
                     const Tensor&, const Tensor&, c10::SymInt rows, bool, std::int64_t mode,
                     const std::optional<Tensor>& weights, std::int64_t padding) {
  check_bags(mode, padding, weights);
  const Tensor dense = gradient.contiguous();
  Tensor result = at::zeros({rows.expect_int(), gradient.size(1)}, gradient.options());
  const auto [sorted, places] = indices.sort();
  const Tensor bags = bag_of.index_select(0, places);
  return result;
}

Tensor any_bags_backward(const Tensor& gradient, const Tensor& indices, const Tensor& offsets,
                         const Tensor& bag_of, const Tensor& sizes, const Tensor& largest,
                         c10::SymInt rows, bool by_frequency, std::int64_t mode, bool sparse,
                         const std::optional<Tensor>& weights, std::int64_t padding) {
  check_bags(mode, padding, weights);
  TORCH_CHECK_NOT_IMPLEMENTED(!sparse, "the blocks of sparse gradients are unknown");
  const bool known = bag_of.numel() > 0 || indices.numel() == 0;
  return at::_embedding_bag_dense_backward_symint(
      gradient, indices, known ? bag_of : bags_of(indices, offsets), sizes, largest, rows,
      by_frequency, mode, weights, padding);
}

}  // namespace

void register_meta_embedding(torch::Library& library) {
  library.impl("_embedding_bag", bags<true>);
  library.impl("_embedding_bag_forward_only", bags<false>);
  library.impl("_embedding_bag_backward", any_bags_backward);
  library.impl("_embedding_bag_dense_backward", bags_backward);
  library.impl("index_select", index_select);
  library.impl("index_select_backward", index_select_backward);
  library.impl("embedding", embedding);
  library.impl("embedding_dense_backward", embedding_dense_backward);
}

}  // namespace ts::kernels
