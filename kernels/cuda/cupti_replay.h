#pragma once

#include <cstdint>
#include <functional>

#include "core/capture/gpu_buffer_file.h"
#include "core/capture/gpu_record.h"
#include "kernels/cuda/cupti_names.h"

namespace ts::kernels {

// What could not be read of a recording.
struct ReplayLosses {
  std::uint64_t unknown = 0;    // records of a kind that is not known
  std::uint64_t truncated = 0;  // records shorter than their kind
};

// Gives the records of a file to `take`, in their order, through the reader that live ones go
// through. Texts come from the file; a pointer it does not know is no text.
ReplayLosses replay(const capture::GpuBufferFile& file, CuptiNames::Intern intern,
                    CuptiNames::CallName call_name,
                    const std::function<void(const capture::GpuRecord&)>& take);

}  // namespace ts::kernels
