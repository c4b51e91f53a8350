#pragma once

#include <cstdint>
#include <iterator>
#include <vector>

#include "core/base/string_table.h"

namespace ts::kernels {

// Modules of backward operators: an operator in the forward that makes an autograd node carries the
// number the node will get, and several nested operators may carry the same one. The last to start
// with a number is the one that made the node, so its module is remembered under the number, and
// the node finds it when it runs.
class SequenceModules {
 public:
  void remember(std::int64_t sequence, base::StringId module) {
    if (first_ < 0) first_ = sequence;
    if (sequence < first_) return;
    const auto index = static_cast<std::size_t>(sequence - first_);
    if (index >= modules_.size()) modules_.resize(index + 1, base::kNoString);
    modules_[index] = module;
  }
  [[nodiscard]] base::StringId find(std::int64_t sequence) const noexcept {
    const std::int64_t index = sequence - first_;
    if (first_ < 0 || index < 0 || index >= std::ssize(modules_)) return base::kNoString;
    return modules_[static_cast<std::size_t>(index)];
  }

 private:
  std::int64_t first_ = -1;
  std::vector<base::StringId> modules_;
};

}  // namespace ts::kernels
