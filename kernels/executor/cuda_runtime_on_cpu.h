#pragma once

// The calls of the CUDA runtime that a file with a kernel of one's own may make.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "kernels/executor/cuda_device_on_cpu.h"
#include "kernels/executor/cuda_functions_on_cpu.h"
#include "kernels/executor/cuda_on_cpu.h"

using cudaStream_t = struct CUstream_st*;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault,
};
constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0, cudaEventDisableTiming = 2;
constexpr unsigned cudaHostAllocDefault = 0, cudaMemAttachGlobal = 1;

inline const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    default:
      return "cudaErrorUnknown";
  }
}
inline const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    default:
      return "unknown error";
  }
}
inline cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
inline cudaError_t cudaPeekAtLastError() {
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}
inline cudaError_t cudaDeviceReset() {
  return cudaSuccess;
}

template <class T>
cudaError_t cudaMalloc(T** to, std::size_t bytes) {
  *to = static_cast<T*>(ts::executor::allocate("memory of cudaMalloc", bytes, 4, true));
  if (*to == nullptr) return cudaErrorMemoryAllocation;
  std::memset(static_cast<void*>(*to), 0xFF, bytes);  // NaN: nothing is in it yet
  return cudaSuccess;
}
template <class T>
cudaError_t cudaMallocManaged(T** to, std::size_t bytes, unsigned /*flags*/ = cudaMemAttachGlobal) {
  return cudaMalloc(to, bytes);
}
inline cudaError_t cudaFree(void* /*memory*/) {
  return cudaSuccess;  // all is released after a case
}
template <class T>
cudaError_t cudaMallocHost(T** to, std::size_t bytes, unsigned /*flags*/ = cudaHostAllocDefault) {
  *to = static_cast<T*>(ts::executor::allocate("memory of cudaMallocHost", bytes, 4, true));
  return *to != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
template <class T>
cudaError_t cudaHostAlloc(T** to, std::size_t bytes, unsigned flags) {
  return cudaMallocHost(to, bytes, flags);
}
inline cudaError_t cudaFreeHost(void* memory) {
  return cudaFree(memory);
}
inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes,
                              cudaMemcpyKind /*kind*/) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
// Variables of __constant__ and __device__.
template <class Symbol>
cudaError_t cudaMemcpyToSymbol(Symbol& to, const void* from, std::size_t bytes,
                               std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpy(reinterpret_cast<char*>(const_cast<std::remove_const_t<Symbol>*>(&to)) + offset,
                    from, bytes, kind);
}
template <class Symbol>
cudaError_t cudaMemcpyFromSymbol(void* to, const Symbol& from, std::size_t bytes,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpy(to, reinterpret_cast<const char*>(&from) + offset, bytes, kind);
}

// Streams: everything is done when it is asked for.
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  return cudaStreamCreate(stream);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t /*stream*/) {
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t /*stream*/) {
  return cudaSuccess;
}
template <class T>
cudaError_t cudaMallocAsync(T** to, std::size_t bytes, cudaStream_t /*stream*/) {
  return cudaMalloc(to, bytes);
}
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t /*stream*/) {
  return cudaFree(memory);
}
inline cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes,
                                   cudaStream_t /*stream*/ = nullptr) {
  return cudaMemset(to, value, bytes);
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t /*stream*/ = nullptr) {
  return cudaMemcpy(to, from, bytes, kind);
}

// Events have the time of the executor, which says nothing of a card's.
struct CUevent_st {
  std::chrono::steady_clock::time_point at;
};
using cudaEvent_t = CUevent_st*;
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st();
  return cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  return cudaEventCreate(event);
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t /*stream*/ = nullptr) {
  event->at = std::chrono::steady_clock::now();
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t /*event*/) {
  return cudaSuccess;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t /*stream*/, cudaEvent_t /*event*/,
                                       unsigned /*flags*/ = 0) {
  return cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - begin->at).count();
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

template <class... Types>
cudaError_t cudaLaunchKernel(void (*kernel)(Types...), dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    Launch(kernel, grid, block, shared_bytes,
           stream)(*static_cast<std::remove_cvref_t<Types>*>(arguments[i])...);
  }
  (std::index_sequence_for<Types...>());
  return cudaSuccess;
}
