#include "kernels/executor/executor.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kernels/executor/cuda_on_cpu.h"
#include "kernels/executor/state.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// The indices that a kernel reads; those of the thread that runs.
uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace ts::executor {

Now now;

namespace {

constexpr int kWarp = 32;
constexpr unsigned kMostThreads = 1024;
constexpr std::size_t kStackBytes = std::size_t{256} * 1024;

enum class State : std::uint8_t { ready, at_block_barrier, at_warp_barrier, asks_again, ended };

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes, zeros;
};

// A stack with a context that runs one thread of a block after the other. It lives as long as the
// process: making one costs more than a small kernel.
struct Fiber {
  void* stack = nullptr;
  ucontext_t context{};
  bool idle = false;  // it waits for the next thread; else it has to begin anew
};
// Each thread of a block has one, by its number.
std::vector<std::unique_ptr<Fiber>>& fibers() {
  static std::vector<std::unique_ptr<Fiber>> all;
  return all;
}

struct Thread {
  Fiber* fiber = nullptr;
  State state = State::ready;
  uint3 index{};
  std::uint32_t mask = 0;  // of the lanes that it waits for
  std::uint32_t warp_barriers = 0;
  std::array<unsigned char, kExchanged> given{}, taken{};
  std::vector<std::vector<Copy>> copies{1};  // groups; the last is open
};

struct Launch {
  std::vector<Thread> threads;
  ucontext_t scheduler{};
  const std::function<void()>* call = nullptr;
  int current = 0;
  Finding finding;
  std::uint32_t barriers = 0;
  std::uint32_t signals = 0;
};
Launch* running = nullptr;
Finding last_finding;

// Blocks are numbered through all launches.
struct Launched {
  std::uint32_t first_block;
  Size3 grid;
};
std::vector<Launched> launches;
std::uint32_t next_block = 1;

Thread& this_thread() {
  return running->threads[static_cast<std::size_t>(running->current)];
}

// The stack of the scheduler, for AddressSanitizer, which wants to know the stack in use.
struct SchedulerStack {
  const void* bottom = nullptr;
  std::size_t size = 0;
};
SchedulerStack scheduler_stack;

void enter_fiber([[maybe_unused]] Fiber& fiber) {
#ifdef __SANITIZE_ADDRESS__
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, fiber.stack, kStackBytes);
#endif
  swapcontext(&running->scheduler, &fiber.context);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}
// In a fiber: it begins, or goes on.
void note_entry([[maybe_unused]] void* fake) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake, &scheduler_stack.bottom, &scheduler_stack.size);
#endif
}
void back_to_scheduler() {
  const bool was_in_kernel = std::exchange(now.in_kernel, false);
  void* fake = nullptr;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&fake, scheduler_stack.bottom, scheduler_stack.size);
#endif
  swapcontext(&this_thread().fiber->context, &running->scheduler);
  note_entry(fake);
  now.in_kernel = was_in_kernel;
}

void fiber_begins() {
  note_entry(nullptr);
  while (true) {
    now.in_kernel = true;
    (*running->call)();
    now.in_kernel = false;
    this_thread().state = State::ended;
    this_thread().fiber->idle = true;
    back_to_scheduler();
  }
}

// Runs a thread until it waits or ends.
void run_thread(int number) {
  Thread& thread = running->threads[static_cast<std::size_t>(number)];
  running->current = number;
  threadIdx = thread.index;
  now.moment.thread = number;
  now.moment.barriers = running->barriers;
  now.moment.in_warp = thread.warp_barriers;
  now.stack = {static_cast<const unsigned char*>(thread.fiber->stack), kStackBytes};
  enter_fiber(*thread.fiber);
}

// Lanes that wait for one another and are all there go on; true if any does. What each gave is kept
// for the others until all of them have gone on.
bool release_warp(std::size_t first, std::size_t end) {
  auto& threads = running->threads;
  std::uint32_t alive = 0;
  for (std::size_t i = first; i < end; ++i) {
    if (threads[i].state != State::ended) alive |= 1U << (i - first);
  }
  const auto waits = [&](std::size_t i, std::uint32_t mask) {
    return threads[i].state == State::at_warp_barrier && (threads[i].mask & alive) == mask;
  };
  std::uint32_t released = 0;
  for (std::size_t i = first; i < end; ++i) {
    const std::uint32_t mask = threads[i].mask & alive;
    bool complete = threads[i].state == State::at_warp_barrier;
    for (std::size_t other = first; other < end && complete; ++other) {
      if ((mask >> (other - first) & 1U) != 0) complete = waits(other, mask);
    }
    if (complete) released |= 1U << (i - first);
  }
  for (std::size_t i = first; i < end; ++i) {
    if ((released >> (i - first) & 1U) == 0) continue;
    threads[i].taken = threads[i].given;
    threads[i].state = State::ready;
  }
  return released != 0;
}

