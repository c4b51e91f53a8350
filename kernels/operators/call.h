#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

#include "kernels/own/row_kernels.h"

// Tensors and threads for the kernels of kernels/own.
namespace ts::kernels {

own::Element element_of(const at::Tensor& tensor);

// The type in which a kernel sums.
at::ScalarType sums_type(own::Instructions instructions);

// Calls compute(0) to compute(count - 1) on LibTorch's threads, consecutive ones on one thread; the
// caller is one of them. Throws Cancelled as check_cancelled(): no thread starts another part of a
// cancelled call.
void share_among_threads(std::int64_t count, const std::function<void(std::int64_t)>& compute);

// Rows cut into blocks, whatever the threads: a sum over the rows of each block, and then over the
// blocks, is the same from run to run.
struct RowBlocks {
  explicit RowBlocks(std::int64_t all_rows);
  [[nodiscard]] std::int64_t first(std::int64_t block) const { return rows * block / count; }
  [[nodiscard]] std::int64_t size(std::int64_t block) const {
    return first(block + 1) - first(block);
  }
  std::int64_t rows;
  std::int64_t count;
};

// The place of a row of a tensor [rows, ...] without gaps; null of an undefined one.
void* row_of(const at::Tensor& tensor, std::int64_t row);

// Memory for a sum [blocks, width] of each block, and the sum of these [width] in the type of
// `like`. Only one block at a time is zeroed and added to, by the thread that computes it.
class BlockSums {
 public:
  BlockSums(const RowBlocks& blocks, const at::Tensor& like, at::ScalarType sums);
  [[nodiscard]] void* zeroed(std::int64_t block) const;
  [[nodiscard]] at::Tensor total() const;

 private:
  at::Tensor sums_;
  at::ScalarType type_;
};

}  // namespace ts::kernels
