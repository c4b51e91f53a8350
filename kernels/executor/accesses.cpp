// The memory that kernels may touch, and who touched it last. -fsanitize=thread has the compiler
// call
// __tsan_read4 and its like before each access; these are here instead of ThreadSanitizer's, which
// knows threads of the system only.
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/executor/executor.h"
#include "kernels/executor/state.h"

namespace ts::executor {
namespace {

// One element: the last write, and the last reads and atomic operations of two threads.
struct Element {
  Moment write, read, other_read, atomic, other_atomic;
  std::uint32_t atomics = 0;  // so far
};

struct Memory {
  std::string name;
  unsigned char* begin = nullptr;
  std::size_t bytes = 0;
  std::size_t unit = 1;
  bool writable = true;
  bool of_a_block = false;  // shared memory: nothing in it outlives a block
  std::vector<Element> elements = {};

  [[nodiscard]] bool holds(const unsigned char* place) const {
    return place >= begin && place < begin + bytes;
  }
};

// All tensors lie in one range of addresses, far from each other: whatever a kernel touches between
// them is outside of all.
constexpr std::size_t kRange = std::size_t{1} << 30U;
constexpr std::size_t kGap = std::size_t{4} << 20U;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kSharedUnit = 2;  // bytes; accesses of one byte are not compared

struct Memories {
  unsigned char* range = nullptr;
  std::size_t used = 0;
  Memory dynamic, fixed;  // shared memory: of the launch's size; of __shared__ variables
  unsigned char* dynamic_end = nullptr;
  std::vector<Memory> tensors;
  std::vector<Bytes> segments;  // of the program and its libraries
};

Memories& memories() {
  static Memories all;
  return all;
}

// Fresh pages whose end is the end of the memory, up to the alignment of 16 bytes.
unsigned char* take_pages(std::size_t bytes) {
  Memories& all = memories();
  if (all.range == nullptr) {
    all.range = static_cast<unsigned char*>(
        mmap(nullptr, kRange, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
  if (bytes > kRange || all.used + whole + 2 * kGap > kRange) return nullptr;
  unsigned char* const begin = all.range + all.used + kGap;
  all.used += kGap + whole;
  mprotect(begin, whole, PROT_READ | PROT_WRITE);
  return begin + (whole - (bytes + 15) / 16 * 16);
}

// Variables of __shared__ are thread_local (cuda_on_cpu.h): the blocks of memory that the program
// and its libraries have for such variables.
int add_thread_locals(dl_phdr_info* info, std::size_t /*size*/, void* to) {
  if (info->dlpi_tls_data == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
    static_cast<std::vector<std::pair<unsigned char*, std::size_t>>*>(to)->emplace_back(
        static_cast<unsigned char*>(info->dlpi_tls_data), info->dlpi_phdr[i].p_memsz);
  }
  return 0;
}

void find_fixed(Memory& fixed) {
  std::vector<std::pair<unsigned char*, std::size_t>> found;
  dl_iterate_phdr(add_thread_locals, &found);
  if (found.empty()) return;
  const auto [first, last] = std::minmax_element(found.begin(), found.end());
  fixed.begin = first->first;
  fixed.bytes = static_cast<std::size_t>(last->first + last->second - first->first);
}

bool in_order(const Moment& before, bool of_a_block) {
  const Moment& here = now.moment;
  if (before.block == 0 || before.thread < 0) return true;
  if (before.block != here.block) return of_a_block || before.block < now.first_block;
  if (before.thread == here.thread || before.barriers < here.barriers) return true;
  return before.thread / 32 == here.thread / 32 && before.in_warp < here.in_warp;
}

// An exchange is an atomic operation that takes a place as it is.
enum class Access : std::uint8_t { read, write, atomic, exchange };

void compare(Memory& memory, std::size_t index, Access access, const void* code) {
  Element& element = memory.elements[index];
  const bool write = access != Access::read, atomic = access >= Access::atomic;
  const auto race = [&](const Moment& before, bool other_write) {
    if (in_order(before, memory.of_a_block)) return false;
    stop_with({.kind = Finding::Kind::race,
               .other = before.thread,
               .other_block = index_of_block(before.block),
               .write = write,
               .other_write = other_write,
               .memory = memory.name,
               .index = static_cast<std::int64_t>(index),
               .elements = static_cast<std::int64_t>(memory.elements.size()),
               .unit = static_cast<int>(memory.unit),
               .code = code});
    return true;
  };
  // Shared memory that no thread of the block has written.
  const auto not_written = [&](bool changes) {
    if (!memory.of_a_block || element.write.block == now.moment.block) return false;
    stop_with({.kind = Finding::Kind::not_written,
               .write = changes,
               .memory = memory.name,
               .index = static_cast<std::int64_t>(index),
               .elements = static_cast<std::int64_t>(memory.elements.size()),
               .unit = static_cast<int>(memory.unit),
               .code = code});
    return true;
  };
  if (race(element.write, true)) return;
  if (!atomic && (race(element.atomic, true) || race(element.other_atomic, true))) return;
  if (atomic) {
    if (race(element.read, false) || race(element.other_read, false)) return;
    if (memory.of_a_block && element.atomic.block != now.moment.block) element.atomics = 0;
    if (element.atomics == 0 && access == Access::atomic && not_written(true)) return;
    if (element.atomic.thread != now.moment.thread) element.other_atomic = element.atomic;
    element.atomic = now.moment;
    ++element.atomics;
    return;
  }
  if (write) {
    if (race(element.read, false) || race(element.other_read, false)) return;
    element.write = now.moment;
    return;
  }
  if (element.atomic.block != now.moment.block && not_written(false)) return;
  if (element.read.thread != now.moment.thread) element.other_read = element.read;
  element.read = now.moment;
}

// False: it was a mistake.
bool may_touch(const Memory& memory, const unsigned char* place, std::size_t bytes, bool write,
               const void* code) {
  const auto offset = static_cast<std::size_t>(place - memory.begin);
  const bool outside = offset + bytes > memory.bytes;
  if (!outside && (!write || memory.writable)) return true;
  stop_with({.kind = outside ? Finding::Kind::outside : Finding::Kind::read_only,
             .write = write,
             .memory = memory.name,
             .index = static_cast<std::int64_t>((offset + bytes - 1) / memory.unit),
             .elements = static_cast<std::int64_t>(memory.bytes / memory.unit),
             .unit = static_cast<int>(memory.unit),
             .code = code});
  return false;
}

void use(Memory& memory, const unsigned char* place, std::size_t bytes, Access access,
         const void* code) {
  if (!may_touch(memory, place, bytes, access != Access::read, code)) return;
  const auto offset = static_cast<std::size_t>(place - memory.begin);
  if (memory.elements.empty()) {
    memory.elements.resize((memory.bytes + memory.unit - 1) / memory.unit);
  }
  if (bytes < memory.unit) return;
  for (std::size_t i = offset / memory.unit; i * memory.unit < offset + bytes; ++i) {
    compare(memory, i, access, code);
  }
}

Finding outside_of(const unsigned char* place, bool write, const void* code) {
  Memories& all = memories();
  const Memory* nearest = nullptr;
  std::int64_t least = 0;
  const auto consider = [&](const Memory& memory) {
    if (memory.begin == nullptr) return;
    const std::int64_t after = place - (memory.begin + memory.bytes);
    const std::int64_t distance = after >= 0 ? after : memory.begin - place;
    if (nearest != nullptr && distance >= least) return;
    nearest = &memory;
    least = distance;
  };
  for (const Memory& tensor : all.tensors) consider(tensor);
  consider(all.dynamic);
  if (nearest == nullptr) return {};
  const auto unit = static_cast<std::int64_t>(nearest->unit);
  const std::int64_t offset = place - nearest->begin;
  return {.kind = Finding::Kind::outside,
          .write = write,
          .memory = nearest->name,
          .index = offset >= 0 ? offset / unit : -((-offset + unit - 1) / unit),
          .elements = static_cast<std::int64_t>(nearest->bytes) / unit,
          .unit = static_cast<int>(unit),
          .code = code};
}

void stop_outside(const unsigned char* place, bool write, const void* code) {
  if (Finding finding = outside_of(place, write, code)) stop_with(std::move(finding));
}

bool is_in_range(const unsigned char* place) {
  const unsigned char* const range = memories().range;
  return range != nullptr && place >= range && place < range + kRange;
}

// The bytes that the program and its libraries are loaded to: variables, constants of the compiler.
int add_segments(dl_phdr_info* info, std::size_t /*size*/, void* to) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader has numbers
    const auto* const begin =
        reinterpret_cast<const unsigned char*>(info->dlpi_addr + segment.p_vaddr);
    static_cast<std::vector<Bytes>*>(to)->push_back({begin, segment.p_memsz});
  }
  return 0;
}

// Stops at memory of the host, such as that of new; what is not there at all ends as SIGSEGV.
// Without a tensor of allocate() kernels work in memory of the host.
void stop_in_host_memory(const unsigned char* place, bool write, const void* code) {
  if (memories().tensors.empty()) return;
  if (now.stack.holds(place) || now.host_stack.holds(place)) return;
  const auto has_place = [place](const Bytes& one) { return one.holds(place); };
  if (std::ranges::any_of(memories().segments, has_place)) return;
  unsigned char present = 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  void* const page =
      reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(place) / kPage * kPage);
  if (mincore(page, 1, &present) != 0) return;
  stop_with({.kind = Finding::Kind::host, .write = write, .code = code});
}

// The memory that has the place; null: it is in none, and a mistake where it is in the range.
Memory* memory_at(const unsigned char* place, bool write, const void* code) {
  Memories& all = memories();
  if (!is_in_range(place)) {
    if (all.fixed.holds(place)) return &all.fixed;
    stop_in_host_memory(place, write, code);
    return nullptr;
  }
  if (all.dynamic.holds(place)) return &all.dynamic;
  for (Memory& tensor : all.tensors) {
    if (tensor.holds(place)) return &tensor;
  }
  stop_outside(place, write, code);
  return nullptr;
}

}  // namespace

void* allocate(const std::string& name, std::size_t bytes, int unit, bool writable) {
  Memory tensor;
  tensor.name = name;
  tensor.begin = take_pages(bytes);
  if (tensor.begin == nullptr) return nullptr;
  tensor.bytes = bytes;
  tensor.unit = static_cast<std::size_t>(unit);
  tensor.writable = writable;
  memories().tensors.push_back(std::move(tensor));
  return memories().tensors.back().begin;
}

void protect_inputs() {
  for (const Memory& tensor : memories().tensors) {
    if (tensor.writable) continue;
    const std::size_t whole = (tensor.bytes + kPage - 1) / kPage * kPage;
    mprotect(tensor.begin + (tensor.bytes + 15) / 16 * 16 - whole, whole, PROT_READ);
  }
}

Finding mistake_at(const void* place, bool write) {
  const auto* const at = static_cast<const unsigned char*>(place);
  Finding finding = {.kind = Finding::Kind::nowhere, .write = write};
  if (is_in_range(at)) {
    finding = outside_of(at, write, nullptr);
  } else if (!now.in_kernel) {
    return {};
  }
  for (const Memory& tensor : memories().tensors) {
    if (tensor.holds(at)) finding.kind = Finding::Kind::read_only;
  }
  if (now.in_kernel) {
    finding.thread = now.moment.thread;
    finding.block = now.block;
  }
  return finding;
}

void release_tensors() {
  Memories& all = memories();
  if (all.range != nullptr) munmap(all.range, kRange);
  all = {};
  forget_launches();
}

Writer last_writer(const void* place) {
  for (const Memory& tensor : memories().tensors) {
    const auto* const at = static_cast<const unsigned char*>(place);
    if (!tensor.holds(at) || tensor.elements.empty()) continue;
    const Element& element =
        tensor.elements[static_cast<std::size_t>(at - tensor.begin) / tensor.unit];
    const Moment& last = element.atomics > 0 ? element.atomic : element.write;
    return {last.thread, index_of_block(last.block)};
  }
  return {};
}

unsigned char* dynamic_shared_memory() {
  return memories().dynamic.begin;
}

void begin_launch_accesses() {
  Memory& fixed = memories().fixed;
  fixed = {.name = "shared memory", .unit = kSharedUnit, .of_a_block = true};
  find_fixed(fixed);
  memories().segments.clear();
  dl_iterate_phdr(add_segments, &memories().segments);
}

void begin_block_accesses(std::size_t shared_bytes) {
  Memories& all = memories();
  if (all.dynamic_end == nullptr) all.dynamic_end = take_pages(kMostShared) + kMostShared;
  if (now.moment.block == now.first_block) {
    all.dynamic = {.name = "shared memory",
                   .begin = all.dynamic_end - (shared_bytes + 15) / 16 * 16,
                   .bytes = shared_bytes,
                   .unit = kSharedUnit,
                   .of_a_block = true};
  }
  // NaN in every type of floating-point numbers.
  std::memset(all.dynamic.begin, 0xFF, shared_bytes);
}

void note_bounds(const void* place, std::size_t bytes, const void* code) {
  const Memory& all = memories().dynamic;
  const auto* const at = static_cast<const unsigned char*>(place);
  if (at < all.begin || at + bytes > all.begin + all.bytes) stop_outside(at, false, code);
}

void note_access(const void* place, std::size_t bytes, bool write, const void* code) {
  const bool was_in_kernel = std::exchange(now.in_kernel, false);
  const auto* const at = static_cast<const unsigned char*>(place);
  Memory* const found = memory_at(at, write, code);
  if (found != nullptr) use(*found, at, bytes, write ? Access::write : Access::read, code);
  now.in_kernel = was_in_kernel;
}

void check_atomic(const void* place, std::size_t bytes, bool reads) {
  if (!now.in_kernel) return;
  now.in_kernel = false;
  const auto* const at = static_cast<const unsigned char*>(place);
  const void* const code = __builtin_return_address(0);
  Memory* const found = memory_at(at, true, code);
  if (found != nullptr) use(*found, at, bytes, reads ? Access::atomic : Access::exchange, code);
  now.in_kernel = true;
}

void check_set(const void* place) {
  if (!now.in_kernel) return;
  now.in_kernel = false;
  const auto* const at = static_cast<const unsigned char*>(place);
  const Memory* const found = memory_at(at, true, nullptr);
  const std::size_t index =
      found == nullptr ? 0 : static_cast<std::size_t>(at - found->begin) / found->unit;
  if (found != nullptr && !found->of_a_block && index < found->elements.size() &&
      found->elements[index].write.block == 0 && found->elements[index].atomics == 1) {
    stop_with({.kind = Finding::Kind::not_set,
               .write = true,
               .memory = found->name,
               .index = static_cast<std::int64_t>(index),
               .elements = static_cast<std::int64_t>(found->bytes / found->unit),
               .unit = static_cast<int>(found->unit)});
  }
  now.in_kernel = true;
}

}  // namespace ts::executor

