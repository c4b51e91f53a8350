// Plays libtensorscope_cuda.so where there is no GPU: a script asks it for blocks and kernels by
// ctypes, and it tells of them as LibTorch's allocator and CUPTI would.
#include <c10/core/Allocator.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "core/base/clock.h"
#include "kernels/cuda/api.h"

namespace {

using ts::capture::GpuKind;
using ts::capture::GpuRecord;
using ts::kernels::CudaAllocatorEvent;

struct Record {
  GpuRecord content;
  char name[64];
};

int cards = 1;
std::int64_t in_use = 0;
std::int64_t limit_of_card = 0;
std::uint64_t next_address = 0x7000'0000'0000;
std::map<std::uint64_t, std::int64_t> blocks;
ts::kernels::CudaRefused refused = nullptr;
ts::kernels::CudaAllocatorListener listener = nullptr;

std::mutex mutex;
std::vector<Record> records;
ts::capture::GpuBuffers buffers{};
ts::capture::GpuSink sink{};
std::uint32_t launches = 0;
thread_local std::vector<std::uint64_t> marks;

void add(GpuKind kind, const char* name, std::uint64_t mark = 0) {
  Record record{};
  record.content.kind = kind;
  record.content.correlation = launches;
  record.content.begin_ns = ts::base::now_ns();
  record.content.end_ns = record.content.begin_ns + 1000;
  record.content.stream = 7;
  if (kind == GpuKind::kernel) {
    record.content.grid = {4, 1, 1};
    record.content.block = {128, 1, 1};
  }
  record.content.op = ts::capture::op_of(mark);
  record.content.module = ts::capture::module_of(mark);
  std::strncpy(record.name, name, sizeof(record.name) - 1);
  const std::lock_guard lock(mutex);
  records.push_back(record);
}

void tell(ts::allocator::TraceAction action, int card, std::uint64_t address, std::int64_t size) {
  if (listener != nullptr) listener({action, card, address, size, 0});
}

void report(std::uint64_t address, std::int64_t size, int card) {
  c10::reportMemoryUsageToProfiler(
      reinterpret_cast<void*>(address), size, static_cast<std::size_t>(in_use),
      static_cast<std::size_t>(in_use),
      c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(card)));
}

void flush() {
  std::vector<Record> ready;
  {
    const std::lock_guard lock(mutex);
    ready.swap(records);
  }
  if (ready.empty()) return;
  std::size_t room = 0;
  std::uint8_t* const buffer = buffers.take(buffers.user, &room);
  const std::size_t bytes = ready.size() * sizeof(Record);
  if (buffer == nullptr || bytes > room) return;
  std::memcpy(buffer, ready.data(), bytes);
  buffers.fill(buffers.user, buffer, bytes, 0);
}

void read(const std::uint8_t* buffer, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += sizeof(Record)) {
    Record record{};
    std::memcpy(&record, buffer + at, sizeof(record));
    record.content.name = sink.intern(sink.user, record.name, std::strlen(record.name));
    sink.take(sink.user, record.content);
  }
}

const char* visit(const ts::kernels::CudaAllocatorVisitor& visitor) {
  ts::kernels::CudaSegment segment{};
  segment.address = 0x7000'0000'0000;
  segment.total_size = 2 << 20;
  visitor.segment(visitor.user, segment);
  ts::kernels::CudaAllocatorSettings settings{};
  settings.conf = "";
  settings.max_split_size = -1;
  visitor.settings(visitor.user, settings);
  return nullptr;
}

ts::kernels::CudaApi make_api() {
  ts::kernels::CudaApi api{};
  api.version = ts::kernels::kCudaApiVersion;
  api.start = []() -> const char* { return nullptr; };
  api.device_count = [] { return cards; };
  api.device_facts = [](int card, ts::kernels::CudaDeviceFacts* facts) -> const char* {
    *facts = {};
    std::strcpy(facts->name, card == 0 ? "Stand-in 0" : "Stand-in 1");
    facts->memory_bytes = std::int64_t{8} << 30;
    return nullptr;
  };
  api.synchronize = [](int) -> const char* { return nullptr; };
  api.set_limit = [](int, std::int64_t bytes) -> const char* {
    limit_of_card = bytes;
    return nullptr;
  };
  api.memory = [](int, ts::kernels::CudaMemory* memory) -> const char* {
    *memory = {in_use, in_use, in_use};
    return nullptr;
  };
  api.on_refused = [](ts::kernels::CudaRefused wanted) { refused = wanted; };
  api.on_allocator_event = [](ts::kernels::CudaAllocatorListener wanted) { listener = wanted; };
  api.visit_allocator = visit;
  api.recording = {.prepare = [](const ts::capture::GpuBuffers& wanted) -> const char* {
                     buffers = wanted;
                     return nullptr;
                   },
                   .begin = [](const ts::capture::GpuSink& wanted) -> const char* {
                     sink = wanted;
                     return nullptr;
                   },
                   .end = []() -> const char* {
                     flush();
                     return nullptr;
                   },
                   .flush = flush,
                   .marks = {[](std::uint64_t id) noexcept { marks.push_back(id); },
                             []() noexcept { marks.pop_back(); }},
                   .read = read,
                   .touch = [](int) -> const char* {
                     add(GpuKind::fill, "fill");
                     return nullptr;
                   }};
  return api;
}

}  // namespace

#define TOLD extern "C" __attribute__((visibility("default")))

TOLD const ts::kernels::CudaApi* tensorscope_cuda_api() {
  static const ts::kernels::CudaApi api = make_api();
  return &api;
}

TOLD void fake_cards(int count) {
  cards = count;
}

// `block`: the bytes of the block that was found for `asked`.
TOLD std::uint64_t fake_take(int card, std::int64_t asked, std::int64_t block) {
  const std::uint64_t address = next_address;
  next_address += static_cast<std::uint64_t>(block);
  blocks[address] = block;
  in_use += block;
  tell(ts::allocator::TraceAction::alloc, card, address, asked);
  report(address, block, card);
  return address;
}

TOLD void fake_drop(int card, std::uint64_t address, std::int64_t asked) {
  const std::int64_t block = blocks[address];
  in_use -= block;
  tell(ts::allocator::TraceAction::free_requested, card, address, asked);
  report(address, -block, card);
  tell(ts::allocator::TraceAction::free_completed, card, address, asked);
}

TOLD void fake_refuse(std::int64_t asked) {
  refused(asked, limit_of_card - in_use, limit_of_card);
}

TOLD void fake_launch(const char* kernel) {
  ++launches;
  if (!marks.empty()) add(GpuKind::correlation, "", marks.back());
  add(GpuKind::call, "cudaLaunchKernel");
  add(GpuKind::kernel, kernel);
}
