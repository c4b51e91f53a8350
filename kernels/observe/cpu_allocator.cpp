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

// Lies before the block. Aligned by hand: glibc's posix_memalign cuts a chunk apart at every call
// and puts it together again at every free().
struct BlockHeader {
  std::int64_t size = 0;
  CpuAllocator::Account* account = nullptr;  // null: not counted
  void* chunk = nullptr;                     // of malloc()
};
static_assert(kAlignment % alignof(BlockHeader) == 0);

BlockHeader* header_of(void* data) noexcept {
  return static_cast<BlockHeader*>(data) - 1;
}

// Null where there is no memory.
BlockHeader* new_block(std::size_t size, CpuAllocator::Account* account) noexcept {
  constexpr std::size_t kMore = sizeof(BlockHeader) + kAlignment - 1;
  if (size > SIZE_MAX - kMore) return nullptr;
  void* const chunk = std::malloc(size + kMore);
  if (chunk == nullptr) return nullptr;
  auto begin = reinterpret_cast<std::uintptr_t>(chunk) + kMore;
  begin -= begin % kAlignment;
  return new (reinterpret_cast<BlockHeader*>(begin) - 1)
      BlockHeader{static_cast<std::int64_t>(size), account, chunk};
}

void raise_peak(CpuAllocator::Account& account, std::int64_t allocated) noexcept {
  std::int64_t peak = account.peak.load(std::memory_order_relaxed);
  while (allocated > peak &&
         !account.peak.compare_exchange_weak(peak, allocated, std::memory_order_relaxed)) {
  }
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
  DryRecording* const dry = DryRecording::any() ? DryRecording::current() : nullptr;
  if (dry != nullptr) [[unlikely]] {
    dry->before_host_alloc(size);
    void* const data = allocate_uncounted(size);
    dry->host_alloc(data, static_cast<std::int64_t>(size));
    return {data, data, &free_block, device};
  }
  check_cancelled();
  const auto bytes = static_cast<std::int64_t>(size);
  Account& account = *current_.load(std::memory_order_relaxed);
  const std::int64_t allocated =
      account.allocated.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (bytes < 0 || allocated > account.limit.load(std::memory_order_relaxed)) [[unlikely]] {
    account.allocated.fetch_sub(bytes, std::memory_order_relaxed);
    refuse(account, bytes, false);
  }
  BlockHeader* const header = new_block(size, &account);
  if (header == nullptr) [[unlikely]] {
    account.allocated.fetch_sub(bytes, std::memory_order_relaxed);
    refuse(account, bytes, true);
  }
  raise_peak(account, allocated);
  void* const data = header + 1;
  if (Recording* const recording = Recording::active();
      recording != nullptr && recording->device() == at::kCPU) {
    recording->memory(memory::Action::alloc, data, bytes);
  }
  return {data, data, &free_block, device};
}

void* CpuAllocator::allocate_uncounted(std::size_t size) {
  BlockHeader* const header = new_block(size, nullptr);
  if (header == nullptr) throw std::bad_alloc();
  return header + 1;
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
  if (header->account == nullptr) [[unlikely]] {
    if (DryRecording* const dry = DryRecording::current(); dry != nullptr) dry->host_free(data);
    std::free(header->chunk);
    return;
  }
  const std::int64_t bytes = header->size;
  Account& account = *header->account;
  // Recorded before the memory is freed, so that the next user of the address is recorded later.
  if (Recording* const recording = Recording::active();
      recording != nullptr && recording->device() == at::kCPU &&
      &account == current_.load(std::memory_order_relaxed)) {
    recording->memory(memory::Action::free_completed, data, bytes);
  }
  std::free(header->chunk);
  // The last access: the account may be opened again now.
  account.allocated.fetch_sub(bytes, std::memory_order_relaxed);
}

void CpuAllocator::refuse(const Account& account, std::int64_t asked, bool by_system) {
  OutOfBudget::Numbers numbers;
  numbers.asked = asked;
  numbers.limit = account.limit.load(std::memory_order_relaxed);
  numbers.by_system = by_system;
  numbers.free =
      std::max<std::int64_t>(0, numbers.limit - account.allocated.load(std::memory_order_relaxed));
  if (Recording* const recording = Recording::active();
      !by_system && recording != nullptr && recording->device() == at::kCPU) {
    recording->memory(memory::Action::oom, nullptr, asked);
  }
  note_refusal(numbers);
  throw OutOfBudget(numbers, open_operator(), open_module());
}

CpuAllocator::Account& CpuAllocator::open_account(std::int64_t limit) {
  const std::lock_guard lock(mutex_);
  const auto unused = std::ranges::find_if(accounts_, [](const Account& account) {
    return !account.open && account.allocated.load(std::memory_order_relaxed) == 0;
  });
  Account& account = unused != accounts_.end() ? *unused : accounts_.emplace_back();
  account.peak = 0;
  account.limit = limit;
  account.open = true;
  enter_account(account);
  return account;
}

void CpuAllocator::close_account(Account& account) noexcept {
  const std::lock_guard lock(mutex_);
  account.open = false;
  if (current_ == &account) current_ = &outside_;
}

std::int64_t CpuAllocator::live() const {
  const std::lock_guard lock(mutex_);
  std::int64_t bytes = outside_.allocated;
  for (const Account& account : accounts_) bytes += account.allocated;
  return bytes;
}

}  // namespace ts::kernels
