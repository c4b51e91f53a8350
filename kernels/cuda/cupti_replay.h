#pragma once

#include <cstdint>
#include <functional>

#include "core/capture/gpu_buffer_file.h"
#include "core/capture/gpu_record.h"
#include "kernels/cuda/cupti_names.h"

namespace ts::kernels {

// The records of a recording that could not be read.
struct ReplayLosses {
  std::uint64_t unknown = 0;    // records of an unknown kind
  std::uint64_t truncated = 0;  // records too short for their kind
};

// Passes the records of a file to `take`, in order, through the same reader as live ones. Texts
// come from the file; a pointer that is not in the file has no text.
ReplayLosses replay(const capture::GpuBufferFile& file, CuptiNames::Intern intern,
                    CuptiNames::CallName call_name,
                    const std::function<void(const capture::GpuRecord&)>& take);

}  // namespace ts::kernels
