// Operators whose operands have different types. On cpu TensorIterator first turns every operand
// into the common type, in a block of its own that lives as long as the operator; boxed numbers
// (fp64, 8 bytes on the host) too. On cuda the kernel converts as it reads, and so do LibTorch's
// meta kernels.
// (ATen/TensorIterator.cpp, compute_types: "Promotes inputs by creating temporaries".)
#include <ATen/MetaFunctions.h>
#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <ATen/ScalarOps.h>
#include <ATen/TensorIterator.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/TypeProperties.h>
#include <ATen/ops/copy_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/dry_run/meta_kernels.h"
#include "kernels/dry_run/reduction_scratch.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;

at::ScalarType common_type(const Tensor& self, const Tensor& other) {
  at::native::ResultTypeState state{};
  state = at::native::update_result_type_state(self, state);
  state = at::native::update_result_type_state(other, state);
  return at::native::result_type(state);
}

// While it lives: the operands as the cpu kernel reads them, and its output where a narrower
// operand is to hold it.
class Promoted {
 public:
  enum class Result { new_tensor, in_place };
  Promoted(const Tensor& self, const Tensor& other, Result result = Result::new_tensor,
           bool true_division = false) {
    if (!DryRecording::follows_cpu()) return;
    at::ScalarType common = common_type(self, other);
    if (true_division && c10::isIntegralType(common, true)) common = at::kFloat;
    if (self.scalar_type() != common) {
      if (result == Result::in_place) {
        result_ = at::empty_like(self, self.options().dtype(common));
      }
      self_ = self.to(common);
    }
    if (other.scalar_type() != common) other_ = other.to(common);
  }

 private:
  Tensor other_, self_, result_;  // the last is freed first
};
constexpr auto kInPlace = Promoted::Result::in_place;

// Some places of LibTorch write in place on cpu and cuda, but not to meta tensors, which they take
// for tensor subclasses: the autograd engine, which sums the gradients of a tensor, when nobody
// else holds the first (torch/csrc/autograd/input_buffer.cpp, can_accumulate_inplace), math
// attention, which adds the mask (ATen/native/transformers/attention.cpp), a linear layer with an
// input that is not contiguous, which adds its bias (ATen/native/Linear.cpp), and the backwards of
// a maximum, of gather and of indexing, which fill zeros, and of clamp, which joins two comparisons
// (torch/csrc/autograd/FunctionsManual.cpp).
// There the result takes the place of the first, which `holders` references hold.
bool takes_the_place_of(const Tensor& first, std::size_t holders = 1) {
  const DryRecording* const dry = DryRecording::current();
  return dry != nullptr && dry->in_place_on_devices() && first.is_non_overlapping_and_dense() &&
         first.use_count() <= holders && first.storage().use_count() == 1;
}

