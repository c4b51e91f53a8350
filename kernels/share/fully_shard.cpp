#include "kernels/share/fully_shard.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/Allocator.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/base/check.h"
#include "kernels/dry_run/meta_allocator.h"
#include "kernels/observe/custom_node.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

thread_local FullyShard* current_sharding = nullptr;

// Memory allocated while it lives is a collective's. It has the name of PyTorch's own trace.
class Collective {
 public:
  explicit Collective(std::string_view name) : frame_(*DryRecording::current(), name) {}

 private:
  DryRecording::NodeFrame frame_;
};

std::size_t unit_of(std::string_view name, std::int64_t together) {
  constexpr std::string_view kBlocks = "blocks.";
  if (!name.starts_with(kBlocks)) return FullyShard::kRoot;
  std::int64_t block = 0;
  std::from_chars(name.data() + kBlocks.size(), name.data() + name.size(), block);
  return static_cast<std::size_t>(1 + block / together);
}

std::vector<std::int64_t> part_sizes(const at::Tensor& whole, std::int64_t ranks) {
  std::vector<std::int64_t> sizes = whole.sizes().vec();
  sizes.front() = (sizes.front() + ranks - 1) / ranks;
  return sizes;
}

void own(const at::Tensor& tensor, memory::Category category, std::string_view name = {}) {
  DryRecording::current()->owner(block_number(tensor.storage().data_ptr()), category, name);
}

void set_memory(const at::Tensor& tensor, std::int64_t bytes) {
  c10::Allocator* const allocator = c10::GetAllocator(c10::kMeta);
  tensor.storage().unsafeGetStorageImpl()->set_data_ptr(
      allocator->allocate(static_cast<std::size_t>(bytes)));
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The identity. Its backward is where a unit's backward begins or ends.
class UnitEdge : public torch::autograd::Function<UnitEdge> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, std::int64_t unit,
                            bool enters) {
    context->saved_data["unit"] = unit;
    context->saved_data["enters"] = enters;
    // Not x itself: what a function returns as it got it must not be written into later.
    return x.detach();
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    FullyShard* const sharded = FullyShard::current();
    TS_CHECK(sharded != nullptr);
    const auto unit = static_cast<std::size_t>(context->saved_data["unit"].toInt());
    if (context->saved_data["enters"].toBool()) {
      sharded->after_backward(unit);
    } else {
      sharded->before_backward(unit);
    }
    return {gradients[0], {}, {}};
  }
};

at::Tensor edge(const at::Tensor& x, std::size_t unit, bool enters) {
  if (!at::GradMode::is_enabled() || !x.requires_grad()) return x;
  note_custom_node();
  return UnitEdge::apply(x, static_cast<std::int64_t>(unit), enters);
}

}  // namespace

FullyShard::FullyShard(const std::vector<Whole>& parameters, const predict::Share& share,
                       std::int64_t together)
    : ranks_(share.ranks), keeps_(share.shard == predict::Shard::zero2) {
  const at::NoGradGuard no_grad;
  for (const Whole& one : parameters) {
    const std::size_t unit = unit_of(one.name, together);
    if (units_.size() <= unit) units_.resize(unit + 1);
    at::Tensor part = at::zeros(part_sizes(one.tensor, ranks_), one.tensor.options());
    own(part, memory::Category::parameter, one.name);
    units_[unit].parameters.push_back({one.tensor, parts_.size(), part.numel()});
    parts_.push_back({one.name, std::move(part)});
  }
  if (units_.empty()) units_.emplace_back();
}

void FullyShard::gather(Unit& unit) {
  if (unit.present || unit.gathered.defined() || unit.parameters.empty()) return;
  const Collective name("FSDP::all_gather");
  std::int64_t numbers = 0;
  for (const Sharded& one : unit.parameters) numbers += one.numbers;
  unit.gathered =
      at::empty({numbers * ranks_}, unit.parameters.front().whole.options().requires_grad(false));
}

void FullyShard::copy_out(Unit& unit, bool forward) {
  if (!unit.gathered.defined()) return;
  {
    const Collective name("FSDP::all_gather_copy_out");
    for (const Sharded& one : unit.parameters) {
      set_memory(one.whole, one.numbers * ranks_ * static_cast<std::int64_t>(one.whole.itemsize()));
      own(one.whole, memory::Category::parameter);
    }
  }
  unit.present = true;
  if (forward) last_gathered_ = unit.gathered;
  unit.gathered.reset();
}

void FullyShard::drop(Unit& unit) {
  if (!unit.present) return;
  for (const Sharded& one : unit.parameters) set_memory(one.whole, 0);
  unit.present = false;
}

void FullyShard::before_forward(std::size_t unit) {
  const at::NoGradGuard no_grad;
  gather(units_.at(unit));
  copy_out(units_[unit], /*forward=*/true);
}

void FullyShard::after_forward(std::size_t unit) {
  if (unit == kRoot) {
    last_gathered_.reset();
  } else if (!keeps_) {
    drop(units_.at(unit));
  }
}

void FullyShard::before_backward(std::size_t unit) {
  const at::NoGradGuard no_grad;
  gather(units_.at(unit));
  copy_out(units_[unit], /*forward=*/false);
  // The root is left last, so the unit before it is the last block's.
  const std::size_t next = unit == kRoot ? units_.size() - 1 : unit - 1;
  if (next != kRoot) gather(units_[next]);
}

void FullyShard::after_backward(std::size_t unit) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  std::int64_t numbers = 0;
  for (const Sharded& one : units_.at(unit).parameters) {
    at::Tensor& gradient = one.whole.mutable_grad();
    if (!gradient.defined()) continue;
    gradients.push_back(std::move(gradient));
    gradient.reset();
    numbers += one.numbers;
  }
  drop(units_[unit]);
  if (gradients.empty()) return;
  to_scatter_.reset();
  const Collective name("FSDP::post_backward_reduce");
  const at::TensorOptions options = gradients.front().options();
  to_scatter_ = at::empty({numbers * ranks_}, options);
  // A loop variable of foreach_reduce() keeps the last one to the end.
  gradients.erase(gradients.begin(), gradients.end() - 1);
  const at::Tensor sum = at::empty({numbers}, options);
  own(sum, memory::Category::gradient);
  std::int64_t offset = 0;
  for (const Sharded& one : units_[unit].parameters) {
    const at::Tensor& part = parts_[one.part].tensor;
    const at::Tensor mine = sum.narrow(0, offset, one.numbers).view(part.sizes());
    offset += one.numbers;
    if (at::Tensor& gradient = part.mutable_grad(); gradient.defined()) {
      gradient.add_(mine);
    } else {
      gradient = mine;
    }
  }
}

void FullyShard::end_backward() {
  after_backward(kRoot);
  to_scatter_.reset();
}

FullyShard* FullyShard::current() noexcept {
  return current_sharding;
}

FullyShard::Scope::Scope(FullyShard* sharded) : outer_(current_sharding) {
  current_sharding = sharded;
}

FullyShard::Scope::~Scope() {
  current_sharding = outer_;
}

at::Tensor enter_unit(at::Tensor x, std::size_t unit) {
  FullyShard* const sharded = FullyShard::current();
  if (sharded == nullptr) return x;
  sharded->before_forward(unit);
  return edge(x, unit, /*enters=*/true);
}

at::Tensor leave_unit(at::Tensor x, std::size_t unit) {
  FullyShard* const sharded = FullyShard::current();
  if (sharded == nullptr) return x;
  sharded->after_forward(unit);
  return edge(x, unit, /*enters=*/false);
}

}  // namespace ts::kernels
