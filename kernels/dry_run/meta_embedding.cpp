#include <ATen/WrapDimUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
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

}  // namespace

void register_meta_embedding(torch::Library& library) {
  library.impl("index_select", index_select);
  library.impl("index_select_backward", index_select_backward);
  library.impl("embedding", embedding);
  library.impl("embedding_dense_backward", embedding_dense_backward);
}

}  // namespace ts::kernels
