// libtensorscope_cuda.so: the only part that links libtorch_cuda.
#include <ATen/Context.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "kernels/cuda/api.h"
#include "kernels/cuda/cupti_session.h"
#include "kernels/cuda/device_index.h"
#include "kernels/cuda/event_session.h"
#include "kernels/cuda/graphs.h"
#include "kernels/cuda/guarded.h"
#include "kernels/cuda/own_launch.h"

namespace ts::kernels {
namespace {

namespace torch_allocator = c10::cuda::CUDACachingAllocator;

std::atomic<CudaRefused> refused_callback{nullptr};
// Limit of the device in use, for the numbers of a refusal.
std::atomic<std::int64_t> current_limit{0};

std::int64_t current(const c10::CachingAllocator::StatArray& stats) {
  return stats[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)].current;
}

std::int64_t peak(const c10::CachingAllocator::StatArray& stats) {
  return stats[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)].peak;
}

// The allocator calls it before it throws, without holding its lock.
void note_refused(std::int64_t device, std::size_t asked, std::size_t /*total*/,
                  std::size_t /*free*/) {
  const CudaRefused refused = refused_callback.load();
  if (refused == nullptr) return;
  const std::int64_t limit = current_limit.load();
  const auto stats = torch_allocator::getDeviceStats(static_cast<c10::DeviceIndex>(device));
  refused(static_cast<std::int64_t>(asked),
          std::max<std::int64_t>(0, limit - current(stats.reserved_bytes)), limit);
}

std::atomic<CudaAllocatorListener> allocator_listener{nullptr};

allocator::TraceAction action_of(c10::CachingDeviceAllocator::TraceEntry::Action action) {
  using Theirs = c10::CachingDeviceAllocator::TraceEntry;
  switch (action) {
    case Theirs::ALLOC:
      return allocator::TraceAction::alloc;
    case Theirs::FREE_REQUESTED:
      return allocator::TraceAction::free_requested;
    case Theirs::FREE_COMPLETED:
      return allocator::TraceAction::free_completed;
    case Theirs::SEGMENT_ALLOC:
      return allocator::TraceAction::segment_alloc;
    case Theirs::SEGMENT_FREE:
      return allocator::TraceAction::segment_free;
    case Theirs::SEGMENT_MAP:
      return allocator::TraceAction::segment_map;
    case Theirs::SEGMENT_UNMAP:
      return allocator::TraceAction::segment_unmap;
    case Theirs::SNAPSHOT:
      return allocator::TraceAction::snapshot;
    case Theirs::OOM:
      return allocator::TraceAction::oom;
    default:  // a newer LibTorch has more
      return allocator::TraceAction::other;
  }
}

std::int64_t number_of(void* stream) {
  return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(stream));
}

// Cannot be removed again, so it stays and checks whether there is a listener.
void note_allocator_event(const c10::CachingDeviceAllocator::TraceEntry& entry) {
  const CudaAllocatorListener listener = allocator_listener.load(std::memory_order_acquire);
  if (listener == nullptr) return;
  listener({.action = action_of(entry.action_),
            .device = entry.device_,
            .address = entry.addr_,
            .size = static_cast<std::int64_t>(entry.size_),
            .stream = number_of(entry.stream_)});
}

// NVTX loads its hooks from the library named here at its first call: CUPTI then records the marks.
void let_cupti_see_nvtx() {
  Dl_info cupti{};
  if (dladdr(reinterpret_cast<const void*>(&cuptiGetVersion), &cupti) != 0)
    setenv("NVTX_INJECTION64_PATH", cupti.dli_fname, /*overwrite=*/0);
}

const char* start() {
  return guarded([] {
    let_cupti_see_nvtx();
    // Throws an error that says why there is no device.
    c10::cuda::device_count_ensure_non_zero();
    at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
    torch_allocator::attachOutOfMemoryObserver(note_refused);
    torch_allocator::attachAllocatorTraceTracker(note_allocator_event);
  });
}

int device_count() {
  return c10::cuda::device_count();
}

std::int64_t device_bytes(int device) {
  cudaDeviceProp properties{};
  C10_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  return static_cast<std::int64_t>(properties.totalGlobalMem);
}

