#include "kernels/engine/repeat_step.h"

#include <algorithm>

namespace ts::kernels {

using memory::Action;
using memory::Record;

DryRunSteps::DryRunSteps(TorchExecution& execution, DryRecording& recording,
                         std::vector<Record>& records, bool repeat)
    : execution_(execution), recording_(recording), records_(records), repeat_(repeat) {}

run::Outcome<void> DryRunSteps::run_in_full(std::int32_t number) {
  auto times = execution_.step(nullptr, number);
  if (!times) return tl::unexpected(std::move(times.error()));
  recording_.free_repeated();
  return {};
}

run::Outcome<void> DryRunSteps::step(std::int32_t number) {
  recording_.begin_step(number);
  if (number == 0) {
    begin_ = records_.size();
    auto done = run_in_full(number);
    end_ = records_.size();
    if (done && repeat_) repeat_ = first_can_be_repeated();
    return done;
  }
  if (!repeat_) return run_in_full(number);
  for (const std::uint64_t gradient : gradients_) recording_.free(gradient);
  now_.clear();
  for (std::size_t i = begin_; i < optimizer_begin_; ++i) note_again(records_[i], number);
  auto done = execution_.optimize_again();
  if (!done) return done;
  // The losses are freed last. The other frees here are the optimizer's, which were recorded just
  // now.
  for (std::size_t i = optimizer_end_; i < end_; ++i) {
    if (now_.contains(records_[i].address)) note_again(records_[i], number);
  }
  return {};
}

bool DryRunSteps::first_can_be_repeated() {
  if (!execution_.drops_gradients()) return false;
  gradients_ = execution_.gradient_addresses();
  is_gradient_ = {gradients_.begin(), gradients_.end()};
  if (is_gradient_.size() != gradients_.size()) return false;
  // Finds the range of the optimizer; at the end if there is none.
  optimizer_begin_ = optimizer_end_ = end_;
  std::unordered_map<std::uint64_t, bool> born;  // live blocks of the step: of the optimizer or not
  for (std::size_t i = begin_; i < end_; ++i) {
    const Record& record = records_[i];
    const bool optimizes = record.phase == base::Phase::optimizer;
    if (optimizes) {
      optimizer_begin_ = std::min(optimizer_begin_, i);
      optimizer_end_ = i + 1;
    }
    if (record.action == Action::alloc) {
      born[record.address] = optimizes;
    } else if (record.action == Action::free_completed) {
      const auto found = born.find(record.address);
      if (found == born.end() || (optimizes && !found->second)) return false;
      born.erase(found);
    }
  }
  return std::all_of(born.begin(), born.end(), [this](const auto& block) {
    return block.second || is_gradient_.contains(block.first);
  });
}

void DryRunSteps::note_again(const Record& first, std::int32_t step) {
  Record record = first;  // a copy: the list grows
  record.step = step;
  if (record.action == Action::alloc) {
    const std::uint64_t address = recording_.new_address();
    now_[record.address] = address;
    if (is_gradient_.contains(record.address)) recording_.rename(record.address, address);
    record.address = address;
  } else if (const auto found = now_.find(record.address); found != now_.end()) {
    record.address = found->second;
  }
  records_.push_back(record);
}

}  // namespace ts::kernels
