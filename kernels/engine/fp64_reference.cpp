#include "kernels/engine/fp64_reference.h"

#include <ATen/ops/abs.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/sub.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/check.h"
#include "core/spec/masking.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "kernels/compiled/compiled_workload.h"
#include "kernels/compiled/package_request.h"
#include "kernels/compiled/package_store.h"
#include "kernels/compiled/step_values.h"
#include "kernels/device/precision.h"
#include "kernels/device/threads.h"
#include "kernels/observe/cancellation.h"
#include "kernels/observe/failure.h"

namespace ts::kernels {
namespace {

// The error of a gradient below this part of the largest one counts as a part of the largest one:
// it is 0 but for rounding, as that of the bias of keys, or what is left of larger terms, as that
// of the input of a norm.
constexpr double kSmall = 1e-4;

// The same mathematics by plain operators.
spec::WorkloadSpec plain(spec::WorkloadSpec spec) {
  spec.autocast = spec::Autocast::off;
  spec.backend = spec::AttentionBackend::naive;
  spec.compile = spec::Compile::eager;
  spec.kernels = spec::Kernels::torch;
  spec.rope_fp32 = false;
  return spec;
}

at::ScalarType type_of_parameters(const spec::WorkloadSpec& spec) {
  // A workload that sets the types itself starts from fp32.
  const bool typed = spec::field_applies(spec, spec::Field::dtype);
  return scalar_type(typed ? spec.dtype : spec::DataType::fp32);
}

// True if forward() of this step does not end with what it does by plain operators: the loss is
// part of it, or the projection to logits is part of the loss.
bool has_other_output(const spec::WorkloadSpec& spec) {
  if (!spec::has_backward(spec.pass)) return false;
  return spec::compiles_step(spec) ||
         (spec::uses_own_kernels(spec) && spec::traits_of(spec.workload).has_vocabulary);
}

std::unique_ptr<Workload> make_as_set(Builder& builder, const spec::WorkloadSpec& spec) {
  auto workload = make_workload(builder, spec);
  if (!spec::compiles_step(spec)) return workload;
  const PackageRequest request = make_request(spec, builder);
  const auto store = package_store();
  if (!store) throw BadInput(store.error());
  const auto folder = package_folder(*store, request);
  return make_compiled(std::move(workload), builder, spec, package_file(folder), request.key);
}

bool finite(const StepValues& values) {
  return std::ranges::all_of(values.gradients, [](const Parameter& one) {
    return at::isfinite(one.tensor).all().item<bool>();
  });
}

StepValues values_as_set(const spec::WorkloadSpec& spec, at::Device device) {
  std::optional<Float32Scope> products;
  if (device.is_cuda()) products.emplace(spec.dtype);
  Builder builder(device, type_of_parameters(spec), spec.seed);
  const auto workload = make_as_set(builder, spec);
  workload->next_batch();
  double scale = spec::scales_loss(spec) ? static_cast<double>(spec.init_scale) : 1;
  while (true) {
    check_cancelled();
    StepValues values = values_of(*workload, builder, spec, scale);
    if (scale <= 1 || finite(values)) return values;
    scale /= 2;
  }
}

StepValues values_in_fp64(const spec::WorkloadSpec& spec, at::Device device) {
  Builder builder = Builder::in_fp64(device, type_of_parameters(spec), spec.seed);
  const spec::WorkloadSpec reference = plain(spec);
  const auto workload = make_workload(builder, reference);
  workload->next_batch();
  return values_of(*workload, builder, reference);
}

double largest(const at::Tensor& tensor) {
  return tensor.numel() == 0 ? 0 : at::abs(tensor).max().item<double>();
}

double largest_difference(const at::Tensor& values, const at::Tensor& exact) {
  const double found = largest(at::sub(values.to(at::kDouble), exact));
  return std::isfinite(found) ? found : std::numeric_limits<double>::quiet_NaN();
}

double share(double difference, double size) {
  return size > 0 ? difference / size : difference;
}

// The larger one; not finite if one of them is not.
void raise(double& most, double other) {
  if (!(other <= most)) most = other;
}

run::ValueErrors errors_of(const StepValues& values, const StepValues& exact, bool other_output) {
  run::ValueErrors errors;
  const auto add = [&](const at::Tensor& one, const at::Tensor& of) {
    raise(errors.values, share(largest_difference(one, of), largest(of)));
  };
  if (!other_output) add(values.output, exact.output);
  if (!exact.loss.defined()) return errors;
  add(values.loss, exact.loss);
  std::vector<double> sizes;
  for (const Parameter& one : exact.gradients) sizes.push_back(largest(one.tensor));
  const double of_all = sizes.empty() ? 0 : *std::ranges::max_element(sizes);
  TS_CHECK(values.gradients.size() == sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double size = sizes[i] > kSmall * of_all ? sizes[i] : of_all;
    const double error =
        share(largest_difference(values.gradients[i].tensor, exact.gradients[i].tensor), size);
    if (errors.gradients && error <= *errors.gradients) continue;
    if (errors.gradients && std::isnan(*errors.gradients)) continue;
    errors.gradients = error;
    errors.worst_gradient = values.gradients[i].name;
  }
  return errors;
}

}  // namespace

const char* why_no_reference(const spec::WorkloadSpec& spec) {
  const spec::DataType type = spec::compute_type(spec);
  const bool half = type == spec::DataType::fp16 || type == spec::DataType::bf16;
  if (spec.pass == spec::Pass::generate) return "no_reference.generate";
  if (spec.workload == spec::WorkloadKind::own_model) return "no_reference.own_model";
  if (*spec::traits_of(spec.workload).curves.x != '\0') return "no_reference.numbers";
  if (spec::dropping(spec).any()) return "no_reference.dropout";
  if (half && spec::experts(spec).any()) return "no_reference.experts";
  return nullptr;
}

run::Outcome<run::ValueErrors> compare_with_fp64(const spec::WorkloadSpec& spec, Device& device,
                                                 std::int64_t limit,
                                                 const base::CancelToken& cancel) {
  try {
    Account account(device, limit);
    const CancelScope scope(cancel);
    const ThreadsScope threads(spec);
    const at::Device place = device.torch_device();
    const StepValues values = values_as_set(spec, place);
    const StepValues exact = values_in_fp64(spec, place);
    return errors_of(values, exact, has_other_output(spec));
  } catch (...) {
    return tl::unexpected(current_failure());
  }
}

}  // namespace ts::kernels
