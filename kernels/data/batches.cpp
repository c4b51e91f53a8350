#include "kernels/data/batches.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>

#include <vector>

#include "kernels/observe/failure.h"

namespace ts::kernels {
namespace {

io::Corpus corpus_of(const spec::WorkloadSpec& spec) {
  auto corpus = spec::open_corpus(spec);
  if (!corpus) throw BadInput(corpus.error());
  return std::move(*corpus);
}

// Fills rows of `length` tokens from those starts.
void fill(const at::Tensor& to, const io::Corpus& corpus, const std::vector<std::int64_t>& starts,
          std::int64_t offset) {
  const at::Tensor host = to.is_cpu() ? to : at::empty(to.sizes(), at::kLong);
  auto* out = host.mutable_data_ptr<std::int64_t>();
  const auto length = static_cast<std::size_t>(to.size(1));
  for (const std::int64_t start : starts) {
    const auto read = corpus.read(start + offset, {out, length});
    if (!read) throw BadInput(read.error());
    out += length;
  }
  if (!to.is_cpu()) to.copy_(host);
}

}  // namespace

Batches::Batches(const spec::WorkloadSpec& spec, std::int64_t rank, std::int64_t ranks)
    : corpus_(corpus_of(spec)),
      generator_(at::detail::createCPUGenerator(spec.seed)),
      rank_(rank),
      ranks_(ranks) {}

void Batches::next(const at::Tensor& x, const at::Tensor& y) {
  // As torch.randint on the CPU: 32 random bits, or 64 if the range is large.
  const auto range = static_cast<std::uint64_t>(corpus_.size() - x.size(1));
  constexpr std::uint64_t kLargeRange = std::uint64_t{1} << 28;
  auto* const generator = at::check_generator<at::CPUGeneratorImpl>(generator_);
  std::vector<std::int64_t> starts;
  const std::int64_t rows = x.size(0);
  for (std::int64_t row = 0; row < rows * ranks_; ++row) {
    const std::uint64_t bits = range >= kLargeRange ? generator->random64() : generator->random();
    if (row / rows == rank_) starts.push_back(static_cast<std::int64_t>(bits % range));
  }
  fill(x, corpus_, starts, 0);
  if (y.defined()) fill(y, corpus_, starts, 1);
}

}  // namespace ts::kernels
