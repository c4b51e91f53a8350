#pragma once

#include <c10/core/Allocator.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

namespace ts::kernels {

// LibTorch's CPU allocator, replaced by one with a budget: it counts live bytes, records blocks
// into the active Recording, refuses what does not fit the budget with OutOfBudget as a GPU would,
// and asks the cancel token. Sizes are the bytes asked. Blocks lie on 64 bytes as PyTorch's do, 64
// bytes before each hold its size and its account and are not counted.
//
// Every block stays with the account that was current when it was allocated. LibTorch may free it
// much later, in the time of another account: the tasks of a backward that was cut short wait in
// autograd's queue until the next backward takes them out. Such a free lowers the account of the
// block, and is not recorded.
//
// It does not feed c10::profiledCPUMemoryReporter(): that takes a mutex and a hash table at every
// block for the sake of LibTorch's own profiler, which is not used in this process. Memory that
// libraries under LibTorch (oneDNN, MKL) take by themselves passes no c10 allocator and is not
// seen.
//
// On a thread that makes a dry run it hands out plain memory beside the account, which the dry run
// notes: LibTorch boxes a plain number that meets a tensor in a block of 8 bytes on the host.
//
// Any thread, but the account is opened and closed by the worker.
class CpuAllocator final : public c10::Allocator {
 public:
  // The one instance; the first call makes it LibTorch's allocator permanently. Earlier blocks keep
  // their own deleter.
  static CpuAllocator& install();

  at::DataPtr allocate(std::size_t size) override;
  at::DeleterFnPtr raw_deleter() const override;
  void copy_data(void* destination, const void* source, std::size_t size) const override;

  // The blocks of one execution, counted from 0.
  struct Account {
    std::atomic<std::int64_t> allocated{0};  // bytes of its live blocks
    std::atomic<std::int64_t> peak{0};       // the most they were
    std::atomic<std::int64_t> limit{INT64_MAX};
    bool open = false;
  };
  // A new account, now the current one; at most `limit` bytes of it may become live. Its address
  // stays until it is closed.
  Account& open_account(std::int64_t limit);
  // From now on allocations count for this open account.
  void enter_account(Account& account) noexcept { current_ = &account; }
  // If it is the current one, allocations have no limit from now on.
  void close_account(Account& account) noexcept;
  [[nodiscard]] std::int64_t live() const;  // live bytes of the process

 private:
  CpuAllocator() = default;
  static void free_block(void* data);
  static void* allocate_uncounted(std::size_t size);
  void release(void* data) noexcept;
  [[noreturn]] void refuse(const Account& account, std::int64_t asked, bool by_system);

  // Blocks of no execution.
  Account outside_;
  std::atomic<Account*> current_{&outside_};
  mutable std::mutex mutex_;  // of accounts_, and of their `open`
  // A closed one is opened again when none of its blocks is live.
  std::deque<Account> accounts_;
};

}  // namespace ts::kernels
