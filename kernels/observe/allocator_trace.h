#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/allocator/allocator_state.h"
#include "core/base/string_table.h"
#include "kernels/cuda/api.h"

namespace ts::kernels {

// What the CUDA caching allocator does while steps are recorded: every event with the operator it
// happened in, for a snapshot at the end; what it takes from the device and gives back goes to the
// active Recording as well. Its listener is process-wide, so there is one of these at a time. add()
// on any thread, under the allocator's lock; the rest on the worker thread, between recordings.
class AllocatorTrace {
 public:
  // Beyond it the oldest events would be missed most: later ones are counted and left out.
  static constexpr std::size_t kMost = std::size_t{1} << 20U;

  // Listens from here on.
  explicit AllocatorTrace(const CudaApi& api);
  ~AllocatorTrace();
  AllocatorTrace(const AllocatorTrace&) = delete;
  AllocatorTrace& operator=(const AllocatorTrace&) = delete;

  void add(const CudaAllocatorEvent& event);
  [[nodiscard]] std::uint64_t left_out() const;

  // In the form of PyTorch's own; null when the allocator does not tell its segments. Texts are
  // those of `strings`, which the recordings wrote to.
  [[nodiscard]] std::shared_ptr<const allocator::Snapshot> snapshot(
      const base::StringTable& strings) const;

 private:
  const CudaApi& api_;
  mutable std::mutex mutex_;
  std::vector<allocator::AllocatorEvent> events_;
  std::uint64_t left_out_ = 0;
};

}  // namespace ts::kernels