// Runs each warp as far as it comes.
void run_warps() {
  const std::size_t count = running->threads.size();
  for (std::size_t first = 0; first < count; first += kWarp) {
    const std::size_t end = std::min(count, first + kWarp);
    do {
      for (std::size_t i = first; i < end; ++i) {
        if (running->threads[i].state == State::ready) run_thread(static_cast<int>(i));
        if (running->finding) return;
      }
    } while (release_warp(first, end));
  }
}

// The threads that are left wait for each other: a barrier that not all of them reach.
Finding waiting_for_ever() {
  Finding finding{.kind = Finding::Kind::barrier, .block = now.block};
  for (std::size_t i = 0; i < running->threads.size(); ++i) {
    const State state = running->threads[i].state;
    if (state == State::ended) continue;
    if (finding.thread < 0) {
      finding.thread = static_cast<int>(i);
    } else if (state != running->threads[static_cast<std::size_t>(finding.thread)].state) {
      finding.other = static_cast<int>(i);
      break;
    }
  }
  return finding;
}

void make_ready(Thread& thread) {
  thread.state = State::ready;
  thread.copies.assign(1, {});
  Fiber& fiber = *thread.fiber;
  if (std::exchange(fiber.idle, false)) return;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack;
  fiber.context.uc_stack.ss_size = kStackBytes;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, fiber_begins, 0);
#ifdef __SANITIZE_ADDRESS__
  // A thread that was left where it waited has frames there. Without a size swapcontext() does not
  // look for them at each call.
  __asan_unpoison_memory_region(fiber.stack, kStackBytes);
  fiber.context.uc_stack.ss_size = 0;
#endif
}

// True if threads wait for signals: they are to ask again.
bool ask_again() {
  bool any = false;
  for (Thread& thread : running->threads) {
    if (thread.state != State::asks_again) continue;
    thread.state = State::ready;
    any = true;
  }
  return any;
}

void run_block() {
  auto& threads = running->threads;
  for (Thread& thread : threads) make_ready(thread);
  running->barriers = 0;
  std::int64_t signals_before = -1;  // -1 where others than those that ask have run
  while (true) {
    run_warps();
    if (running->finding) return;
    if (ask_again()) {
      if (signals_before == running->signals) {
        running->finding = waiting_for_ever();
        return;
      }
      signals_before = running->signals;
      continue;
    }
    signals_before = -1;
    bool all_ended = true;
    bool all_wait = true;
    for (const Thread& thread : threads) {
      all_ended = all_ended && thread.state == State::ended;
      all_wait =
          all_wait && (thread.state == State::ended || thread.state == State::at_block_barrier);
    }
    if (all_ended) return;
    if (!all_wait) {
      running->finding = waiting_for_ever();
      return;
    }
    ++running->barriers;
    for (Thread& thread : threads) {
      if (thread.state == State::at_block_barrier) thread.state = State::ready;
    }
  }
}

Bytes stack_of_this_thread() {
  pthread_attr_t attributes;
  Bytes stack;
  void* begin = nullptr;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  if (pthread_attr_getstack(&attributes, &begin, &stack.size) == 0)
    stack.begin = static_cast<const unsigned char*>(begin);
  pthread_attr_destroy(&attributes);
  return stack;
}

uint3 index_in(std::size_t number, Size3 size) {
  const auto n = static_cast<unsigned>(number);
  return {n % size.x, n / size.x % size.y, n / size.x / size.y};
}

Finding run_blocks(Size3 grid, Size3 block, std::size_t shared_bytes, const SharedMemory& shared) {
  const std::size_t count = std::size_t{block.x} * block.y * block.z;
  if (count == 0 || count > kMostThreads) {
    return {.kind = Finding::Kind::block_size, .elements = static_cast<std::int64_t>(count)};
  }
  const std::size_t together = shared.variables + shared_bytes;
  if (together > kMostShared || shared_bytes > shared.most) {
    return {.kind = together > kMostShared ? Finding::Kind::shared_memory
                                           : Finding::Kind::shared_not_asked,
            .elements = static_cast<std::int64_t>(together)};
  }
  while (fibers().size() < count) {
    fibers().push_back(std::make_unique<Fiber>());
    fibers().back()->stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  running->threads.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    running->threads[i].index = index_in(i, block);
    running->threads[i].fiber = fibers()[i].get();
  }
  now.host_stack = stack_of_this_thread();
  launches.push_back({next_block, grid});
  now.first_block = next_block;
  begin_launch_accesses();
  const std::size_t blocks = std::size_t{grid.x} * grid.y * grid.z;
  for (std::size_t i = 0; i < blocks && !running->finding; ++i) {
    blockIdx = index_in(i, grid);
    now.block = {blockIdx.x, blockIdx.y, blockIdx.z};
    now.moment = {.block = next_block++};
    begin_block_accesses(shared_bytes);
    run_block();
  }
  return running->finding;
}

}  // namespace