// An operator of two tensors, with them as its cpu kernel reads them.
using OfTwo = Tensor (*)(const Tensor&, const Tensor&);
template <OfTwo kMeta>
Tensor promoted(const Tensor& self, const Tensor& other) {
  const Promoted operands(self, other);
  return kMeta(self, other);
}
Tensor& mul_(Tensor& self, const Tensor& other) {
  const Promoted promoted(self, other, kInPlace);
  return at::meta::mul_(self, other);
}
// mul_ with a number is dispatched as mul.out.
Tensor& mul_out(const Tensor& self, const Tensor& other, Tensor& out) {
  const Promoted promoted(self, other);
  return at::meta::mul_outf(self, other, out);
}
Tensor div(const Tensor& self, const Tensor& other) {
  const Promoted promoted(self, other, Promoted::Result::new_tensor, true);
  return at::meta::div(self, other);
}
Tensor& div_(Tensor& self, const Tensor& other) {
  const Promoted promoted(self, other, kInPlace, true);
  return at::meta::div_(self, other);
}
Tensor add(const Tensor& self, const Tensor& other, const at::Scalar& alpha) {
  if (takes_the_place_of(self)) return self;
  const Promoted promoted(self, other);
  return at::meta::add(self, other, alpha);
}
template <Tensor& (*kMeta)(Tensor&, const Tensor&, const at::Scalar&)>
Tensor& scaled_in_place(Tensor& self, const Tensor& other, const at::Scalar& alpha) {
  const Promoted promoted(self, other, kInPlace);
  return kMeta(self, other, alpha);
}
Tensor sub(const Tensor& self, const Tensor& other, const at::Scalar& alpha) {
  const Promoted promoted(self, other);
  return at::meta::sub(self, other, alpha);
}
// On cpu numbers of 16 bits are gathered and scattered in a copy of the result in fp32.
// (ATen/native/cpu/ScatterGatherKernel.cpp, create_acc_buffer.)
void take_wide_copy(const Tensor& result) {
  if (!DryRecording::follows_cpu() || !at::isReducedFloatingType(result.scalar_type())) return;
  const Tensor wide = at::empty(result.sizes(), result.options().dtype(at::kFloat));
}
using Scatter = Tensor (*)(const Tensor&, std::int64_t, const Tensor&, const Tensor&);
template <Scatter kMeta, const char* const& kInPlaceName>
Tensor scattered(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source) {
  if (takes_the_place_of(self)) {
    RECORD_FUNCTION(kInPlaceName, c10::ArrayRef<const c10::IValue>{});
    take_wide_copy(self);
    return self;
  }
  Tensor result = kMeta(self, dim, index, source);
  take_wide_copy(result);
  return result;
}
constexpr const char* kScatter = "aten::scatter_";
constexpr const char* kScatterAdd = "aten::scatter_add_";
Tensor gather(const Tensor& self, std::int64_t dim, const Tensor& index, bool sparse_gradient) {
  Tensor result = at::meta::gather(self, dim, index, sparse_gradient);
  take_wide_copy(result);
  return result;
}
Tensor index_put(const Tensor& self, const c10::List<std::optional<Tensor>>& indices,
                 const Tensor& values, bool accumulate) {
  // The caller holds it in a list, too.
  if (takes_the_place_of(self, 2)) return self;
  Tensor result = self.clone();
  return result.index_put_(indices, values, accumulate);
}
// The kernel on cpu wants its operand in the type of the sum.
Tensor cumsum(const Tensor& self, std::int64_t dim, std::optional<at::ScalarType> dtype) {
  Tensor result = at::meta::cumsum(self, dim, dtype);
  const Tensor wide = DryRecording::follows_cpu() ? self.to(result.scalar_type()) : Tensor();
  return result;
}
// A comparison with a number boxes it first, and lets go of the box first.
template <OfTwo kMeta>
Tensor compared_with_number(const Tensor& self, const at::Scalar& other) {
  Tensor boxed = at::native::wrapped_scalar_tensor(other);
  const Promoted promoted(self, boxed);
  Tensor result = kMeta(self, boxed);
  boxed.reset();
  return result;
}
template <OfTwo kMeta>
void register_comparison(torch::Library& library, const std::string& name) {
  library.impl((name + ".Tensor").c_str(), promoted<kMeta>);
  library.impl((name + ".Scalar").c_str(), compared_with_number<kMeta>);
}

// LibTorch has no kernel for two truths without data.
Tensor both(const Tensor& self, const Tensor& other) {
  if (self.scalar_type() == at::kBool && takes_the_place_of(self)) return self;
  return at::meta::eq(self, other);
}
Tensor& both_in_place(Tensor& self, const Tensor&) {
  return self;
}
Tensor negated(const Tensor& self) {
  return at::empty_like(self, self.options().dtype(at::kBool));
}

// On cpu a large sum to one number is made in two passes, by a buffer of one number a thread.
// (ATen/native/TensorIteratorReduce.cpp, parallel_reduce.)
void sum_on_cpu(const Tensor& self, const Tensor& result) {
  const int threads = at::get_num_threads();
  if (result.numel() != 1 || self.numel() < at::internal::GRAIN_SIZE || threads == 1) return;
  const Tensor buffer = at::empty({threads}, result.options());
}

// True if the summed dimensions lie behind each other in memory, as one.
bool are_one(const Tensor& self, at::OptionalIntArrayRef dims) {
  std::vector<std::int64_t> summed;
  for (std::int64_t dim = 0; dim < self.dim(); ++dim) {
    const auto is_dim = [&](std::int64_t one) {
      return c10::maybe_wrap_dim(one, self.dim()) == dim;
    };
    const bool all = !dims || dims->empty();
    if (self.size(dim) > 1 && (all || std::ranges::any_of(*dims, is_dim))) summed.push_back(dim);
  }
  std::ranges::sort(summed, {}, [&](std::int64_t dim) { return self.stride(dim); });
  for (std::size_t i = 1; i < summed.size(); ++i) {
    const std::int64_t inner = summed[i - 1];
    if (self.stride(summed[i]) != self.stride(inner) * self.size(inner)) return false;
  }
  return true;
}

