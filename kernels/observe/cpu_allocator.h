#pragma once

#include <c10/core/Allocator.h>

#include <atomic>
#include <cstdint>

namespace ts::kernels {

// LibTorch's CPU allocator, replaced by one with a budget: it counts live bytes, records blocks
// into the active Recording, refuses what does not fit the budget with OutOfBudget as a GPU would,
// and asks the cancel token. Sizes are the bytes asked. Blocks lie on 64 bytes as PyTorch's do, 64
// bytes before each hold its size and are not counted.
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

  // Starts to count for one execution: bytes that are live now are not counted, at most `limit`
  // more may become live.
  void open_account(std::int64_t limit) noexcept;
  struct Counters {
    std::int64_t allocated = 0;  // live bytes of the account
    std::int64_t peak = 0;       // the largest they were
  };
  // Continues an account with these counters, parked when another was opened.
  void resume_account(std::int64_t limit, const Counters& parked) noexcept;
  void close_account() noexcept;
  [[nodiscard]] Counters account() const noexcept { return {allocated(), peak()}; }
  [[nodiscard]] std::int64_t allocated() const noexcept;
  [[nodiscard]] std::int64_t peak() const noexcept;
  [[nodiscard]] std::int64_t live() const noexcept;  // live bytes of the process

 private:
  CpuAllocator() = default;
  static void free_block(void* data);
  static void* allocate_uncounted(std::size_t size);
  void release(void* data) noexcept;
  void raise_peak(std::int64_t live) noexcept;
  [[noreturn]] void refuse(std::int64_t asked, bool by_system);

  std::atomic<std::int64_t> live_{0};
  std::atomic<std::int64_t> base_{0};
  std::atomic<std::int64_t> peak_{0};
  std::atomic<std::int64_t> limit_{INT64_MAX};
};

}  // namespace ts::kernels