const char* device_facts(int device, CudaDeviceFacts* facts) {
  return guarded([&] {
    cudaDeviceProp properties{};
    C10_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    std::snprintf(facts->name, sizeof(facts->name), "%s", properties.name);
    C10_CUDA_CHECK(cudaDeviceGetPCIBusId(facts->pci_address, sizeof(facts->pci_address), device));
    facts->memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
    facts->l2_bytes = properties.l2CacheSize;
    facts->capability = 10 * properties.major + properties.minor;
  });
}

const char* synchronize(int device) {
  return guarded([&] {
    const c10::cuda::CUDAGuard guard(index_of(device));
    c10::cuda::device_synchronize();
  });
}

const char* set_limit(int device, std::int64_t bytes) {
  return guarded([&] {
    const std::int64_t total = device_bytes(device);
    const std::int64_t limit = std::min(bytes, total);
    current_limit = limit;
    torch_allocator::setMemoryFraction(static_cast<double>(limit) / static_cast<double>(total),
                                       index_of(device));
  });
}

const char* remove_limit(int device) {
  return guarded([&] { torch_allocator::setMemoryFraction(1.0, index_of(device)); });
}

const char* empty_cache() {
  return guarded([] { torch_allocator::emptyCache(); });
}

const char* clear_workspaces() {
  return guarded([] { at::cuda::clearCublasWorkspaces(); });
}

const char* reset_peak(int device) {
  return guarded([&] { torch_allocator::resetPeakStats(index_of(device)); });
}

const char* memory(int device, CudaMemory* memory) {
  return guarded([&] {
    const auto stats = torch_allocator::getDeviceStats(index_of(device));
    memory->allocated = current(stats.allocated_bytes);
    memory->peak = peak(stats.allocated_bytes);
    memory->reserved = current(stats.reserved_bytes);
  });
}

void on_refused(CudaRefused refused) {
  refused_callback = refused;
}

void on_allocator_event(CudaAllocatorListener listener) {
  allocator_listener.store(listener, std::memory_order_release);
}

void visit_segment(const c10::CachingDeviceAllocator::SegmentInfo& from,
                   const CudaAllocatorVisitor& visitor) {
  const auto number = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  CudaSegment segment{};
  segment.device = from.device;
  segment.address = from.address;
  segment.total_size = number(from.total_size);
  segment.allocated_size = number(from.allocated_size);
  segment.active_size = number(from.active_size);
  segment.requested_size = number(from.requested_size);
  segment.stream = number_of(from.stream);
  segment.pool[0] = number(from.owner_private_pool_id.first);
  segment.pool[1] = number(from.owner_private_pool_id.second);
  segment.small_pool = !from.is_large;
  segment.expandable = from.is_expandable;
  visitor.segment(visitor.user, segment);
  std::uint64_t address = from.address;
  for (const auto& block : from.blocks) {
    const auto state = block.allocated ? allocator::BlockState::active_allocated
                       : block.active  ? allocator::BlockState::active_pending_free
                                       : allocator::BlockState::inactive;
    visitor.block(visitor.user, {address, number(block.size), number(block.requested_size), state});
    address += block.size;
  }
}

const char* visit_allocator(const CudaAllocatorVisitor& visitor) {
  return guarded([&] {
    const auto info = torch_allocator::snapshot({0, 0}, /*include_traces=*/false);
    for (const auto& segment : info.segments) visit_segment(segment, visitor);
    const auto& from = info.config_metadata;
    std::vector<std::int64_t> divisions(from.roundup_power2_divisions.begin(),
                                        from.roundup_power2_divisions.end());
    // The field holds SIZE_MAX as -1, which has the same bits: PyTorch writes it so too.
    visitor.settings(visitor.user,
                     {.conf = from.last_allocator_settings.c_str(),
                      .max_split_size = static_cast<std::int64_t>(from.max_split_size),
                      .garbage_collection_threshold = from.garbage_collection_threshold,
                      .expandable_segments = from.expandable_segments,
                      .divisions = divisions.data(),
                      .division_count = divisions.size()});
  });
}

bool broken(int device) {
  // An error of one call is returned once; one that CUDA keeps is returned again and again.
  if (cudaSetDevice(device) != cudaSuccess) return true;
  cudaDeviceSynchronize();
  cudaGetLastError();
  return cudaDeviceSynchronize() != cudaSuccess;
}

