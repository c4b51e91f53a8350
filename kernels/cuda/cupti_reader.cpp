#include "kernels/cuda/cupti_reader.h"

#include <cupti.h>
#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace ts::kernels {
namespace {

using capture::GpuKind;
using capture::GpuRecord;

// Calls that say nothing about what the program does.
bool noisy_runtime_call(std::uint32_t function) {
  switch (function) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020:
    case CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020:
    case CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020:
    case CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020:
    case CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020:
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamIsCapturing_v10000:
    case CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetAttribute_v5000:
      return true;
    default:
      return false;
  }
}

bool noisy_driver_call(std::uint32_t function) {
  switch (function) {
    case CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent:
    case CUPTI_DRIVER_TRACE_CBID_cuCtxSetCurrent:
    case CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxGetState:
    case CUPTI_DRIVER_TRACE_CBID_cuKernelGetAttribute:
      return true;
    default:
      return false;
  }
}

const char* copy_name(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return "memcpy host to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return "memcpy device to host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "memcpy device to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return "memcpy host to host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "memcpy peer to peer";
    default:
      return "memcpy";
  }
}

const char* overhead_name(CUpti_ActivityOverheadKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
      return "compiling kernels";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
      return "CUPTI buffer flush";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
      return "CUPTI instrumentation";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
      return "CUPTI resource";
    case CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING:
      return "loading a module";
    case CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING:
      return "loading a kernel";
    case CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL:
      return "waiting: launch queue full";
    default:
      return "overhead";
  }
}

template <class Record>
void take_time(const Record& from, GpuRecord& out) {
  out.begin_ns = static_cast<std::int64_t>(from.start);
  out.end_ns = static_cast<std::int64_t>(from.end);
}

template <class Record>
void take_place(const Record& from, GpuRecord& out) {
  take_time(from, out);
  out.correlation = from.correlationId;
  out.device = from.deviceId;
  out.stream = from.streamId;
  out.graph = from.graphId;
  out.graph_node = from.graphNodeId;
}

}  // namespace

template <class Record>
const Record* CuptiReader::as(const void* record, std::size_t bytes) {
  if (bytes >= sizeof(Record)) return static_cast<const Record*>(record);
  ++truncated_;
  return nullptr;
}

base::StringId CuptiReader::kernel_name(const char* mangled) {
  if (mangled == nullptr) return intern_("kernel");
  const auto known = kernels_.find(mangled);
  if (known != kernels_.end()) return known->second;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> clear(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  const base::StringId id = intern_(status == 0 && clear ? clear.get() : mangled);
  kernels_.emplace(mangled, id);
  return id;
}

base::StringId CuptiReader::name_of_call(bool driver, std::uint32_t function) {
  const std::uint64_t key = (std::uint64_t{driver} << 32U) | function;
  const auto known = calls_.find(key);
  if (known != calls_.end()) return known->second;
  const char* const told = call_name_ != nullptr ? call_name_(driver, function) : nullptr;
  std::string name = told != nullptr ? told : driver ? "driver call " : "runtime call ";
  if (told == nullptr) name += std::to_string(function);
  // The version in which a function got its present form: "cudaLaunchKernel_v7000".
  const std::size_t version = name.rfind("_v");
  if (version != std::string::npos && name.size() > version + 2 &&
      name.find_first_not_of("0123456789", version + 2) == std::string::npos) {
    name.resize(version);
  }
  const base::StringId id = intern_(name);
  calls_.emplace(key, id);
  return id;
}

bool CuptiReader::read(const void* record, std::size_t bytes, GpuRecord& out) {
  out = GpuRecord{};
  const auto* const head = as<CUpti_Activity>(record, bytes);
  if (head == nullptr) return false;
  switch (head->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: {
      const auto* const kernel = as<CUpti_ActivityKernel10>(record, bytes);
      if (kernel == nullptr) return false;
      out.kind = GpuKind::kernel;
      take_place(*kernel, out);
      out.name = kernel_name(kernel->name);
      out.grid = {kernel->gridX, kernel->gridY, kernel->gridZ};
      out.block = {kernel->blockX, kernel->blockY, kernel->blockZ};
      out.registers = kernel->registersPerThread;
      out.shared_memory = std::int64_t{kernel->staticSharedMemory} + kernel->dynamicSharedMemory;
      return true;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto* const copy = as<CUpti_ActivityMemcpy6>(record, bytes);
      if (copy == nullptr) return false;
      out.kind = GpuKind::copy;
      take_place(*copy, out);
      out.name = intern_(copy_name(copy->copyKind));
      out.bytes = static_cast<std::int64_t>(copy->bytes);
      return true;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const auto* const copy = as<CUpti_ActivityMemcpyPtoP4>(record, bytes);
      if (copy == nullptr) return false;
      out.kind = GpuKind::copy;
      take_place(*copy, out);
      out.name = intern_(copy_name(CUPTI_ACTIVITY_MEMCPY_KIND_PTOP));
      out.bytes = static_cast<std::int64_t>(copy->bytes);
      return true;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto* const fill = as<CUpti_ActivityMemset4>(record, bytes);
      if (fill == nullptr) return false;
      out.kind = GpuKind::fill;
      take_place(*fill, out);
      out.name = intern_("memset");
      out.bytes = static_cast<std::int64_t>(fill->bytes);
      return true;
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: {
      const auto* const call = as<CUpti_ActivityAPI>(record, bytes);
      if (call == nullptr) return false;
      const bool driver = head->kind == CUPTI_ACTIVITY_KIND_DRIVER;
      if (driver ? noisy_driver_call(call->cbid) : noisy_runtime_call(call->cbid)) return false;
      out.kind = GpuKind::call;
      take_time(*call, out);
      out.correlation = call->correlationId;
      out.thread = call->threadId;
      out.name = name_of_call(driver, call->cbid);
      return true;
    }
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto* const link = as<CUpti_ActivityExternalCorrelation>(record, bytes);
      if (link == nullptr) return false;
      out.kind = GpuKind::correlation;
      out.correlation = link->correlationId;
      out.op = capture::op_of(link->externalId);
      out.module = capture::module_of(link->externalId);
      return true;
    }
    case CUPTI_ACTIVITY_KIND_OVERHEAD: {
      const auto* const cost = as<CUpti_ActivityOverhead3>(record, bytes);
      if (cost == nullptr) return false;
      out.kind = GpuKind::overhead;
      take_time(*cost, out);
      out.name = intern_(overhead_name(cost->overheadKind));
      return true;
    }
    default:
      ++unknown_;
      return false;
  }
}

}  // namespace ts::kernels
