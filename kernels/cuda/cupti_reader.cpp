#include "kernels/cuda/cupti_reader.h"

#include <cupti.h>

namespace ts::kernels {
namespace {

using capture::GpuKind;
using capture::GpuRecord;

// Calls without information about the program.
bool noisy_runtime_call(std::uint32_t function) {
  switch (function) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020:
    case CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020:
    case CUPTI_RUNTIME_TRACE_CBID_cudaGetDeviceCount_v3020:
    case CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020:
    case CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020:
    case CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020:
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamIsCapturing_v10000:
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetCaptureInfo_v10010:
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetCaptureInfo_v2_v11030:
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetCaptureInfo_v12030:
    case CUPTI_RUNTIME_TRACE_CBID_cudaThreadExchangeStreamCaptureMode_v10010:
    case CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetAttribute_v5000:
    case CUPTI_RUNTIME_TRACE_CBID_cudaFuncGetAttributes_v3020:
      return true;
    default:
      return false;
  }
}

bool noisy_driver_call(std::uint32_t function) {
  switch (function) {
    case CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent:
    case CUPTI_DRIVER_TRACE_CBID_cuCtxSetCurrent:
    case CUPTI_DRIVER_TRACE_CBID_cuCtxGetDevice:
    case CUPTI_DRIVER_TRACE_CBID_cuDeviceGetAttribute:
    case CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxGetState:
    case CUPTI_DRIVER_TRACE_CBID_cuFuncGetAttribute:
    case CUPTI_DRIVER_TRACE_CBID_cuGetProcAddress:
    case CUPTI_DRIVER_TRACE_CBID_cuGetProcAddress_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuKernelGetAttribute:
    case CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamIsCapturing:
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

const char* wait_name(CUpti_ActivitySynchronizationType type) {
  switch (type) {
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE:
      return "waiting for an event";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT:
      return "stream waits for an event";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE:
      return "waiting for a stream";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE:
      return "waiting for the device";
    default:
      return "waiting";
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

// One function for each record; false if the record would only hide others.

bool take(const CUpti_ActivityKernel10& kernel, CuptiNames& names, GpuRecord& out) {
  out.kind = GpuKind::kernel;
  take_place(kernel, out);
  out.name = names.kernel(kernel.name);
  out.grid = {kernel.gridX, kernel.gridY, kernel.gridZ};
  out.block = {kernel.blockX, kernel.blockY, kernel.blockZ};
  out.registers = kernel.registersPerThread;
  out.shared_memory = std::int64_t{kernel.staticSharedMemory} + kernel.dynamicSharedMemory;
  return true;
}

bool take(const CUpti_ActivityMemcpy6& copy, CuptiNames& names, GpuRecord& out) {
  out.kind = GpuKind::copy;
  take_place(copy, out);
  out.name = names.plain(copy_name(copy.copyKind));
  out.bytes = static_cast<std::int64_t>(copy.bytes);
  return true;
}

bool take(const CUpti_ActivityMemcpyPtoP4& copy, CuptiNames& names, GpuRecord& out) {
  out.kind = GpuKind::copy;
  take_place(copy, out);
  out.name = names.plain(copy_name(CUPTI_ACTIVITY_MEMCPY_KIND_PTOP));
  out.bytes = static_cast<std::int64_t>(copy.bytes);
  return true;
}

bool take(const CUpti_ActivityMemset4& fill, CuptiNames& names, GpuRecord& out) {
  out.kind = GpuKind::fill;
  take_place(fill, out);
  out.name = names.plain("memset");
  out.bytes = static_cast<std::int64_t>(fill.bytes);
  return true;
}

bool take(const CUpti_ActivityAPI& call, CuptiNames& names, GpuRecord& out) {
  const bool driver = call.kind == CUPTI_ACTIVITY_KIND_DRIVER;
  if (driver ? noisy_driver_call(call.cbid) : noisy_runtime_call(call.cbid)) return false;
  out.kind = GpuKind::call;
  take_time(call, out);
  out.correlation = call.correlationId;
  out.thread = call.threadId;
  out.name = names.call(driver, call.cbid);
  return true;
}

bool take(const CUpti_ActivityExternalCorrelation& link, CuptiNames& /*names*/, GpuRecord& out) {
  out.kind = GpuKind::correlation;
  out.correlation = link.correlationId;
  out.op = capture::op_of(link.externalId);
  out.module = capture::module_of(link.externalId);
  return true;
}

bool take(const CUpti_ActivityOverhead3& cost, CuptiNames& names, GpuRecord& out) {
  out.kind = GpuKind::overhead;
  take_time(cost, out);
  out.name = names.plain(overhead_name(cost.overheadKind));
  return true;
}

bool take(const CUpti_ActivitySynchronization2& wait, CuptiNames& names, GpuRecord& out) {
  out.kind = GpuKind::wait;
  take_time(wait, out);
  out.correlation = wait.correlationId;
  out.stream = wait.streamId == CUPTI_SYNCHRONIZATION_INVALID_VALUE ? 0 : wait.streamId;
  out.name = names.plain(wait_name(wait.type));
  return true;
}

bool take(const CUpti_ActivityMarker2& mark, CuptiNames& names, GpuRecord& out) {
  out.kind = GpuKind::mark;
  if ((mark.flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0) out.kind = GpuKind::mark_begin;
  if ((mark.flags & CUPTI_ACTIVITY_FLAG_MARKER_END) != 0) out.kind = GpuKind::mark_end;
  out.begin_ns = static_cast<std::int64_t>(mark.timestamp);
  out.end_ns = out.begin_ns;
  out.correlation = mark.id;
  if (mark.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD) out.thread = mark.objectId.pt.threadId;
  out.name = names.mark(mark.name);
  return true;
}

}  // namespace

template <class Record>
bool CuptiReader::read_as(const void* record, std::size_t bytes, GpuRecord& out) {
  if (bytes >= sizeof(Record)) return take(*static_cast<const Record*>(record), names_, out);
  ++truncated_;
  return false;
}

bool CuptiReader::read(const void* record, std::size_t bytes, GpuRecord& out) {
  out = GpuRecord{};
  if (bytes < sizeof(CUpti_Activity)) {
    ++truncated_;
    return false;
  }
  switch (static_cast<const CUpti_Activity*>(record)->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      return read_as<CUpti_ActivityKernel10>(record, bytes, out);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return read_as<CUpti_ActivityMemcpy6>(record, bytes, out);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return read_as<CUpti_ActivityMemcpyPtoP4>(record, bytes, out);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return read_as<CUpti_ActivityMemset4>(record, bytes, out);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return read_as<CUpti_ActivityAPI>(record, bytes, out);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return read_as<CUpti_ActivityExternalCorrelation>(record, bytes, out);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return read_as<CUpti_ActivityOverhead3>(record, bytes, out);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return read_as<CUpti_ActivitySynchronization2>(record, bytes, out);
    case CUPTI_ACTIVITY_KIND_MARKER:
      return read_as<CUpti_ActivityMarker2>(record, bytes, out);
    default:
      ++unknown_;
      return false;
  }
}

}  // namespace ts::kernels
