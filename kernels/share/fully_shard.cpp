#include "kernels/share/fully_shard.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <c10/core/Allocator.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/base/check.h"
#include "kernels/dry_run/meta_allocator.h"
#include "kernels/observe/custom_node.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/observe/owner.h"

namespace ts::kernels {
namespace {

thread_local FullyShard* current_sharding = nullptr;

// In a dry run memory allocated while it lives is a collective's. It has the name of PyTorch's own
// trace.
class Collective {
 public:
  explicit Collective(std::string_view name) {
    if (DryRecording* const dry = DryRecording::current(); dry != nullptr)
      frame_.emplace(*dry, name);
  }

 private:
  std::optional<DryRecording::NodeFrame> frame_;
};

// The copy that Gloo makes for a collective on this tensor, in a dry run for the CPU.
void take_copy(const at::Tensor& tensor) {
  if (DryRecording::follows_cpu()) at::empty_like(tensor);
}

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

void set_memory(const at::Tensor& tensor, std::int64_t bytes) {
  c10::Allocator* const allocator = c10::GetAllocator(tensor.device().type());
  tensor.storage().unsafeGetStorageImpl()->set_data_ptr(
      allocator->allocate(static_cast<std::size_t>(bytes)));
}

// The rows of a tensor that belong to a rank, and the rows of its part that they fill.
struct Rows {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};
Rows rows_of_rank(const at::Tensor& whole, std::int64_t rank, std::int64_t of_part) {
  const std::int64_t begin = std::min(rank * of_part, whole.size(0));
  return {begin, std::min(of_part, whole.size(0) - begin)};
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

at::Tensor part_of_rank(const at::Tensor& whole, std::int64_t rank, std::int64_t ranks) {
  at::Tensor part = at::zeros(part_sizes(whole, ranks), whole.options());
  const Rows rows = rows_of_rank(whole, rank, part.size(0));
  part.narrow(0, 0, rows.count).copy_(whole.narrow(0, rows.begin, rows.count));
  return part;
}

FullyShard::FullyShard(const std::vector<Whole>& parameters, const predict::Share& share,
                       std::int64_t together, ShardExchange* exchange)
    : ranks_(share.ranks),
      rank_(std::max<std::int64_t>(share.rank, 0)),
      keeps_(share.shard == predict::Shard::zero2),
      exchange_(exchange) {
  const at::NoGradGuard no_grad;
  for (const Whole& one : parameters) {
    const std::size_t unit = unit_of(one.name, together);
    if (units_.size() <= unit) units_.resize(unit + 1);
    at::Tensor part = one.part.defined()
                          ? one.part
                          : at::zeros(part_sizes(one.tensor, ranks_), one.tensor.options());
    own_block(part, memory::Category::parameter, one.name);
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
  take_copy(unit.gathered);
  if (exchange_ == nullptr) return;
  const at::Tensor mine = unit.gathered.narrow(0, rank_ * numbers, numbers);
  std::int64_t offset = 0;
  for (const Sharded& one : unit.parameters) {
    mine.narrow(0, offset, one.numbers).copy_(parts_[one.part].tensor.view(-1));
    offset += one.numbers;
  }
  exchange_->all_gather(unit.gathered, mine);
}

void FullyShard::copy_out(Unit& unit, bool forward) {
  if (!unit.gathered.defined()) return;
  {
    const Collective name("FSDP::all_gather_copy_out");
    std::int64_t offset = 0;
    for (const Sharded& one : unit.parameters) {
      set_memory(one.whole, one.numbers * ranks_ * static_cast<std::int64_t>(one.whole.itemsize()));
      own_block(one.whole, memory::Category::parameter);
      if (exchange_ != nullptr) {
        // Not through the tensor: autograd would count that as a change of it.
        at::from_blob(one.whole.storage().mutable_data(), {ranks_, one.numbers},
                      unit.gathered.options())
            .copy_(unit.gathered.view({ranks_, -1}).narrow(1, offset, one.numbers));
      }
      offset += one.numbers;
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
  for (const Sharded& one : units_.at(unit).parameters) {
    gradients.push_back(std::move(one.whole.mutable_grad()));
    one.whole.mutable_grad().reset();
  }
  drop(units_[unit]);
  // Another rank may have one where this one has none, an expert's: all of them take part.
  const bool any = std::ranges::any_of(gradients, [](const auto& one) { return one.defined(); });
  if (any || (exchange_ != nullptr && !gradients.empty()))
    sum_gradients(units_[unit], std::move(gradients));
}

void FullyShard::sum_gradients(const Unit& unit, std::vector<at::Tensor> gradients) {
  to_scatter_.reset();
  const Collective name("FSDP::post_backward_reduce");
  std::int64_t numbers = 0;
  for (const Sharded& one : unit.parameters) numbers += one.numbers;
  const at::TensorOptions options = unit.parameters.front().whole.options().requires_grad(false);
  to_scatter_ = at::empty({numbers * ranks_}, options);
  if (exchange_ != nullptr) copy_in(unit, gradients, to_scatter_.view({ranks_, numbers}));
  // A loop variable of foreach_reduce() keeps the last one to the end.
  std::erase_if(gradients, [](const auto& one) { return !one.defined(); });
  if (!gradients.empty()) gradients.erase(gradients.begin(), gradients.end() - 1);
  const at::Tensor sum = at::empty({numbers}, options);
  take_copy(to_scatter_);
  if (exchange_ != nullptr) {
    exchange_->reduce_scatter(sum, to_scatter_);
    at::Tensor(sum).div_(ranks_);
  }
  own_block(sum, memory::Category::gradient);
  std::int64_t offset = 0;
  for (const Sharded& one : unit.parameters) {
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

// Row r of `to`: the gradients of rank r's parts, one behind the other; zeros where there is none.
void FullyShard::copy_in(const Unit& unit, const std::vector<at::Tensor>& gradients,
                         const at::Tensor& to) const {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const Sharded& one = unit.parameters[i];
    const at::Tensor& part = parts_[one.part].tensor;
    for (std::int64_t rank = 0; rank < ranks_; ++rank) {
      const at::Tensor place = to[rank].narrow(0, offset, one.numbers).view(part.sizes());
      if (!gradients[i].defined()) {
        place.zero_();
        continue;
      }
      const Rows rows = rows_of_rank(gradients[i], rank, part.size(0));
      place.narrow(0, 0, rows.count).copy_(gradients[i].narrow(0, rows.begin, rows.count));
      place.narrow(0, rows.count, part.size(0) - rows.count).zero_();
    }
    offset += one.numbers;
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
