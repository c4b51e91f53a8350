#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>

#include "core/spec/corpus.h"
#include "core/spec/workload_spec.h"

namespace ts::kernels {

// Batches from a corpus, as get_batch of nanoGPT takes them: rows start anywhere in the text, drawn
// as torch.randint(len(data) - T, (rows,)) draws with a generator of this seed; x = data[i : i +
// T], y = data[i + 1 : i + 1 + T].
class Batches {
 public:
  // Throws BadInput where the corpus is not fit for the spec.
  explicit Batches(const spec::WorkloadSpec& spec);
  // Fills x and y, int64 [rows, T] on any device, with the next batch. y may be undefined. Throws
  // BadInput where the corpus was cut since.
  void next(const at::Tensor& x, const at::Tensor& y);
  [[nodiscard]] const io::Corpus& corpus() const { return corpus_; }

 private:
  io::Corpus corpus_;
  at::Generator generator_;
};

}  // namespace ts::kernels
