#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>

#include "core/run/engine.h"

namespace ts::kernels {

struct CudaApi;

// What differs between cpu and cuda for an execution: waiting, and the account of its memory. One
// account at a time. Worker thread.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual c10::Device torch_device() const = 0;
  // Returns when everything that was started has ended.
  virtual void synchronize() = 0;
  // From here on at most `limit` more bytes may be live, and live bytes and their peak count from
  // 0.
  virtual void open_account(std::int64_t limit) = 0;
  virtual void close_account() noexcept = 0;
  [[nodiscard]] virtual run::MemoryCounters memory() const = 0;
};

std::unique_ptr<Device> make_cpu_device();
// `api` must outlive it.
std::unique_ptr<Device> make_cuda_device(const CudaApi& api, std::int32_t index);

// Closes the account on scope exit.
class Account {
 public:
  Account(Device& device, std::int64_t limit) : device_(device) { device_.open_account(limit); }
  ~Account() { device_.close_account(); }
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

 private:
  Device& device_;
};

}  // namespace ts::kernels