const char* name_of(Finding::Kind kind) {
  constexpr std::array kNames = {"none",    "race",          "outside",          "nowhere",
                                 "host",    "not_written",   "not_set",          "read_only",
                                 "barrier", "shared_memory", "shared_not_asked", "block_size"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

std::map<const void*, std::size_t> asked_shared;                // by cudaFuncSetAttribute
std::vector<std::pair<std::string, std::size_t>> fixed_shared;  // by function

std::size_t variables_of(const void* kernel) {
  if (fixed_shared.empty()) return 0;
  Dl_info info{};
  if (dladdr(kernel, &info) == 0 || info.dli_sname == nullptr) return 0;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status), std::free);
  if (status != 0) return 0;
  const std::string function = name.get();
  for (const auto& [one, bytes] : fixed_shared) {
    // A template has its result in front: "void forward<64>(float const*)".
    if (function == one || function.ends_with(" " + one)) return bytes;
  }
  return 0;
}

}  // namespace

void allow_shared(const void* kernel, std::size_t bytes) {
  asked_shared[kernel] = bytes;
}

SharedMemory shared_memory_of(const void* kernel) {
  constexpr std::size_t kUsual = std::size_t{48} * 1024;
  const std::size_t variables = variables_of(kernel);
  const std::size_t usual = kUsual - std::min(variables, kUsual);
  const auto asked = asked_shared.find(kernel);
  return {variables, asked == asked_shared.end() ? usual : std::max(asked->second, usual)};
}

void read_static_shared(const char* file) {
  std::ifstream lines(file);
  std::size_t bytes = 0;
  for (std::string name; lines >> bytes >> std::ws && std::getline(lines, name);)
    if (!name.empty()) fixed_shared.emplace_back(name, bytes);
}

Finding launch(Size3 grid, Size3 block, std::size_t shared_bytes, const std::function<void()>& call,
               const SharedMemory& shared) {
  Launch one;
  one.call = &call;
  running = &one;
  gridDim = {grid.x, grid.y, grid.z};
  blockDim = {block.x, block.y, block.z};
  const Finding finding = run_blocks(grid, block, shared_bytes, shared);
  running = nullptr;
  if (finding && !last_finding) last_finding = finding;
  return finding;
}

Finding take_finding() {
  return std::exchange(last_finding, {});
}

Size3 index_of_block(std::uint32_t number) {
  const auto after = std::ranges::find_if(
      launches, [number](const Launched& one) { return one.first_block > number; });
  if (number == 0 || after == launches.begin()) return {0, 0, 0};
  const Launched& in = *std::prev(after);
  const uint3 index = index_in(number - in.first_block, in.grid);
  return {index.x, index.y, index.z};
}

void forget_launches() {
  launches.clear();
  next_block = 1;
}

void stop_with(Finding finding) {
  finding.block = now.block;
  finding.thread = now.moment.thread;
  if (!running->finding) running->finding = std::move(finding);
  back_to_scheduler();
}

void wait_for_signal() {
  this_thread().state = State::asks_again;
  back_to_scheduler();
}

void note_signal() {
  ++running->signals;
}

void wait_for_block() {
  this_thread().state = State::at_block_barrier;
  back_to_scheduler();
}

void wait_for_warp(std::uint32_t mask) {
  Thread& thread = this_thread();
  thread.mask = mask;
  thread.state = State::at_warp_barrier;
  ++thread.warp_barriers;
  back_to_scheduler();
}

int lane() {
  return running->current % kWarp;
}

// A shuffle orders no accesses to memory, so it does not count as a barrier of the warp.
void exchange(std::uint32_t mask, const void* given, std::size_t bytes) {
  Thread& thread = this_thread();
  std::memcpy(thread.given.data(), given, bytes);
  thread.mask = mask;
  thread.state = State::at_warp_barrier;
  back_to_scheduler();
}

const void* given_by(int lane) {
  const std::size_t first = static_cast<std::size_t>(running->current / kWarp * kWarp);
  const std::size_t other = first + static_cast<std::size_t>(lane);
  // A lane that the block does not have gives what this one has given.
  return other < running->threads.size() ? running->threads[other].taken.data()
                                         : this_thread().taken.data();
}

void copy_later(void* to, const void* from, std::size_t bytes, std::size_t zeros) {
  this_thread().copies.back().push_back({to, from, bytes, zeros});
}

void close_copy_group() {
  this_thread().copies.emplace_back();
}

void wait_for_copies(int groups_left) {
  auto& copies = this_thread().copies;
  const auto left = static_cast<std::size_t>(groups_left);
  while (copies.size() - 1 > left) {
    for (const Copy& copy : copies.front()) {
      if (copy.bytes > 0) note_access(copy.from, copy.bytes, false, __builtin_return_address(0));
      note_access(copy.to, copy.bytes + copy.zeros, true, __builtin_return_address(0));
      std::memcpy(copy.to, copy.from, copy.bytes);
      std::memset(static_cast<unsigned char*>(copy.to) + copy.bytes, 0, copy.zeros);
    }
    copies.erase(copies.begin());
  }
}

}  // namespace ts::executor