// The timer of the worker's current stream; made at the first use and kept.
struct Timer {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
};
Timer& timer_of(int device) {
  static std::map<int, Timer> timers;
  Timer& timer = timers[device];
  if (timer.begin == nullptr) {
    C10_CUDA_CHECK(cudaEventCreate(&timer.begin));
    C10_CUDA_CHECK(cudaEventCreate(&timer.end));
  }
  return timer;
}

const char* time_begin(int device) {
  return guarded([&] {
    const c10::cuda::CUDAGuard guard(index_of(device));
    C10_CUDA_CHECK(cudaEventRecord(timer_of(device).begin,
                                   c10::cuda::getCurrentCUDAStream(index_of(device)).stream()));
  });
}

const char* time_end(int device, std::int64_t* nanoseconds) {
  return guarded([&] {
    const c10::cuda::CUDAGuard guard(index_of(device));
    const Timer& timer = timer_of(device);
    C10_CUDA_CHECK(
        cudaEventRecord(timer.end, c10::cuda::getCurrentCUDAStream(index_of(device)).stream()));
    C10_CUDA_CHECK(cudaEventSynchronize(timer.end));
    float milliseconds = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, timer.begin, timer.end));
    *nanoseconds = static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
  });
}

// Uses the runtime, not LibTorch: the device's memory account must not count it.
const char* flush_l2(int device) {
  return guarded([&] {
    static std::map<int, std::pair<void*, std::size_t>> buffers;
    const c10::cuda::CUDAGuard guard(index_of(device));
    auto& [bytes, size] = buffers[device];
    if (bytes == nullptr) {
      int l2 = 0;
      C10_CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
      size = 2 * static_cast<std::size_t>(l2);
      C10_CUDA_CHECK(cudaMalloc(&bytes, size));
    }
    C10_CUDA_CHECK(cudaMemsetAsync(bytes, 0, size,
                                   c10::cuda::getCurrentCUDAStream(index_of(device)).stream()));
  });
}

// Uses the runtime, not LibTorch: the device's memory account must not count it.
const char* touch(int device) {
  return guarded([&] {
    const c10::cuda::CUDAGuard guard(index_of(device));
    void* bytes = nullptr;
    C10_CUDA_CHECK(cudaMalloc(&bytes, 4));
    const cudaError_t set = cudaMemset(bytes, 0, 4);
    const cudaError_t waited = cudaDeviceSynchronize();
    C10_CUDA_CHECK(cudaFree(bytes));
    C10_CUDA_CHECK(set);
    C10_CUDA_CHECK(waited);
  });
}

constexpr CudaApi kApi = {
    .version = kCudaApiVersion,
    .start = start,
    .device_count = device_count,
    .device_facts = device_facts,
    .synchronize = synchronize,
    .set_limit = set_limit,
    .remove_limit = remove_limit,
    .empty_cache = empty_cache,
    .clear_workspaces = clear_workspaces,
    .reset_peak = reset_peak,
    .memory = memory,
    .on_refused = on_refused,
    .on_allocator_event = on_allocator_event,
    .visit_allocator = visit_allocator,
    .broken = broken,
    .time_begin = time_begin,
    .time_end = time_end,
    .flush_l2 = flush_l2,
    .enter_side_stream = graphs::enter_side_stream,
    .leave_side_stream = graphs::leave_side_stream,
    .graph_make = graphs::make,
    .graph_begin = graphs::begin,
    .graph_end = graphs::end,
    .graph_replay = graphs::replay,
    .graph_drop = graphs::drop,
    .launch = launch_own_kernel,
    .recording = {.prepare = cupti::prepare,
                  .begin = cupti::begin,
                  .end = cupti::end,
                  .flush = cupti::flush,
                  .marks = {cupti::push, cupti::pop},
                  .read = cupti::read,
                  .touch = touch,
                  .clock = cupti::clock},
    .by_events = event_source,
};

}  // namespace
}  // namespace ts::kernels

extern "C" __attribute__((visibility("default"))) const ts::kernels::CudaApi*
tensorscope_cuda_api() {
  return &ts::kernels::kApi;
}
