#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/capture/gpu_record.h"
#include "kernels/cuda/cupti_names.h"

namespace ts::kernels {

// Reads CUPTI's activity records, with the layout of CUDA 13.0: from bytes to capture::GpuRecord.
// Calls no CUPTI function, so recorded bytes can be read anywhere. One thread.
class CuptiReader {
 public:
  CuptiReader(CuptiNames::Intern intern, CuptiNames::CallName call_name,
              CuptiNames::Resolve resolve = {})
      : names_(std::move(intern), call_name, std::move(resolve)) {}

  // Reads one record of `bytes` bytes. False if there is nothing to record: an unknown kind, too
  // few bytes for its kind, or a call that is so frequent and does so little (querying the device)
  // that it would only hide the others.
  bool read(const void* record, std::size_t bytes, capture::GpuRecord& out);

  [[nodiscard]] std::uint64_t unknown() const { return unknown_; }
  [[nodiscard]] std::uint64_t truncated() const { return truncated_; }

 private:
  // Casts to a Record, unless there are too few bytes for one.
  template <class Record>
  bool read_as(const void* record, std::size_t bytes, capture::GpuRecord& out);

  CuptiNames names_;
  std::uint64_t unknown_ = 0;
  std::uint64_t truncated_ = 0;
};

}  // namespace ts::kernels
