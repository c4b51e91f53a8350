#pragma once

#include <cstddef>
#include <cstdint>

#include "core/allocator/snapshot.h"
#include "core/capture/gpu_source.h"

namespace ts::kernels {

// The interface of libtensorscope_cuda.so: plain C, so that loading it is the only link between the
// two libraries. Functions that can fail return null or a sentence that stays valid until the next
// call; no exception crosses. Worker thread, but `refused` and the listener are called on whichever
// thread allocates.
struct CudaDeviceFacts {
  char name[256];
  char pci_address[32];  // "0000:3B:00.0", its identifier for NVML
  std::int64_t memory_bytes;
  std::int64_t l2_bytes;
  int capability;  // 90 is sm_90
};

struct CudaMemory {
  std::int64_t allocated;  // bytes of live blocks, as the caching allocator rounds them
  std::int64_t peak;       // of allocated, since the last reset
  std::int64_t reserved;   // bytes the caching allocator holds of the device
};

// An event of the caching allocator, reported under its lock: the listener must not call the
// allocator. Sizes are the requested ones; for oom the address is the bytes that the device has
// free.
struct CudaAllocatorEvent {
  allocator::TraceAction action;
  std::int32_t device;
  std::uint64_t address;
  std::int64_t size;
  std::int64_t stream;
};
using CudaAllocatorListener = void (*)(const CudaAllocatorEvent& event);

// The current segments and blocks, in sequence: the blocks of a segment follow it.
struct CudaSegment {
  std::int32_t device;
  std::uint64_t address;
  std::int64_t total_size;
  std::int64_t allocated_size;
  std::int64_t active_size;
  std::int64_t requested_size;
  std::int64_t stream;
  std::int64_t pool[2];  // 0, 0: the default one; else that of a CUDA graph
  bool small_pool;
  bool expandable;
};
struct CudaBlock {
  std::uint64_t address;
  std::int64_t size;
  std::int64_t requested;
  allocator::BlockState state;
};
struct CudaAllocatorSettings {
  const char* conf;  // valid during the call
  std::int64_t max_split_size;
  double garbage_collection_threshold;
  bool expandable_segments;
  const std::int64_t* divisions;
  std::size_t division_count;
};
struct CudaAllocatorVisitor {
  void* user;
  void (*segment)(void* user, const CudaSegment& segment);
  void (*block)(void* user, const CudaBlock& block);
  void (*settings)(void* user, const CudaAllocatorSettings& settings);
};

// An allocation that the allocator refused: bytes requested, bytes that the limit leaves, the
// limit.
using CudaRefused = void (*)(std::int64_t asked, std::int64_t free, std::int64_t limit);

// A kernel of kernels/own_cuda with one argument, the struct at `problem`.
struct CudaLaunch {
  const char* folder;  // of the compiled kernels, NAME.fatbin
  const char* kernel;
  unsigned grid[3], block[3];
  unsigned shared_bytes;  // of a block, beside what the kernel has by itself
  const void* problem;
  int device;
};

struct CudaGraph;  // opaque: only that library knows its members

inline constexpr int kCudaApiVersion = 7;

struct CudaApi {
  int version;
  // Initialises CUDA; the sentence says why it cannot be used.
  const char* (*start)();
  int (*device_count)();
  const char* (*device_facts)(int device, CudaDeviceFacts* facts);
  const char* (*synchronize)(int device);
  // A limit on the bytes that the caching allocator may hold; a smaller device has its own limit.
  const char* (*set_limit)(int device, std::int64_t bytes);
  const char* (*remove_limit)(int device);
  const char* (*empty_cache)();
  // Lets go of the workspaces that cuBLAS keeps for the process; the next product takes new ones.
  const char* (*clear_workspaces)();
  const char* (*reset_peak)(int device);
  const char* (*memory)(int device, CudaMemory* memory);
  // Called right before an out-of-memory error is thrown.
  void (*on_refused)(CudaRefused refused);
  void (*on_allocator_event)(CudaAllocatorListener listener);
  const char* (*visit_allocator)(const CudaAllocatorVisitor& visitor);
  // True if the device no longer responds: after an error that CUDA keeps permanently.
  bool (*broken)(int device);
  // Nanoseconds between two events on the current stream; end waits for the second.
  const char* (*time_begin)(int device);
  const char* (*time_end)(int device, std::int64_t* nanoseconds);
  // Writes twice the size of the L2 cache, so that later work finds it cold; does not wait.
  const char* (*flush_l2)(int device);
  // CUDA graphs, see cuda/graphs.h.
  const char* (*enter_side_stream)(int device);
  void (*leave_side_stream)(int device);
  CudaGraph* (*graph_make)(int device);
  const char* (*graph_begin)(CudaGraph* graph);
  const char* (*graph_end)(CudaGraph* graph);
  const char* (*graph_replay)(CudaGraph* graph);
  void (*graph_drop)(CudaGraph* graph);
  // On the current stream; any thread. See cuda/own_launch.h.
  const char* (*launch)(const CudaLaunch& launch);
  capture::GpuSource recording;       // see cuda/cupti_session.h
  capture::GpuSource (*by_events)();  // instead of `recording`, see cuda/event_session.h
};

inline constexpr const char* kCudaApiSymbol = "tensorscope_cuda_api";
using CudaApiFunction = const CudaApi* (*)();

}  // namespace ts::kernels
