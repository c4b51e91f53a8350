#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/spec/corpus.h"
#include "core/spec/workload_spec.h"

namespace ts::kernels {

// Batches from a corpus, as get_batch of nanoGPT takes them: rows start at random positions of the
// text, drawn as torch.randint(len(data) - T, (rows,)) draws with a generator of this seed; x =
// data[i : i + T], y = data[i + 1 : i + 1 + T]. A rank of several draws the rows of all and reads
// its own.
class Batches {
 public:
  // Throws BadInput if the corpus does not suit the spec.
  explicit Batches(const spec::WorkloadSpec& spec, std::int64_t rank = 0, std::int64_t ranks = 1);
  // Fills x and y, int64 [rows, T] on any device, with the next batch. y may be undefined. Throws
  // BadInput if the corpus was truncated since.
  void next(const at::Tensor& x, const at::Tensor& y);
  [[nodiscard]] const io::Corpus& corpus() const { return corpus_; }

 private:
  io::Corpus corpus_;
  at::Generator generator_;
  std::int64_t rank_;
  std::int64_t ranks_;
};

}  // namespace ts::kernels
