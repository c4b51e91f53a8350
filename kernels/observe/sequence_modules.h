#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/base/string_table.h"

namespace ts::kernels {

// Modules of backward operators: an operator in the forward that makes an autograd node carries the
// number the node will get, and several nested operators may carry the same one. The last to start
// with a number is the one that made the node, so its module is remembered under the number, and
// the node finds it when it runs.
//
// Every thread numbers its own nodes, and a node knows the thread that made it (LibTorch's number
// of it). One thread writes while the others wait: the backward waits for the forward, and what
// runs again in a backward is waited for.
//
// A script may make nodes without end: the oldest numbers of a thread are forgotten when there are
// kMost.
class SequenceModules {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 21;

  void remember(std::uint64_t thread, std::int64_t sequence, base::StringId module) {
    Numbers& numbers = of(thread);
    if (numbers.first < 0) numbers.first = sequence;
    if (sequence < numbers.first) return;
    auto index = static_cast<std::size_t>(sequence - numbers.first);
    if (index >= kMost) {
      const std::size_t left_out = std::min(numbers.modules.size(), kMost / 2);
      numbers.modules.erase(numbers.modules.begin(),
                            numbers.modules.begin() + static_cast<std::ptrdiff_t>(left_out));
      numbers.first += static_cast<std::int64_t>(left_out);
      index -= left_out;
    }
    if (index >= numbers.modules.size()) numbers.modules.resize(index + 1, base::kNoString);
    numbers.modules[index] = module;
  }
  [[nodiscard]] base::StringId find(std::uint64_t thread, std::int64_t sequence) const noexcept {
    for (const Numbers& numbers : threads_) {
      if (numbers.thread != thread) continue;
      const std::int64_t index = sequence - numbers.first;
      if (index < 0 || index >= std::ssize(numbers.modules)) return base::kNoString;
      return numbers.modules[static_cast<std::size_t>(index)];
    }
    return base::kNoString;
  }

 private:
  struct Numbers {
    std::uint64_t thread = 0;
    std::int64_t first = -1;
    std::vector<base::StringId> modules;
  };
  Numbers& of(std::uint64_t thread) {
    for (Numbers& numbers : threads_) {
      if (numbers.thread == thread) return numbers;
    }
    return threads_.emplace_back(Numbers{thread, -1, {}});
  }

  std::vector<Numbers> threads_;  // two at most, so they are looked through
};

}  // namespace ts::kernels
