#include "kernels/ranks/data_parallel.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <limits>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/csrc/distributed/c10d/default_comm_hooks.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "core/text/message.h"
#include "kernels/observe/failure.h"
#include "kernels/ranks/power_sgd.h"
#include "kernels/ranks/rank_handles.h"

namespace ts::kernels {
namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

constexpr std::size_t kBroadcastBytes = std::size_t{250} << 20;  // as PyTorch's

// Gradients travel as bf16, as with torch.distributed's bf16_compress_hook: rounded, divided by the
// number of ranks, summed in bf16, widened into the bucket.
class Bf16Hook final : public c10d::CppCommHookInterface<Group> {
 public:
  explicit Bf16Hook(const Group& group) : CppCommHookInterface(group) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    const at::Tensor whole = bucket.getBuffer();
    std::vector<at::Tensor> halves = {whole.to(at::kBFloat16)};
    halves.front().div_(state_->getSize());
    const auto summed = state_->allreduce(halves)->getFuture();
    return summed->then(
        [whole](c10::ivalue::Future& done) {
          whole.copy_(done.value().toTensorVector().front());
          return c10::IValue(whole);
        },
        c10::TensorType::get());
  }
};

std::int64_t bytes_of(double mib) {
  return static_cast<std::int64_t>(mib * 1024 * 1024);
}

}  // namespace

struct DataParallel::Parts {
  std::unique_ptr<c10d::Reducer> reducer;
  std::shared_ptr<const PowerSgd::State> power_sgd;  // null: another compression
};

DataParallel::DataParallel(RankGroup& group, const std::vector<Parameter>& parameters)
    : group_(group), parts_(std::make_unique<Parts>()) {
  if (parameters.empty()) throw BadInput(text::message("data_parallel.no_parameters"));
  const Group& ranks = group.handles().group;
  const run::World& world = group.world();
  // All are broadcast, frozen ones too; gradients are those of the trained ones.
  std::vector<at::Tensor> tensors, values;
  std::unordered_map<std::size_t, std::string> names;
  for (const Parameter& one : parameters) {
    values.push_back(one.tensor.detach());
    if (!one.tensor.requires_grad()) continue;
    names.emplace(tensors.size(), one.name);
    tensors.push_back(one.tensor);
  }
  c10d::verify_params_across_processes(ranks, tensors, std::nullopt);
  group.settle();  // lets go of the shapes
  {
    const at::NoGradGuard no_grad;
    c10d::broadcast_coalesced(ranks, values, kBroadcastBytes, 0);
  }
  group.settle();
  const std::vector<bool> sparse(tensors.size(), false);
  auto [indices, limits] = c10d::compute_bucket_assignment_by_size(
      tensors, {std::numeric_limits<std::int64_t>::max()}, sparse);
  std::reverse(indices.begin(), indices.end());
  parts_->reducer = std::make_unique<c10d::Reducer>(
      tensors, std::move(indices), ranks, sparse, bytes_of(world.bucket_mib),
      /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/false, std::move(names),
      bytes_of(world.first_bucket_mib), /*skip_all_reduce_unused_params=*/false,
      /*use_python_reducer=*/false, std::vector<std::int64_t>());
  if (world.compression == run::Compression::bf16) {
    parts_->reducer->register_comm_hook(std::make_unique<Bf16Hook>(ranks));
  } else if (world.compression == run::Compression::fp16) {
    parts_->reducer->register_builtin_comm_hook(c10d::BuiltinCommHookType::FP16_COMPRESS);
  } else if (world.compression == run::Compression::powersgd) {
    auto hook = std::make_unique<PowerSgd>(ranks, world.factor_rank);
    parts_->power_sgd = hook->state();
    parts_->reducer->register_comm_hook(std::move(hook));
  }
}

DataParallel::~DataParallel() = default;

bool DataParallel::before_forward(bool exchanges) {
  if (exchanges) parts_->reducer->prepare_for_forward();
  const bool rebuilt = parts_->reducer->rebuild_buckets();
  if (rebuilt) group_.settle();
  return rebuilt;
}

void DataParallel::before_backward(bool exchanges) {
  if (exchanges) parts_->reducer->prepare_for_backward({});
}

std::vector<at::Tensor> DataParallel::buckets() const {
  std::vector<at::Tensor> tensors;
  for (const c10d::GradBucket& bucket : parts_->reducer->get_grad_buckets(false)) {
    tensors.push_back(bucket.getBuffer());
  }
  return tensors;
}

std::vector<at::Tensor> DataParallel::kept() const {
  return parts_->power_sgd != nullptr ? PowerSgd::kept(*parts_->power_sgd)
                                      : std::vector<at::Tensor>();
}

run::CompressionFacts DataParallel::compression() const {
  return parts_->power_sgd != nullptr ? PowerSgd::facts(*parts_->power_sgd)
                                      : run::CompressionFacts();
}

}  // namespace ts::kernels
