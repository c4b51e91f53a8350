// libtensorscope_cuda.so: the only part that links libtorch_cuda.
#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <string>

#include "kernels/cuda/api.h"
#include "kernels/cuda/cupti_session.h"

namespace ts::kernels {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

std::string last_error;
std::atomic<CudaRefused> refused_callback{nullptr};
// Limit of the device in use, for the numbers of a refusal.
std::atomic<std::int64_t> current_limit{0};

// Runs `call`; an exception becomes its first line.
template <class Call>
const char* guarded(Call&& call) noexcept {
  try {
    call();
    return nullptr;
  } catch (const c10::Error& error) {
    last_error = error.what_without_backtrace();
  } catch (const std::exception& error) {
    last_error = error.what();
  } catch (...) {
    last_error = "CUDA failed for an unknown reason";
  }
  last_error.resize(std::min(last_error.size(), last_error.find('\n')));
  return last_error.c_str();
}

std::int64_t current(const c10::CachingAllocator::StatArray& stats) {
  return stats[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)].current;
}

std::int64_t peak(const c10::CachingAllocator::StatArray& stats) {
  return stats[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)].peak;
}

c10::DeviceIndex index_of(int device) {
  return static_cast<c10::DeviceIndex>(device);
}

// The allocator calls it before it throws, without holding its lock.
void note_refused(std::int64_t device, std::size_t asked, std::size_t /*total*/,
                  std::size_t /*free*/) {
  const CudaRefused refused = refused_callback.load();
  if (refused == nullptr) return;
  const std::int64_t limit = current_limit.load();
  const auto stats = allocator::getDeviceStats(static_cast<c10::DeviceIndex>(device));
  refused(static_cast<std::int64_t>(asked),
          std::max<std::int64_t>(0, limit - current(stats.reserved_bytes)), limit);
}

const char* start() {
  return guarded([] {
    // Says in words why there is no device.
    c10::cuda::device_count_ensure_non_zero();
    at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
    allocator::attachOutOfMemoryObserver(note_refused);
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
    facts->memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
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
    allocator::setMemoryFraction(static_cast<double>(limit) / static_cast<double>(total),
                                 index_of(device));
  });
}

const char* remove_limit(int device) {
  return guarded([&] { allocator::setMemoryFraction(1.0, index_of(device)); });
}

const char* empty_cache() {
  return guarded([] { allocator::emptyCache(); });
}

const char* reset_peak(int device) {
  return guarded([&] { allocator::resetPeakStats(index_of(device)); });
}

const char* memory(int device, CudaMemory* memory) {
  return guarded([&] {
    const auto stats = allocator::getDeviceStats(index_of(device));
    memory->allocated = current(stats.allocated_bytes);
    memory->peak = peak(stats.allocated_bytes);
    memory->reserved = current(stats.reserved_bytes);
  });
}

void on_refused(CudaRefused refused) {
  refused_callback = refused;
}

// By the runtime itself, not by LibTorch: the device's memory account must not see it.
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
    kCudaApiVersion,
    start,
    device_count,
    device_facts,
    synchronize,
    set_limit,
    remove_limit,
    empty_cache,
    reset_peak,
    memory,
    on_refused,
    {cupti::prepare,
     cupti::begin,
     cupti::end,
     cupti::flush,
     {cupti::push, cupti::pop},
     cupti::read,
     touch},
};

}  // namespace
}  // namespace ts::kernels

extern "C" __attribute__((visibility("default"))) const ts::kernels::CudaApi*
tensorscope_cuda_api() {
  return &ts::kernels::kApi;
}
