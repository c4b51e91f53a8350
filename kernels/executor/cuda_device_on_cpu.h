#pragma once

// The answers of the CUDA runtime about the card and a kernel on it. The card is an H100 SXM as
// NVIDIA documents it (CUDA C++ Programming Guide, "Compute Capabilities", 9.0; the datasheet),
// whose limit of shared memory is the executor's.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/executor/executor.h"

enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchFailure = 719,
};
using cudaError_t = cudaError;

struct cudaDeviceProp {
  char name[256] = "NVIDIA H100 80GB HBM3";
  std::size_t totalGlobalMem = std::size_t{80} << 30U;
  std::size_t sharedMemPerBlock = std::size_t{48} << 10U;
  int regsPerBlock = 65536;
  int warpSize = 32;
  std::size_t memPitch = (std::size_t{1} << 31U) - 1;
  int maxThreadsPerBlock = 1024;
  int maxThreadsDim[3] = {1024, 1024, 64};
  int maxGridSize[3] = {2147483647, 65535, 65535};
  int clockRate = 1980000;  // kHz
  std::size_t totalConstMem = std::size_t{64} << 10U;
  int major = 9, minor = 0;
  std::size_t textureAlignment = 512;
  int deviceOverlap = 1;
  int multiProcessorCount = 132;
  int kernelExecTimeoutEnabled = 0;
  int integrated = 0;
  int canMapHostMemory = 1;
  int computeMode = 0;
  int concurrentKernels = 1;
  int ECCEnabled = 1;
  int pciBusID = 1, pciDeviceID = 0, pciDomainID = 0;
  int asyncEngineCount = 3;
  int unifiedAddressing = 1;
  int memoryClockRate = 2619000;  // kHz
  int memoryBusWidth = 5120;      // bits
  int l2CacheSize = 50 << 20;
  int persistingL2CacheMaxSize = 32 << 20;
  int maxThreadsPerMultiProcessor = 2048;
  int streamPrioritiesSupported = 1;
  int globalL1CacheSupported = 1, localL1CacheSupported = 1;
  std::size_t sharedMemPerMultiprocessor = std::size_t{228} << 10U;
  int regsPerMultiprocessor = 65536;
  int managedMemory = 1;
  int cooperativeLaunch = 1;
  std::size_t sharedMemPerBlockOptin = ts::executor::kMostShared;
  int maxBlocksPerMultiProcessor = 32;
  std::size_t reservedSharedMemPerBlock = std::size_t{1} << 10U;
};

// The numbers are CUDA's.
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxBlockDimX = 2,
  cudaDevAttrMaxBlockDimY = 3,
  cudaDevAttrMaxBlockDimZ = 4,
  cudaDevAttrMaxGridDimX = 5,
  cudaDevAttrMaxGridDimY = 6,
  cudaDevAttrMaxGridDimZ = 7,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrTotalConstantMemory = 9,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMaxRegistersPerBlock = 12,
  cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrConcurrentKernels = 31,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor = 82,
  cudaDevAttrManagedMemory = 83,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106,
  cudaDevAttrReservedSharedMemoryPerBlock = 111,
};

// -1: no such attribute here.
inline int ts_attribute(cudaDeviceAttr which) {
  const cudaDeviceProp card;
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
      return card.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
    case cudaDevAttrMaxBlockDimZ:
      return card.maxThreadsDim[which - cudaDevAttrMaxBlockDimX];
    case cudaDevAttrMaxGridDimX:
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return card.maxGridSize[which - cudaDevAttrMaxGridDimX];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(card.sharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
      return static_cast<int>(card.totalConstMem);
    case cudaDevAttrWarpSize:
      return card.warpSize;
    case cudaDevAttrMaxRegistersPerBlock:
      return card.regsPerBlock;
    case cudaDevAttrClockRate:
      return card.clockRate;
    case cudaDevAttrMultiProcessorCount:
      return card.multiProcessorCount;
    case cudaDevAttrConcurrentKernels:
      return card.concurrentKernels;
    case cudaDevAttrMemoryClockRate:
      return card.memoryClockRate;
    case cudaDevAttrGlobalMemoryBusWidth:
      return card.memoryBusWidth;
    case cudaDevAttrL2CacheSize:
      return card.l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return card.maxThreadsPerMultiProcessor;
    case cudaDevAttrComputeCapabilityMajor:
      return card.major;
    case cudaDevAttrComputeCapabilityMinor:
      return card.minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(card.sharedMemPerMultiprocessor);
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return card.regsPerMultiprocessor;
    case cudaDevAttrManagedMemory:
      return card.managedMemory;
    case cudaDevAttrCooperativeLaunch:
      return card.cooperativeLaunch;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(card.sharedMemPerBlockOptin);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return card.maxBlocksPerMultiProcessor;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return static_cast<int>(card.reservedSharedMemPerBlock);
  }
  return -1;
}

inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {};
  return cudaSetDevice(device);
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  if (const cudaError_t error = cudaSetDevice(device); error != cudaSuccess) return error;
  *value = ts_attribute(which);
  return *value < 0 ? cudaErrorInvalidValue : cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  *all = cudaDeviceProp().totalGlobalMem;
  *free = *all - (std::size_t{1} << 30U);
  return cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int* version) {
  *version = 12040;
  return cudaSuccess;
}
inline cudaError_t cudaRuntimeGetVersion(int* version) {
  return cudaDriverGetVersion(version);
}

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxL1 = 0,
  cudaSharedmemCarveoutMaxShared = 100,
};
enum cudaFuncCache {
  cudaFuncCachePreferNone,
  cudaFuncCachePreferShared,
  cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual,
};
struct cudaFuncAttributes {
  std::size_t sharedSizeBytes = 0, constSizeBytes = 0, localSizeBytes = 0;
  int maxThreadsPerBlock = 1024;
  int numRegs = 32;  // nothing here knows them
  int ptxVersion = 90, binaryVersion = 90;
  int maxDynamicSharedSizeBytes = 0;
};

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute which, int value) {
  if (which != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  const auto bytes = static_cast<std::size_t>(value);
  ts::executor::allow_shared(reinterpret_cast<const void*>(kernel), bytes);
  return value >= 0 && bytes <= ts::executor::kMostShared ? cudaSuccess : cudaErrorInvalidValue;
}
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* of, Kernel* kernel) {
  const auto shared = ts::executor::shared_memory_of(reinterpret_cast<const void*>(kernel));
  *of = {};
  of->sharedSizeBytes = shared.variables;
  of->maxDynamicSharedSizeBytes = static_cast<int>(shared.most);
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel* /*kernel*/, cudaFuncCache /*config*/) {
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache /*config*/) {
  return cudaSuccess;
}

// By threads and shared memory; registers are not known.
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int threads,
                                                          std::size_t shared_bytes) {
  const cudaDeviceProp card;
  *blocks = 0;
  if (threads <= 0 || threads > card.maxThreadsPerBlock) return cudaErrorInvalidValue;
  const std::size_t whole_warps = (static_cast<std::size_t>(threads) + 31) / 32 * 32;
  const auto shared = ts::executor::shared_memory_of(reinterpret_cast<const void*>(kernel));
  if (shared_bytes > shared.most) return cudaSuccess;
  const std::size_t bytes = shared.variables + shared_bytes + card.reservedSharedMemPerBlock;
  *blocks = static_cast<int>(
      std::min({static_cast<std::size_t>(card.maxBlocksPerMultiProcessor),
                static_cast<std::size_t>(card.maxThreadsPerMultiProcessor) / whole_warps,
                card.sharedMemPerMultiprocessor / bytes}));
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* least_grid, int* threads, Kernel* kernel,
                                               std::size_t shared_bytes = 0, int most_threads = 0) {
  const cudaDeviceProp card;
  *threads =
      most_threads > 0 ? std::min(most_threads, card.maxThreadsPerBlock) : card.maxThreadsPerBlock;
  int blocks = 0;
  const cudaError_t error =
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, *threads, shared_bytes);
  *least_grid = blocks * card.multiProcessorCount;
  return error;
}
