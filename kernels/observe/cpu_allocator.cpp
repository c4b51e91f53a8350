#include "kernels/observe/cpu_allocator.h"

#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "kernels/observe/cancellation.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/observe/failure.h"
#include "kernels/observe/recording.h"

namespace ts::kernels {
namespace {

constexpr std::size_t kAlignment = 64;

struct alignas(kAlignment) BlockHeader {
  std::int64_t size = 0;
  bool counted = true;
};

BlockHeader* header_of(void* data) noexcept {
  return static_cast<BlockHeader*>(data) - 1;
}

}  // namespace

CpuAllocator& CpuAllocator::install() {
  // Never destroyed: tensors of LibTorch's own may outlive every static of ours.
  static CpuAllocator* const allocator = [] {
    auto* const made = new CpuAllocator;
    c10::SetCPUAllocator(made);
    return made;
  }();
  return *allocator;
}

at::DataPtr CpuAllocator::allocate(std::size_t size) {
  const at::Device device(at::kCPU);
  if (size == 0) return {nullptr, nullptr, &free_block, device};
  if (DryRecording* const dry = DryRecording::current(); dry != nullptr) [[unlikely]] {
    dry->before_host_alloc(size);
    void* const data = allocate_uncounted(size);
    dry->host_alloc(data, static_cast<std::int64_t>(size));
    return {data, data, &free_block, device};
  }
  check_cancelled();
  const auto bytes = static_cast<std::int64_t>(size);
  const std::int64_t live = live_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  const std::int64_t account = live - base_.load(std::memory_order_relaxed);
  if (bytes < 0 || account > limit_.load(std::memory_order_relaxed)) [[unlikely]] {
    live_.fetch_sub(bytes, std::memory_order_relaxed);
    refuse(bytes, false);
  }
  void* raw = nullptr;
  if (posix_memalign(&raw, kAlignment, size + sizeof(BlockHeader)) != 0) [[unlikely]] {
    live_.fetch_sub(bytes, std::memory_order_relaxed);
    refuse(bytes, true);
  }
  raise_peak(live);
  void* const data = new (raw) BlockHeader{bytes} + 1;
  if (Recording* const recording = Recording::active();
      recording != nullptr && recording->device() == at::kCPU) {
    recording->memory(memory::Action::alloc, data, bytes);
  }
  return {data, data, &free_block, device};
}

void* CpuAllocator::allocate_uncounted(std::size_t size) {
  void* raw = nullptr;
  if (posix_memalign(&raw, kAlignment, size + sizeof(BlockHeader)) != 0) throw std::bad_alloc();
  return new (raw) BlockHeader{static_cast<std::int64_t>(size), false} + 1;
}

at::DeleterFnPtr CpuAllocator::raw_deleter() const {
  return &free_block;
}

void CpuAllocator::copy_data(void* destination, const void* source, std::size_t size) const {
  std::memcpy(destination, source, size);
}

void CpuAllocator::free_block(void* data) {
  if (data != nullptr) install().release(data);
}

void CpuAllocator::release(void* data) noexcept {
  BlockHeader* const header = header_of(data);
  if (!header->counted) [[unlikely]] {
    if (DryRecording* const dry = DryRecording::current(); dry != nullptr) dry->host_free(data);
    std::free(header);
    return;
  }
  const std::int64_t bytes = header->size;
  // Recorded before the memory is freed, so that the next user of the address is recorded later.
  if (Recording* const recording = Recording::active();
      recording != nullptr && recording->device() == at::kCPU) {
    recording->memory(memory::Action::free_completed, data, bytes);
  }
  live_.fetch_sub(bytes, std::memory_order_relaxed);
  std::free(header);
}

void CpuAllocator::raise_peak(std::int64_t live) noexcept {
  std::int64_t peak = peak_.load(std::memory_order_relaxed);
  while (live > peak && !peak_.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
}

void CpuAllocator::refuse(std::int64_t asked, bool by_system) {
  OutOfBudget::Numbers numbers;
  numbers.asked = asked;
  numbers.limit = limit_.load(std::memory_order_relaxed);
  numbers.by_system = by_system;
  numbers.free = std::max<std::int64_t>(0, numbers.limit - allocated());
  if (Recording* const recording = Recording::active();
      !by_system && recording != nullptr && recording->device() == at::kCPU) {
    recording->memory(memory::Action::oom, nullptr, asked);
  }
  note_refusal(numbers);
  throw OutOfBudget(numbers, open_operator(), open_module());
}

void CpuAllocator::open_account(std::int64_t limit) noexcept {
  base_.store(live(), std::memory_order_relaxed);
  peak_.store(live(), std::memory_order_relaxed);
  limit_.store(limit, std::memory_order_relaxed);
}

void CpuAllocator::resume_account(std::int64_t limit, const Counters& parked) noexcept {
  const std::int64_t base = live() - parked.allocated;
  base_.store(base, std::memory_order_relaxed);
  peak_.store(base + parked.peak, std::memory_order_relaxed);
  limit_.store(limit, std::memory_order_relaxed);
}

void CpuAllocator::close_account() noexcept {
  limit_.store(INT64_MAX, std::memory_order_relaxed);
}

std::int64_t CpuAllocator::live() const noexcept {
  return live_.load(std::memory_order_relaxed);
}
std::int64_t CpuAllocator::allocated() const noexcept {
  return live() - base_.load(std::memory_order_relaxed);
}
std::int64_t CpuAllocator::peak() const noexcept {
  return peak_.load(std::memory_order_relaxed) - base_.load(std::memory_order_relaxed);
}

}  // namespace ts::kernels
