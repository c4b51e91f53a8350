#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/capture/gpu_record.h"

namespace ts::kernels {

// Meaning of CUPTI's activity records, as CUDA 13.0 lays them out: from bytes to
// capture::GpuRecord. Calls nothing of CUPTI, so recorded bytes can be read anywhere. One thread.
class CuptiReader {
 public:
  // Gives a text a number that the records carry.
  using Intern = std::function<base::StringId(std::string_view)>;
  // What CUPTI calls a function of the runtime or (driver) of the driver; may be null.
  using CallName = const char* (*)(bool driver, std::uint32_t function);

  CuptiReader(Intern intern, CallName call_name)
      : intern_(std::move(intern)), call_name_(call_name) {}

  // One record of `bytes` bytes. False when there is nothing to tell: a kind that is not known, too
  // few bytes for its kind, or a call that is made so often and does so little (asking for the
  // device) that it would only hide the others.
  bool read(const void* record, std::size_t bytes, capture::GpuRecord& out);

  [[nodiscard]] std::uint64_t unknown() const { return unknown_; }
  [[nodiscard]] std::uint64_t truncated() const { return truncated_; }

 private:
  template <class Record>
  const Record* as(const void* record, std::size_t bytes);
  base::StringId kernel_name(const char* mangled);
  base::StringId name_of_call(bool driver, std::uint32_t function);

  Intern intern_;
  CallName call_name_;
  std::unordered_map<std::string, base::StringId> kernels_;  // by mangled name
  std::unordered_map<std::uint64_t, base::StringId> calls_;  // by function, driver's apart
  std::uint64_t unknown_ = 0;
  std::uint64_t truncated_ = 0;
};

}  // namespace ts::kernels