#ifndef __SANITIZE_THREAD__
// The compiler's calls.
namespace {
void seen(const void* place, std::size_t bytes, bool write, const void* code) {
  if (ts::executor::now.in_kernel) ts::executor::note_access(place, bytes, write, code);
}
}  // namespace

#define TS_SEEN(bytes)                                      \
  void __tsan_read##bytes(void* place) {                    \
    seen(place, bytes, false, __builtin_return_address(0)); \
  }                                                         \
  void __tsan_write##bytes(void* place) {                   \
    seen(place, bytes, true, __builtin_return_address(0));  \
  }                                                         \
  void __tsan_unaligned_read##bytes(void* place) {          \
    seen(place, bytes, false, __builtin_return_address(0)); \
  }                                                         \
  void __tsan_unaligned_write##bytes(void* place) {         \
    seen(place, bytes, true, __builtin_return_address(0));  \
  }                                                         \
  void __tsan_volatile_read##bytes(void* place) {           \
    seen(place, bytes, false, __builtin_return_address(0)); \
  }                                                         \
  void __tsan_volatile_write##bytes(void* place) {          \
    seen(place, bytes, true, __builtin_return_address(0));  \
  }
#define TS_CHANGED(bits, type, how)                                                   \
  type __tsan_atomic##bits##_##how(volatile type* place, type value, int /*order*/) { \
    return __atomic_##how(place, value, __ATOMIC_SEQ_CST);                            \
  }
