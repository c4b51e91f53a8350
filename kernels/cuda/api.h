#pragma once

#include <cstdint>

#include "core/capture/gpu_source.h"

namespace ts::kernels {

// The interface of libtensorscope_cuda.so: plain C, so that loading it is all that binds the two
// libraries. Functions that can fail return null or a sentence that stays valid until the next
// call; no exception crosses. Worker thread, but `refused` comes on whatever thread allocates.
struct CudaDeviceFacts {
  char name[256];
  std::int64_t memory_bytes;
};

struct CudaMemory {
  std::int64_t allocated;  // bytes of live blocks, as the caching allocator rounds them
  std::int64_t peak;       // of allocated, since the last reset
  std::int64_t reserved;   // bytes the caching allocator holds of the device
};

// What the allocator could not give: bytes asked, bytes the limit leaves, the limit.
using CudaRefused = void (*)(std::int64_t asked, std::int64_t free, std::int64_t limit);

inline constexpr int kCudaApiVersion = 2;

struct CudaApi {
  int version;
  // Initialises CUDA; the sentence says why it cannot be used.
  const char* (*start)();
  int (*device_count)();
  const char* (*device_facts)(int device, CudaDeviceFacts* facts);
  const char* (*synchronize)(int device);
  // A ceiling on the bytes the caching allocator may hold; a device that is smaller sets its own.
  const char* (*set_limit)(int device, std::int64_t bytes);
  const char* (*remove_limit)(int device);
  const char* (*empty_cache)();
  const char* (*reset_peak)(int device);
  const char* (*memory)(int device, CudaMemory* memory);
  // Called right before an out-of-memory error is thrown.
  void (*on_refused)(CudaRefused refused);
  capture::GpuSource recording;  // see cuda/cupti_session.h
};

inline constexpr const char* kCudaApiSymbol = "tensorscope_cuda_api";
using CudaApiFunction = const CudaApi* (*)();

}  // namespace ts::kernels