// On cuda a sum in another type is one of a copy, too, unless it is a sum of 16 bits in 32.
void reduce_on_cuda(const Tensor& self, at::OptionalIntArrayRef dims, at::ScalarType type) {
  if (DryRecording::follows_cpu()) return;
  const bool widens = at::isReducedFloatingType(self.scalar_type()) && type == at::kFloat;
  const Tensor summed = self.scalar_type() == type || widens ? self : self.to(type);
  const auto bytes = [](at::ScalarType of) {
    return static_cast<std::int64_t>(c10::elementSize(of));
  };
  take_reduction_scratch(summed, dims, bytes(at::toOpMathType(summed.scalar_type())), bytes(type));
}

// On cpu a sum in another type is one of a copy, and so is one of 16 bits over dimensions that are
// not one. (ATen/native/ReduceOps.cpp, should_use_acc_buffer.)
Tensor sum(const Tensor& self, at::OptionalIntArrayRef dims, bool keepdim,
           std::optional<at::ScalarType> dtype) {
  Tensor result = at::meta::sum(self, dims, keepdim, dtype);
  reduce_on_cuda(self, dims, result.scalar_type());
  if (!DryRecording::follows_cpu()) return result;
  if (self.scalar_type() != result.scalar_type()) {
    sum_on_cpu(self.to(result.scalar_type()), result);
  } else if (at::isReducedFloatingType(self.scalar_type()) && !are_one(self, dims)) {
    const Tensor wide = at::empty(result.sizes(), result.options().dtype(at::kFloat));
    sum_on_cpu(self.to(at::kFloat), wide);
  } else {
    sum_on_cpu(self, result);
  }
  return result;
}

Tensor vector_norm(const Tensor& self, const at::Scalar& order, at::OptionalIntArrayRef dims,
                   bool keepdim, std::optional<at::ScalarType> dtype) {
  Tensor result = at::meta::linalg_vector_norm(self, order, dims, keepdim, dtype);
  reduce_on_cuda(self, dims, result.scalar_type());
  return result;
}
// On cuda norms of many tensors are made together, from a number for each part of 65,536 of the
// longest. (ATen/native/cuda/ForeachReduceOp.cu, foreach_tensor_norm_cuda.)
std::vector<Tensor> foreach_norm(at::TensorList tensors, const at::Scalar& order,
                                 std::optional<at::ScalarType> dtype) {
  std::vector<Tensor> norms;
  const double power = order.toDouble();
  const bool known = power == 1 || power == 2 || std::isinf(power);
  const bool together = known && std::ranges::all_of(tensors, [&](const Tensor& one) {
                          return one.numel() > 0 && one.is_non_overlapping_and_dense() &&
                                 at::isFloatingType(one.scalar_type()) &&
                                 one.scalar_type() == tensors.front().scalar_type();
                        });
  if (DryRecording::follows_cpu() || !together) {
    for (const Tensor& one : tensors)
      norms.push_back(at::linalg_vector_norm(one, order, {}, false, dtype));
    return norms;
  }
  constexpr std::int64_t kPart = 65536;
  std::int64_t most = 0;
  for (const Tensor& one : tensors) most = std::max(most, (one.numel() + kPart - 1) / kPart);
  const auto options = tensors.front().options();
  const at::ScalarType made = dtype.value_or(tensors.front().scalar_type());
  const Tensor parts = at::zeros({static_cast<std::int64_t>(tensors.size()) * most},
                                 options.dtype(at::toOpMathType(tensors.front().scalar_type())));
  for (std::size_t i = 0; i < tensors.size(); ++i)
    norms.push_back(at::empty({}, options.dtype(made)));
  return norms;
}
template <Tensor (*kMeta)(const Tensor&, at::IntArrayRef, bool)>
Tensor extreme(const Tensor& self, at::IntArrayRef dims, bool keepdim) {
  Tensor result = kMeta(self, dims, keepdim);
  reduce_on_cuda(self, dims, result.scalar_type());
  return result;
}

// On cpu the mean is a sum, divided; a narrow type is summed in fp32, from a copy.
void mean_on_cpu(const Tensor& self, const Tensor& result) {
  const bool narrow = at::isReducedFloatingType(result.scalar_type());
  Tensor total = narrow ? result.to(at::kFloat) : result;
  {
    const Tensor wide = narrow ? self.to(at::kFloat) : self;
    RECORD_FUNCTION("aten::sum", c10::ArrayRef<const c10::IValue>{});
    sum_on_cpu(self, total);
  }
  total.div_(self.numel() / std::max<std::int64_t>(1, result.numel()));
}

Tensor mean(const Tensor& self, at::OptionalIntArrayRef dims, bool keepdim,
            std::optional<at::ScalarType> dtype) {
  Tensor result = at::meta::mean(self, dims, keepdim, dtype);
  reduce_on_cuda(self, dims, result.scalar_type());
  if (DryRecording::follows_cpu()) mean_on_cpu(self, result);
  return result;
}

