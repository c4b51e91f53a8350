#include "kernels/compiled/compile_step.h"

#include <ATen/ops/sub.h>

#include "core/spec/workload_math.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "kernels/compiled/compiled_workload.h"
#include "kernels/compiled/package.h"
#include "kernels/compiled/package_maker.h"
#include "kernels/compiled/package_store.h"
#include "kernels/compiled/step_values.h"
#include "kernels/device/precision.h"
#include "kernels/device/threads.h"
#include "kernels/observe/cancellation.h"
#include "kernels/observe/failure.h"

namespace ts::kernels {
namespace {

namespace fs = std::filesystem;

// The compared results: the loss and all gradients, or the output.
std::vector<at::Tensor> results_of(Workload& workload, const Builder& builder,
                                   const spec::WorkloadSpec& spec) {
  StepValues values = values_of(workload, builder, spec);
  std::vector<at::Tensor> results = {values.loss.defined() ? values.loss : values.output};
  for (Parameter& gradient : values.gradients) results.push_back(std::move(gradient.tensor));
  return results;
}

// Computed in fp64, so that sums over large tensors are exact enough.
double relative_difference(const at::Tensor& a, const at::Tensor& b) {
  const double size = a.to(at::kDouble).norm().item<double>();
  const double difference = at::sub(a.to(at::kDouble), b.to(at::kDouble)).norm().item<double>();
  return size > 0 ? difference / size : difference;
}

// Inductor adds in another order and rounds less often. The difference is a few units in the last
// place of fp32, summed over the gradients of many layers; 16-bit types have 8 or 11 bits.
double allowed(const spec::WorkloadSpec& spec) {
  return spec::compute_type(spec) == spec::DataType::fp32 ? 1e-4 : 5e-2;
}

run::Outcome<void> compare(const std::vector<at::Tensor>& eager,
                           const std::vector<at::Tensor>& compiled, double tolerance) {
  if (eager.size() != compiled.size()) {
    return tl::unexpected(run::Failure(
        text::message("engine.unlike_gradients", {{"compiled", std::to_string(compiled.size() - 1)},
                                                  {"eager", std::to_string(eager.size() - 1)}})));
  }
  for (std::size_t i = 0; i < eager.size(); ++i) {
    const double difference = relative_difference(eager[i], compiled[i]);
    if (difference <= tolerance) continue;
    return tl::unexpected(
        run::Failure(text::message("engine.unlike_values", {{"difference", text::plain(difference)},
                                                            {"most", text::plain(tolerance)}})));
  }
  return {};
}

// Built without data: the key of a package does not depend on the values of the tensors.
PackageRequest request_for(const spec::WorkloadSpec& spec) {
  Builder shapes(at::kMeta, scalar_type(spec.dtype), spec.seed);
  (void)make_workload(shapes, spec);
  return make_request(spec, shapes);
}

// True if there is a package that may be loaded and loads. One that does not load is damaged.
bool has_package(const fs::path& folder, const PackageRequest& request) {
  if (!check_package(folder)) return false;
  try {
    const CompiledPackage loads(package_file(folder), request.key, request.trains);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

run::Outcome<void> make_and_compare(const spec::WorkloadSpec& spec, const PackageRequest& request,
                                    const fs::path& folder, const base::CancelToken& cancel) {
  const auto work = folder_for_making(folder.parent_path());
  if (!work) return tl::unexpected(run::Failure(work.error()));
  const auto made = make_package(request, work->path(), cancel);
  if (!made) {
    run::Failure failure(made.error());
    if (cancel.cancelled()) failure.verdict = run::Verdict::cancelled;
    return tl::unexpected(std::move(failure));
  }
  Builder builder(at::kCPU, scalar_type(spec.dtype), spec.seed);
  auto eager = make_workload(builder, spec);
  const std::vector<at::Tensor> expected = results_of(*eager, builder, spec);
  {
    const auto compiled =
        make_compiled(std::move(eager), builder, spec, package_file(*made), request.key);
    const auto same = compare(expected, results_of(*compiled, builder, spec), allowed(spec));
    if (!same) return same;
  }
  if (auto kept = keep_package(*made, folder); !kept) {
    return tl::unexpected(run::Failure(kept.error()));
  }
  return {};
}

}  // namespace

run::Outcome<void> compile_step(const spec::WorkloadSpec& spec, std::unique_ptr<Device> device,
                                std::int64_t limit, const base::CancelToken& cancel) {
  try {
    Account account(*device, limit);
    const CancelScope scope(cancel);
    const ThreadsScope threads(spec);
    const PackageRequest request = request_for(spec);
    const auto store = package_store();
    if (!store) return tl::unexpected(run::Failure(store.error()));
    const fs::path folder = package_folder(*store, request);
    if (has_package(folder, request)) return {};
    return make_and_compare(spec, request, folder, cancel);
  } catch (...) {
    return tl::unexpected(current_failure());
  }
}

}  // namespace ts::kernels
