#include "kernels/layers/builder.h"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <c10/core/ScalarType.h>
#include <c10/util/accumulate.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>

#include "kernels/observe/cancellation.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/share/fully_shard.h"

namespace ts::kernels {
namespace {

// Tells the numbers of adapters from those of the weights.
constexpr std::uint64_t kAdapterSeed = 0x4C6F5241;

at::Generator seeded_generator(at::Device device, std::uint64_t seed) {
  if (device.is_meta()) return {};
  at::Generator generator = at::globalContext().defaultGenerator(device).clone();
  generator.set_current_seed(seed);
  return generator;
}

// Draws in fp32 and rounds to that type. Pieces make cancellation quick and keep the draft small.
void fill_in_pieces(const at::Tensor& tensor, at::ScalarType rounded,
                    const std::function<void(const at::Tensor&)>& draw) {
  constexpr std::int64_t kPiece = std::int64_t{1} << 21;
  const at::Tensor flat = tensor.view({-1});
  // Without data every piece is like the first.
  const std::int64_t end = tensor.is_meta() ? std::min(kPiece, flat.numel()) : flat.numel();
  for (std::int64_t begin = 0; begin < end; begin += kPiece) {
    check_cancelled();
    const at::Tensor piece = flat.narrow(0, begin, std::min(kPiece, flat.numel() - begin));
    if (tensor.scalar_type() == at::kFloat) {
      draw(piece);
    } else {
      const at::Tensor edit = at::empty_like(piece, tensor.options().dtype(at::kFloat));
      draw(edit);
      piece.copy_(tensor.scalar_type() == rounded ? edit : edit.to(rounded));
    }
  }
}

double normal_distribution(double x) {
  return 0.5 * (1 + std::erf(x / std::numbers::sqrt2));
}

}  // namespace

std::string module_of(const std::string& parameter) {
  const std::size_t dot = parameter.rfind('.');
  return dot == std::string::npos ? std::string() : parameter.substr(0, dot);
}

// With shards the memory of the parameter that is made while it lives is neither recorded nor
// counted, and given back.
class Builder::WithoutMemory {
 public:
  explicit WithoutMemory(Builder& builder)
      : builder_(builder), shards_(builder.part_.shards_gradients()) {
    if (shards_ && DryRecording::current() != nullptr) pause_.emplace(*DryRecording::current());
  }
  [[nodiscard]] at::Tensor empty(at::IntArrayRef sizes) const {
    if (!shards_ || builder_.device_.is_meta()) return at::empty(sizes, builder_.options());
    const auto bytes =
        static_cast<std::size_t>(c10::multiply_integers(sizes)) * c10::elementSize(builder_.dtype_);
    auto* const memory = new std::vector<std::byte>(bytes);
    return at::from_blob(
        memory->data(), sizes, [memory](void*) { delete memory; }, builder_.options());
  }
  void give_back(const at::Tensor& tensor) const {
    if (!shards_) return;
    if (!tensor.is_meta()) {
      builder_.parts_.push_back(part_of_rank(tensor, builder_.share_.rank, builder_.share_.ranks));
    }
    tensor.storage().unsafeGetStorageImpl()->set_data_ptr({nullptr, tensor.device()});
  }