void reduce_losses_on_cpu(const Tensor& losses, const Tensor& result, std::int64_t reduction) {
  if (reduction == at::Reduction::Mean) return mean_on_cpu(losses, result);
  RECORD_FUNCTION("aten::sum", c10::ArrayRef<const c10::IValue>{});
  sum_on_cpu(losses, result);
}

// On cpu the squares are a block of their own.
Tensor mse_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  Tensor result = at::meta::mse_loss(self, target, reduction);
  if (!DryRecording::follows_cpu() || reduction == at::Reduction::None) return result;
  reduce_losses_on_cpu(at::empty_like(self), result, reduction);
  return result;
}

// The losses are a block of their own on every device. (ATen/native/BinaryOps.cpp,
// smooth_l1_loss_out.)
Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, std::int64_t reduction,
                      double beta) {
  Tensor result = at::meta::smooth_l1_loss(self, target, reduction, beta);
  if (reduction == at::Reduction::None) return result;
  const Tensor losses = at::empty_like(self);
  reduce_on_cuda(losses, std::nullopt, losses.scalar_type());
  if (DryRecording::follows_cpu()) reduce_losses_on_cpu(losses, result, reduction);
  return result;
}

// On cpu the base is boxed and promoted inside the operator.
Tensor pow_scalar(const at::Scalar& base, const Tensor& exponent) {
  Tensor result = at::meta::pow(base, exponent);
  if (DryRecording::follows_cpu()) {
    const Tensor boxed = c10::scalar_to_tensor(base);
    const Tensor promoted = boxed.to(result.scalar_type());
  }
  return result;
}

// On cpu a large matrix is turned by a square of 60 x 60. (ATen/native/Copy.cpp,
// copy_transpose_valid.)
Tensor& copy_(Tensor& self, const Tensor& from, bool non_blocking) {
  constexpr std::int64_t kSide = 60;
  const bool turned = self.dim() == 2 && self.is_contiguous() && from.sizes() == self.sizes() &&
                      from.stride(0) == 1 && from.stride(1) == from.size(0);
  if (DryRecording::follows_cpu() && turned && self.scalar_type() == from.scalar_type() &&
      self.numel() >= kSide * kSide) {
    const Tensor square = at::empty({kSide, kSide}, self.options());
  }
  return at::native::copy_(self, from, non_blocking);
}

}  // namespace

void register_meta_arithmetic(torch::Library& library) {
  library.impl("copy_", copy_);
  library.impl("mul.Tensor", promoted<at::meta::mul>);
  library.impl("mul_.Tensor", mul_);
  library.impl("mul.out", mul_out);
  library.impl("div.Tensor", div);
  library.impl("div_.Tensor", div_);
  library.impl("add.Tensor", add);
  library.impl("add_.Tensor", scaled_in_place<at::meta::add_>);
  library.impl("sub.Tensor", sub);
  library.impl("sub_.Tensor", scaled_in_place<at::meta::sub_>);
  library.impl("maximum", promoted<at::meta::maximum>);
  library.impl("remainder.Tensor", promoted<at::meta::remainder>);
  library.impl("fmod.Tensor", promoted<at::meta::fmod>);
  for (const char* const name : {"logical_and", "logical_or", "logical_xor"}) {
    library.impl(name, both);
    library.impl((std::string(name) + "_").c_str(), both_in_place);
  }
  library.impl("logical_not", negated);
  register_comparison<at::meta::eq>(library, "eq");
  register_comparison<at::meta::ne>(library, "ne");
  register_comparison<at::meta::lt>(library, "lt");
  register_comparison<at::meta::le>(library, "le");
  register_comparison<at::meta::gt>(library, "gt");
  register_comparison<at::meta::ge>(library, "ge");
  library.impl("sum.dim_IntList", sum);
  library.impl("mean.dim", mean);
  library.impl("linalg_vector_norm", vector_norm);
  library.impl("_foreach_norm.Scalar", foreach_norm);
  library.impl("amax", extreme<at::meta::amax>);
  library.impl("amin", extreme<at::meta::amin>);
  library.impl("pow.Scalar", pow_scalar);
  library.impl("pow.Tensor_Tensor", promoted<at::meta::pow>);
  library.impl("scatter.src", scattered<at::meta::scatter, kScatter>);
  library.impl("scatter_add", scattered<at::meta::scatter_add, kScatterAdd>);
  library.impl("gather", gather);
  library.impl("index_put", index_put);
  library.impl("cumsum", cumsum);
  library.impl("mse_loss", mse_loss);
  library.impl("smooth_l1_loss", smooth_l1_loss);
}

}  // namespace ts::kernels
