#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/allocator/allocator_state.h"
#include "core/base/string_table.h"
#include "kernels/cuda/api.h"

namespace ts::kernels {

// Records the CUDA caching allocator while steps are recorded: every event with the operator in
// which it happened, for a snapshot at the end; the memory that it takes from the device and
// returns also goes to the active Recording, and a script's blocks do. Its listener is
// process-wide, so there is one of these at a time. add() on any thread, under the allocator's
// lock; the rest on the worker thread, between recordings.
class AllocatorTrace {
 public:
  // So many events are kept, the others are counted. Of a run of ours the oldest say most, of a
  // script the newest, before memory ran out.
  static constexpr std::size_t kMost = std::size_t{1} << 20U;
  enum class Keep : std::uint8_t { oldest, newest };

  // Listens from here on.
  explicit AllocatorTrace(const CudaApi& api, Keep keep = Keep::oldest, std::size_t most = kMost);
  ~AllocatorTrace();
  AllocatorTrace(const AllocatorTrace&) = delete;
  AllocatorTrace& operator=(const AllocatorTrace&) = delete;

  void add(const CudaAllocatorEvent& event);
  [[nodiscard]] std::uint64_t left_out() const;

  // In PyTorch's own format; null if the allocator does not report its segments. Texts are those of
  // `strings`, which the recordings wrote to.
  [[nodiscard]] std::shared_ptr<const allocator::Snapshot> snapshot(
      const base::StringTable& strings) const;

 private:
  const CudaApi& api_;
  const Keep keep_;
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::vector<allocator::AllocatorEvent> events_;
  std::size_t oldest_ = 0;  // where it is in events_
  std::uint64_t left_out_ = 0;
};

}  // namespace ts::kernels
