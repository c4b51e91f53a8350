#include "kernels/operators/call.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/sum.h>

#include <algorithm>
#include <cstring>

#include "kernels/observe/cancellation.h"

namespace ts::kernels {

own::Element element_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kDouble:
      return own::Element::fp64;
    case at::kBFloat16:
      return own::Element::bf16;
    case at::kHalf:
      return own::Element::fp16;
    default:
      return own::Element::fp32;
  }
}

at::ScalarType sums_type(own::Instructions instructions) {
  return instructions == own::Instructions::portable ? at::kDouble : at::kFloat;
}

void share_among_threads(std::int64_t count, const std::function<void(std::int64_t)>& compute) {
  at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end && !is_cancelled(); ++i) compute(i);
  });
  check_cancelled();
}

RowBlocks::RowBlocks(std::int64_t all_rows) : rows(all_rows) {
  constexpr std::int64_t kMost = 64, kSmallest = 16;
  count = std::clamp<std::int64_t>(rows / kSmallest, 1, kMost);
}

void* row_of(const at::Tensor& tensor, std::int64_t row) {
  if (!tensor.defined()) return nullptr;
  const std::int64_t bytes = tensor.numel() / tensor.size(0) * tensor.element_size();
  return static_cast<char*>(tensor.data_ptr()) + row * bytes;
}

BlockSums::BlockSums(const RowBlocks& blocks, const at::Tensor& like, at::ScalarType sums)
    : sums_(at::empty({blocks.count, like.numel()}, like.options().dtype(sums))),
      type_(like.scalar_type()) {}

void* BlockSums::zeroed(std::int64_t block) const {
  void* const sum = row_of(sums_, block);
  std::memset(sum, 0, static_cast<std::size_t>(sums_.size(1) * sums_.element_size()));
  return sum;
}

at::Tensor BlockSums::total() const {
  return at::sum(sums_, {0}).to(type_);
}

}  // namespace ts::kernels
