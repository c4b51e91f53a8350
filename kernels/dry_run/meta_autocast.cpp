#include "kernels/dry_run/meta_autocast.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;

// Meta tensors have no dispatch key for autocast. This key, of a device that LibTorch has no
// kernels for, is enabled for the thread while its dry run is inside an autocast.
constexpr c10::DispatchKey kKey = c10::DispatchKey::AutocastIPU;

struct State {
  std::optional<at::ScalarType> type;
  // Casts in the order of creation, so that all layers of a model free them alike; and the index of
  // the cast of each weight. LibTorch's casts are not ordered.
  std::vector<std::pair<Tensor, Tensor>> casts;
  std::unordered_map<at::TensorImpl*, std::size_t> place;
};
thread_local State state;

enum class Policy {
  none,       // not on this device's list
  lower,      // in the 16-bit type
  fp32,       // in fp32
  fp32_type,  // asked for a result in fp32, unless a type was asked for
  promote,    // in the widest type among its tensors
};

bool eligible(const Tensor& tensor) {
  return tensor.defined() && tensor.is_meta() && tensor.is_floating_point() &&
         tensor.scalar_type() != at::kDouble;
}

Tensor cast(const Tensor& tensor, at::ScalarType type) {
  if (!eligible(tensor) || tensor.scalar_type() == type) return tensor;
  const bool weight = type == state.type && tensor.scalar_type() == at::kFloat &&
                      tensor.requires_grad() && tensor.is_leaf() && !tensor.is_view();
  if (!weight) return tensor.to(type);
  at::TensorImpl* const key = tensor.unsafeGetTensorImpl();
  if (const auto found = state.place.find(key); found != state.place.end()) {
    return state.casts[found->second].second;
  }
  Tensor result = tensor.to(type);
  state.place.emplace(key, state.casts.size());
  state.casts.emplace_back(tensor, result);
  return result;
}

// From last to first, as LibTorch's compiler evaluates the casts of a call.
template <class Change>
void change_tensors(at::ArrayRef<c10::IValue> arguments, const Change& change) {
  for (std::size_t i = arguments.size(); i-- > 0;) {
    auto& value = const_cast<c10::IValue&>(arguments[i]);  // the stack is ours to change
    if (value.isTensor()) {
      value = change(value.toTensor());
    } else if (value.isTensorList()) {
      std::vector<Tensor> tensors = value.toTensorVector();
      for (Tensor& tensor : tensors) tensor = change(tensor);
      value = tensors;
    }
  }
}

at::ScalarType widest(at::ArrayRef<c10::IValue> arguments) {
  at::ScalarType type = *state.type;
  change_tensors(arguments, [&](const Tensor& tensor) {
    if (eligible(tensor) && tensor.scalar_type() == at::kFloat) type = at::kFloat;
    return tensor;
  });
  return type;
}

void ask_for_fp32(const c10::FunctionSchema& schema, at::ArrayRef<c10::IValue> arguments) {
  if (!arguments.front().isTensor() || !eligible(arguments.front().toTensor())) return;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (schema.arguments()[i].name() != "dtype" || !arguments[i].isNone()) continue;
    const_cast<c10::IValue&>(arguments[i]) = static_cast<std::int64_t>(at::kFloat);
  }
}

template <Policy cpu, Policy cuda>
void run_cast(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const Policy policy = DryRecording::follows_cuda() ? cuda : cpu;
  if (policy == Policy::none) {
    // The operators that it is made of may be on the list: cross_entropy_loss has nll_loss.
    op.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kKey), stack);
    return;
  }
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(kKey);
  const auto arguments = torch::jit::last(*stack, op.schema().arguments().size());
  const auto cast_all = [&](at::ScalarType type) {
    change_tensors(arguments, [type](const Tensor& tensor) { return cast(tensor, type); });
  };
  switch (policy) {
    case Policy::none:
      break;
    case Policy::lower:
      cast_all(*state.type);
      break;
    case Policy::fp32:
      cast_all(at::kFloat);
      break;
    case Policy::fp32_type:
      ask_for_fp32(op.schema(), arguments);
      break;
    case Policy::promote:
      cast_all(widest(arguments));
      break;
  }
  op.callBoxed(stack);
}

template <Policy cpu, Policy cuda>
void add_casts(torch::Library& library, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    library.impl(name, torch::CppFunction::makeFromBoxedFunction<&run_cast<cpu, cuda>>());
  }
}

}  // namespace

std::optional<at::ScalarType> meta_autocast_type() {
  return state.type;
}

void set_meta_autocast_type(std::optional<at::ScalarType> type) {
  state.type = type;
  c10::impl::tls_set_dispatch_key_included(kKey, type.has_value());
  c10::impl::tls_set_dispatch_key_excluded(kKey, !type.has_value());
}

void clear_meta_autocast_cache() {
  state.place.clear();
  state.casts.clear();
}

at::Tensor meta_autocast(const at::Tensor& tensor) {
  return state.type ? cast(tensor, *state.type) : tensor;
}

NoMetaAutocast::NoMetaAutocast() : excluded_before_(c10::impl::tls_is_dispatch_key_excluded(kKey)) {
  c10::impl::tls_set_dispatch_key_excluded(kKey, true);
}

NoMetaAutocast::~NoMetaAutocast() {
  c10::impl::tls_set_dispatch_key_excluded(kKey, excluded_before_);
}

// The operators that workloads use, and related ones.
void register_meta_autocast() {
  static const auto* const libraries = [] {
    auto* const made =
        new std::pair(torch::Library(torch::Library::IMPL, "_", kKey, __FILE__, __LINE__),
                      torch::Library(torch::Library::IMPL, "aten", kKey, __FILE__, __LINE__));
    made->first.fallback(torch::CppFunction::makeFallthrough());
    torch::Library& aten = made->second;
    add_casts<Policy::lower, Policy::lower>(
        aten,
        {"addmm", "addbmm", "baddbmm", "bmm", "conv1d", "conv1d.padding", "conv2d",
         "conv2d.padding", "conv3d", "conv3d.padding", "conv_transpose1d", "conv_transpose2d.input",
         "conv_transpose3d.input", "linalg_vecdot", "linear", "matmul", "mm", "prelu"});
    add_casts<Policy::none, Policy::lower>(aten, {"addmv", "addr", "mv"});
    add_casts<Policy::fp32, Policy::fp32>(
        aten, {"huber_loss", "l1_loss", "mse_loss", "nll_loss", "nll_loss2d", "smooth_l1_loss"});
    add_casts<Policy::fp32, Policy::none>(aten, {"cross_entropy_loss"});
    add_casts<Policy::none, Policy::fp32>(
        aten,
        {"binary_cross_entropy_with_logits", "exp", "expm1", "group_norm", "kl_div", "layer_norm",
         "log10", "log1p", "log2", "log", "logsumexp", "native_layer_norm", "pow.Scalar",
         "pow.Tensor_Scalar", "pow.Tensor_Tensor", "reciprocal", "rsqrt", "softplus"});
    add_casts<Policy::none, Policy::fp32_type>(
        aten, {"cumsum", "linalg_vector_norm", "log_softmax.int", "prod.dim_int", "softmax.int",
               "sum", "sum.dim_IntList"});
    add_casts<Policy::promote, Policy::none>(aten, {"cat", "stack"});
    add_casts<Policy::none, Policy::promote>(aten, {"addcdiv", "addcmul", "dot", "scatter_add"});
    return made;
  }();
  static_cast<void>(libraries);
}

}  // namespace ts::kernels