 private:
  Builder& builder_;
  const bool shards_;
  std::optional<DryRecording::Pause> pause_;
};

Builder::Builder(at::Device device, at::ScalarType dtype, std::uint64_t seed, RowShare share,
                 const predict::Share& part)
    : device_(device),
      dtype_(dtype),
      rounded_(dtype),
      seed_(seed),
      share_(share),
      part_(part),
      generator_(seeded_generator(device, seed)),
      adapter_generator_(seeded_generator(device, seed ^ kAdapterSeed)) {}

Builder Builder::in_fp64(at::Device device, at::ScalarType rounded, std::uint64_t seed) {
  Builder builder(device, at::kDouble, seed);
  builder.rounded_ = rounded;
  return builder;
}

at::Generator Builder::fork_generator() const {
  return seeded_generator(device_, seed_);
}

at::TensorOptions Builder::options() const {
  return at::TensorOptions().device(device_).dtype(dtype_);
}

at::Tensor Builder::register_parameter(std::string name, at::Tensor tensor) {
  tensor.set_requires_grad(!frozen_);
  parameters_.push_back({std::move(name), tensor});
  return tensor;
}

at::Tensor Builder::keep_parameter(std::string name, at::Tensor tensor) {
  return register_parameter(std::move(name), std::move(tensor));
}

at::Tensor Builder::uniform_adapter(at::IntArrayRef sizes, double bound) {
  const at::ScalarType type = at::promoteTypes(dtype_, at::kFloat);
  if (bound == 0) return at::zeros(sizes, options().dtype(type));
  at::Tensor tensor = at::empty(sizes, options().dtype(type));
  fill_in_pieces(tensor, at::kFloat, [&](const at::Tensor& piece) {
    piece.uniform_(-bound, bound, adapter_generator_);
  });
  return tensor;
}

at::Tensor Builder::keep_trained(std::string name, at::Tensor tensor) {
  tensor.set_requires_grad(true);
  parameters_.push_back({std::move(name), tensor});
  return tensor;
}

void Builder::draw_truncated(const at::Tensor& tensor, double std) const {
  constexpr double kCut = 3;
  fill_in_pieces(tensor, rounded_, [&](const at::Tensor& piece) {
    piece.uniform_(2 * normal_distribution(-kCut) - 1, 2 * normal_distribution(kCut) - 1,
                   generator_);
    piece.erfinv_().mul_(std * std::numbers::sqrt2).clamp_(-kCut * std, kCut * std);
  });
}

at::Tensor Builder::truncated_normal(std::string name, at::IntArrayRef sizes, double std) {
  const WithoutMemory without(*this);
  at::Tensor tensor = without.empty(sizes);
  draw_truncated(tensor, std);
  without.give_back(tensor);
  return register_parameter(std::move(name), std::move(tensor));
}

at::Tensor Builder::truncated_normal(std::string name, std::span<const Rows> matrices,
                                     std::int64_t columns) {
  std::int64_t rows = 0;
  for (const Rows& one : matrices) rows += one.count;
  const WithoutMemory without(*this);
  at::Tensor tensor = without.empty({rows, columns});
  std::int64_t begin = 0;
  for (const Rows& one : matrices) {
    draw_truncated(tensor.narrow(0, begin, one.count), one.std);
    begin += one.count;
  }
  without.give_back(tensor);
  return register_parameter(std::move(name), std::move(tensor));
}

at::Tensor Builder::constant(std::string name, at::IntArrayRef sizes, double value) {
  const WithoutMemory without(*this);
  at::Tensor tensor = without.empty(sizes).fill_(value);
  without.give_back(tensor);
  return register_parameter(std::move(name), std::move(tensor));
}

at::Tensor Builder::drawn_rows(at::IntArrayRef sizes, const at::TensorOptions& options,
                               const std::function<void(const at::Tensor&)>& draw) const {
  at::Tensor tensor = at::empty(sizes, options);
  if (share_.ranks <= 1 || tensor.is_meta()) {
    draw(tensor);
    return tensor;
  }
  std::vector<std::byte> memory(tensor.nbytes() * static_cast<std::size_t>(share_.ranks));
  std::vector<std::int64_t> all = sizes.vec();
  all.front() *= share_.ranks;
  const at::Tensor whole = at::from_blob(memory.data(), all, options.device(at::kCPU));
  draw(whole);
  tensor.copy_(whole.narrow(0, share_.rank * sizes.front(), sizes.front()));
  return tensor;
}

at::Tensor Builder::normal_input(at::IntArrayRef sizes, bool requires_grad) {
  at::Tensor tensor = drawn_rows(sizes, options(), [&](const at::Tensor& whole) {
    fill_in_pieces(whole, rounded_,
                   [&](const at::Tensor& piece) { piece.normal_(0, 1, generator_); });
  });
  tensor.set_requires_grad(requires_grad);
  return keep_input(std::move(tensor));
}

at::Tensor Builder::token_input(at::IntArrayRef sizes, std::int64_t vocab) {
  at::Tensor tensor = drawn_rows(sizes, options().dtype(at::kLong), [&](const at::Tensor& whole) {
    whole.random_(0, vocab, generator_);
  });
  return keep_input(std::move(tensor));
}

at::Tensor Builder::keep_input(at::Tensor tensor) {
  inputs_.push_back(tensor);
  return tensor;
}

}  // namespace ts::kernels
