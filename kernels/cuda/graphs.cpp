#include "kernels/cuda/graphs.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <map>
#include <optional>

#include "kernels/cuda/device_index.h"
#include "kernels/cuda/guarded.h"

namespace ts::kernels {

struct CudaGraph {
  c10::DeviceIndex device = 0;
  at::cuda::CUDAGraph graph;
  bool open = false;  // being captured
};

namespace graphs {
namespace {

// Libraries make their workspaces for it once, so it is kept.
struct SideStream {
  std::optional<c10::cuda::CUDAStream> side;
  std::optional<c10::cuda::CUDAStream> before;  // the current one when it was entered
};

SideStream& side_stream_of(int device) {
  static std::map<int, SideStream> all;
  return all[device];
}

// Orders `later`: its new work starts after all work already given to `earlier`.
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
    SideStream& streams = side_stream_of(device);
    if (!streams.side) streams.side = c10::cuda::getStreamFromPool(false, index_of(device));
    const c10::cuda::CUDAStream before = c10::cuda::getCurrentCUDAStream(index_of(device));
    order(before, *streams.side);
    c10::cuda::setCurrentCUDAStream(*streams.side);
    streams.before = before;
  });
}

void leave_side_stream(int device) {
  guarded([&] {
    const c10::cuda::CUDAGuard guard(index_of(device));
    SideStream& streams = side_stream_of(device);
    if (!streams.before) return;
    const c10::cuda::CUDAStream before = *streams.before;
    streams.before.reset();
    c10::cuda::setCurrentCUDAStream(before);
    order(*streams.side, before);
  });
}

CudaGraph* make(int device) {
  auto* const made = new CudaGraph;
  made->device = index_of(device);
  return made;
}

const char* begin(CudaGraph* graph) {
  return guarded([&] {
    const c10::cuda::CUDAGuard guard(graph->device);
    // Other threads continue meanwhile: one queries events, which is forbidden only to the thread
    // that captures. The backward's thread launches on the stream that captures.
    graph->graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    graph->open = true;
  });
}

const char* end(CudaGraph* graph) {
  graph->open = false;
  return guarded([&] {
    const c10::cuda::CUDAGuard guard(graph->device);
    graph->graph.capture_end();
  });
}

const char* replay(CudaGraph* graph) {
  return guarded([&] {
    const c10::cuda::CUDAGuard guard(graph->device);
    graph->graph.replay();
  });
}

void drop(CudaGraph* graph) {
  if (graph->open) end(graph);
  guarded([&] {
    const c10::cuda::CUDAGuard guard(graph->device);
    c10::cuda::device_synchronize();
  });
  delete graph;
}

}  // namespace graphs
}  // namespace ts::kernels
