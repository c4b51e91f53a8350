#include "kernels/cuda/cupti_replay.h"

#include <utility>

#include "kernels/cuda/cupti_reader.h"

namespace ts::kernels {

ReplayLosses replay(const capture::GpuBufferFile& file, CuptiNames::Intern intern,
                    CuptiNames::CallName call_name,
                    const std::function<void(const capture::GpuRecord&)>& take) {
  CuptiReader reader(std::move(intern), call_name,
                     [&file](const char* pointer) { return file.text(pointer); });
  for (std::size_t buffer = 0; buffer < file.buffer_count(); ++buffer) {
    for (std::size_t i = 0; i < file.record_count(buffer); ++i) {
      const auto record = file.record(buffer, i);
      capture::GpuRecord meaning;
      if (reader.read(record.data(), record.size(), meaning)) take(meaning);
    }
  }
  return {reader.unknown(), reader.truncated()};
}

}  // namespace ts::kernels
