#pragma once

// The calls of the CUDA runtime that a file with a kernel of one's own may make.

#include <cstdio>
#include <cstdlib>

#include "kernels/executor/cuda_on_cpu.h"

using cudaError_t = int;
using cudaStream_t = int;
constexpr cudaError_t cudaSuccess = 0;
constexpr int cudaFuncAttributeMaxDynamicSharedMemorySize = 8;
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };

inline const char* cudaGetErrorString(cudaError_t /*error*/) {
  return "no error";
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
template <class T>
cudaError_t cudaMalloc(T** to, std::size_t bytes) {
  *to = static_cast<T*>(ts::executor::allocate("memory of cudaMalloc", bytes, 4, true));
  std::memset(static_cast<void*>(*to), 0xFF, bytes);  // NaN: nothing is in it yet
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* /*memory*/) {
  return cudaSuccess;  // all is released after a case
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
// Streams: everything is done when it is asked for.
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = 0;
  return cudaSuccess;
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
                                   cudaStream_t /*stream*/ = 0) {
  return cudaMemset(to, value, bytes);
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t /*stream*/ = 0) {
  return cudaMemcpy(to, from, bytes, kind);
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, int which, int value) {
  if (which == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    ts::executor::allow_shared(reinterpret_cast<const void*>(kernel),
                               static_cast<std::size_t>(value));
  }
  return cudaSuccess;
}
