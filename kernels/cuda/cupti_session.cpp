#include "kernels/cuda/cupti_session.h"

#include <cupti.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "kernels/cuda/cupti_reader.h"

namespace ts::kernels::cupti {
namespace {

// 13.0.0 crashes when threads are named; 13.0.1 is the first that does not.
constexpr std::uint32_t kOldest = 130001;

// With this kind kernels of one stream may run concurrently; CUPTI_ACTIVITY_KIND_KERNEL would
// serialise them and change the measurement.
constexpr std::array kKinds = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMCPY2,
    CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_RUNTIME,
    CUPTI_ACTIVITY_KIND_DRIVER,
    CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
    CUPTI_ACTIVITY_KIND_OVERHEAD,
    CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
    CUPTI_ACTIVITY_KIND_MARKER,
};
constexpr CUpti_ExternalCorrelationKind kOurs = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

capture::GpuBuffers to_fill{};
capture::GpuSink sink{};
std::optional<CuptiReader> reader;
bool prepared = false;
std::string last_problem;

const char* problem(CUptiResult result, const char* doing) {
  if (result == CUPTI_SUCCESS) return nullptr;
  const char* text = nullptr;
  cuptiGetResultString(result, &text);
  last_problem = std::string("CUPTI cannot ") + doing + ": " + (text != nullptr ? text : "unknown");
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    last_problem += ". Another profiler is attached to this program (Nsight, a debugger)";
  } else if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
    last_problem += ". The driver gives this to administrators only, as some containers do";
  }
  return last_problem.c_str();
}

const char* call_name(bool driver, std::uint32_t function) {
  const char* name = nullptr;
  const auto domain = driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API;
  return cuptiGetCallbackName(domain, function, &name) == CUPTI_SUCCESS ? name : nullptr;
}

std::uint64_t CUPTIAPI our_clock() {
  return static_cast<std::uint64_t>(base::now_ns());
}

void CUPTIAPI buffer_wanted(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *buffer = to_fill.take(to_fill.user, bytes);
  *most_records = 0;
}

void CUPTIAPI buffer_filled(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                            std::size_t /*bytes*/, std::size_t valid) {
  if (buffer == nullptr) return;
  std::size_t lost = 0;
  cuptiActivityGetNumDroppedRecords(context, stream, &lost);
  to_fill.fill(to_fill.user, buffer, valid, lost);
}

}  // namespace

const char* prepare(const capture::GpuBuffers& buffers) {
  to_fill = buffers;
  if (prepared) return nullptr;
  std::uint32_t version = 0;
  if (const char* why = problem(cuptiGetVersion(&version), "tell its version")) return why;
  const auto needed = std::max<std::uint32_t>(kOldest, CUPTI_API_VERSION);
  if (version < needed) {
    last_problem = "CUPTI " + std::to_string(version) + " is older than " + std::to_string(needed) +
                   ", which this program was built with";
    return last_problem.c_str();
  }
  if (const char* why =
          problem(cuptiActivityRegisterTimestampCallback(our_clock), "use the program's clock")) {
    return why;
  }
  if (const char* why = problem(cuptiActivityRegisterCallbacks(buffer_wanted, buffer_filled),
                                "register its callbacks")) {
    return why;
  }
  prepared = true;
  return nullptr;
}

const char* begin(const capture::GpuSink& records) {
  sink = records;
  reader.emplace(
      [](std::string_view text) { return sink.intern(sink.user, text.data(), text.size()); },
      call_name,
      [](const char* text) {
        if (sink.keep_text != nullptr) sink.keep_text(sink.user, text);
        return text;
      });
  for (const CUpti_ActivityKind kind : kKinds) {
    if (const char* why = problem(cuptiActivityEnable(kind), "record")) {
      const std::string kept = why;
      end();
      last_problem = kept;
      return last_problem.c_str();
    }
  }
  return nullptr;
}

const char* end() {
  for (const CUpti_ActivityKind kind : kKinds) cuptiActivityDisable(kind);
  return problem(cuptiActivityFlushAll(0), "hand over what it recorded");
}

void flush() {
  cuptiActivityFlushAll(0);
}

std::int64_t clock() {
  std::uint64_t now = 0;
  if (cuptiGetTimestamp(&now) != CUPTI_SUCCESS) return base::now_ns();
  return static_cast<std::int64_t>(now);
}

void push(std::uint64_t id) noexcept {
  cuptiActivityPushExternalCorrelationId(kOurs, id);
}

void pop() noexcept {
  std::uint64_t ignored = 0;
  cuptiActivityPopExternalCorrelationId(kOurs, &ignored);
}

void read(const std::uint8_t* buffer, std::size_t bytes) {
  // CUPTI iterates over the buffer without changing it.
  auto* const start = const_cast<std::uint8_t*>(buffer);
  CUpti_Activity* record = nullptr;
  CUptiResult result = cuptiActivityGetNextRecord(start, bytes, &record);
  while (result == CUPTI_SUCCESS) {
    CUpti_Activity* next = record;
    result = cuptiActivityGetNextRecord(start, bytes, &next);
    const auto* const from = reinterpret_cast<const std::uint8_t*>(record);
    const auto* const to =
        result == CUPTI_SUCCESS ? reinterpret_cast<const std::uint8_t*>(next) : buffer + bytes;
    const auto length = static_cast<std::size_t>(to - from);
    if (sink.keep_record != nullptr) sink.keep_record(sink.user, record, length);
    capture::GpuRecord meaning;
    if (reader->read(record, length, meaning)) sink.take(sink.user, meaning);
    record = next;
  }
}

}  // namespace ts::kernels::cupti
