#include "kernels/cuda/graphs.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <optional>

#include "kernels/cuda/guarded.h"

namespace ts::kernels::graphs {
namespace {

struct Captured {
  std::optional<c10::cuda::CUDAStream>
      side;  // one for all captures, so that its libraries' workspaces are made once
  std::optional<c10::cuda::CUDAStream> before;
  std::unique_ptr<at::cuda::CUDAGraph> graph;
  bool open = false;  // is being captured
};

Captured& of(int device) {
  static std::map<int, Captured> all;
  return all[device];
}

c10::DeviceIndex index_of(int device) {
  return static_cast<c10::DeviceIndex>(device);
}

// What `later` starts from here on comes after what `earlier` was given so far.
void order(const c10::cuda::CUDAStream& earlier, const c10::cuda::CUDAStream& later) {
  cudaEvent_t event = nullptr;
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  const cudaError_t recorded = cudaEventRecord(event, earlier.stream());
  const cudaError_t waited = cudaStreamWaitEvent(later.stream(), event, 0);
  C10_CUDA_CHECK(cudaEventDestroy(event));
  C10_CUDA_CHECK(recorded);
  C10_CUDA_CHECK(waited);
}

}  // namespace

const char* enter_side_stream(int device) {
  return guarded([&] {
    const c10::cuda::CUDAGuard guard(index_of(device));
    Captured& captured = of(device);
    if (!captured.side) captured.side = c10::cuda::getStreamFromPool(false, index_of(device));
    captured.before = c10::cuda::getCurrentCUDAStream(index_of(device));
    order(*captured.before, *captured.side);
    c10::cuda::setCurrentCUDAStream(*captured.side);
  });
}

void leave_side_stream(int device) {
  guarded([&] {
    const c10::cuda::CUDAGuard guard(index_of(device));
    Captured& captured = of(device);
    if (!captured.before) return;
    c10::cuda::setCurrentCUDAStream(*captured.before);
    order(*captured.side, *captured.before);
    captured.before.reset();
  });
}

const char* begin(int device) {
  return guarded([&] {
    const c10::cuda::CUDAGuard guard(index_of(device));
    Captured& captured = of(device);
    captured.graph = std::make_unique<at::cuda::CUDAGraph>();
    // Other threads go on meanwhile: one asks events whether they are done, which is forbidden only
    // to the thread that captures. The backward's thread launches on the stream that captures.
    captured.graph->capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    captured.open = true;
  });
}

const char* end(int device) {
  const char* const why = guarded([&] {
    const c10::cuda::CUDAGuard guard(index_of(device));
    Captured& captured = of(device);
    captured.open = false;
    captured.graph->capture_end();
  });
  if (why != nullptr) of(device).graph.reset();
  return why;
}

const char* replay(int device) {
  return guarded([&] {
    const c10::cuda::CUDAGuard guard(index_of(device));
    TORCH_CHECK(of(device).graph != nullptr, "No step was captured");
    of(device).graph->replay();
  });
}

void drop(int device) {
  guarded([&] {
    const c10::cuda::CUDAGuard guard(index_of(device));
    Captured& captured = of(device);
    if (captured.open) end(device);
    // Its kernels may still run.
    if (captured.graph != nullptr) c10::cuda::device_synchronize();
    captured.graph.reset();
  });
}

}  // namespace ts::kernels::graphs
