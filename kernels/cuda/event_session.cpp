#include "kernels/cuda/event_session.h"

#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <mutex>
#include <vector>

#include "core/capture/event_recorder.h"

namespace ts::kernels {
namespace {

// Creating an event takes longer than reusing one.
class Pool {
 public:
  cudaEvent_t take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        const cudaEvent_t event = free_.back();
        free_.pop_back();
        return event;
      }
    }
    cudaEvent_t made = nullptr;
    return cudaEventCreate(&made) == cudaSuccess ? made : nullptr;
  }
  void give_back(cudaEvent_t event) {
    const std::lock_guard lock(mutex_);
    free_.push_back(event);
  }

 private:
  std::mutex mutex_;
  std::vector<cudaEvent_t> free_;
};

Pool& pool() {
  static Pool one;
  return one;
}

capture::EventRecorder& recorder() {
  static capture::EventRecorder one(
      {.record = []() -> void* {
         const cudaEvent_t event = pool().take();
         if (event == nullptr) return nullptr;
         // During a capture an event becomes a node of the graph and never completes.
         auto capturing = cudaStreamCaptureStatusNone;
         cudaStreamIsCapturing(c10::cuda::getCurrentCUDAStream().stream(), &capturing);
         if (capturing != cudaStreamCaptureStatusNone) {
           pool().give_back(event);
           return nullptr;
         }
         if (cudaEventRecord(event, c10::cuda::getCurrentCUDAStream().stream()) != cudaSuccess) {
           pool().give_back(event);
           return nullptr;
         }
         return event;
       },
       .done =
           [](void* event) {
             return cudaEventQuery(static_cast<cudaEvent_t>(event)) == cudaSuccess;
           },
       .nanoseconds =
           [](void* from, void* to) {
             float milliseconds = 0;
             cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(from),
                                  static_cast<cudaEvent_t>(to));
             return static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
           },
       .release = [](void* event) { pool().give_back(static_cast<cudaEvent_t>(event)); },
       .device =
           [] {
             int device = 0;
             cudaGetDevice(&device);
             return static_cast<std::uint32_t>(device);
           },
       .stream = [] { return static_cast<std::uint32_t>(c10::cuda::getCurrentCUDAStream().id()); },
       .synchronize = [] { cudaDeviceSynchronize(); }});
  return one;
}

}  // namespace

capture::GpuSource event_source() {
  return {
      .prepare = [](const capture::GpuBuffers& buffers) -> const char* {
        recorder().set_buffers(buffers);
        return nullptr;
      },
      .begin = [](const capture::GpuSink& sink) { return recorder().begin(sink); },
      .end = []() -> const char* {
        recorder().end();
        return nullptr;
      },
      .flush = [] { recorder().flush(); },
      .marks = {[](std::uint64_t id) noexcept { recorder().push(id); },
                []() noexcept { recorder().pop(); }},
      .read = [](const std::uint8_t* buffer, std::size_t bytes) { recorder().read(buffer, bytes); },
      .touch = [](int) { return recorder().touch(); }};
}

}  // namespace ts::kernels