#define TS_ATOMIC(bits, type)                                                             \
  type __tsan_atomic##bits##_load(const volatile type* place, int /*order*/) {            \
    return __atomic_load_n(place, __ATOMIC_SEQ_CST);                                      \
  }                                                                                       \
  void __tsan_atomic##bits##_store(volatile type* place, type value, int /*order*/) {     \
    __atomic_store_n(place, value, __ATOMIC_SEQ_CST);                                     \
  }                                                                                       \
  type __tsan_atomic##bits##_exchange(volatile type* place, type value, int /*order*/) {  \
    return __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST);                           \
  }                                                                                       \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* place, type* expected, \
                                                    type value, int /*order*/, int) {     \
    return __atomic_compare_exchange_n(place, expected, value, false, __ATOMIC_SEQ_CST,   \
                                       __ATOMIC_SEQ_CST);                                 \
  }                                                                                       \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* place, type* expected,   \
                                                  type value, int /*order*/, int) {       \
    return __atomic_compare_exchange_n(place, expected, value, true, __ATOMIC_SEQ_CST,    \
                                       __ATOMIC_SEQ_CST);                                 \
  }                                                                                       \
  TS_CHANGED(bits, type, fetch_add)                                                       \
  TS_CHANGED(bits, type, fetch_sub)                                                       \
  TS_CHANGED(bits, type, fetch_and)                                                       \
  TS_CHANGED(bits, type, fetch_or)                                                        \
  TS_CHANGED(bits, type, fetch_xor)
extern "C" {
TS_SEEN(1)
TS_SEEN(2)
TS_SEEN(4)
TS_SEEN(8)
TS_SEEN(16)
void __tsan_read_range(void* place, unsigned long bytes) {
  seen(place, bytes, false, __builtin_return_address(0));
}
void __tsan_write_range(void* place, unsigned long bytes) {
  seen(place, bytes, true, __builtin_return_address(0));
}
// std::atomic, std::shared_ptr and variables of a function that are made when it is first called.
TS_ATOMIC(8, char)
TS_ATOMIC(16, short)
TS_ATOMIC(32, int)
TS_ATOMIC(64, long)
void __tsan_atomic_thread_fence(int /*order*/) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_init() {}
void __tsan_func_entry(void* /*caller*/) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** /*place*/, void* /*value*/) {}
void __tsan_vptr_read(void** /*place*/) {}
}
#undef TS_SEEN
#undef TS_ATOMIC
#undef TS_CHANGED
#endif
