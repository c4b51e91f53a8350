#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

// Runs kernels written in CUDA C++ on the CPU, to check them where there is no GPU. Blocks run one
// after the other, the threads of a block by turns in an order that is always the same, each until
// it waits. It shows values, barriers, shuffles and tensor core instructions; it shows no speed, no
// caches, no bank conflicts, and of wgmma and TMA where they find their numbers (warpgroup.h), not
// what they do while the threads go on.
//
// Accesses to memory are seen in sources that are compiled with -fsanitize=thread: the compiler
// then calls a function before each access. The executor has these functions itself (accesses.cpp).
// Everything here is for one thread of the process.
namespace ts::executor {

struct Size3 {
  unsigned x = 1, y = 1, z = 1;
};

// The first mistake of a launch; the launch ends there.
struct Finding {
  enum class Kind : std::uint8_t {
    none,
    race,              // two threads touch a place between barriers, and one of them writes
    outside,           // of every tensor and of shared memory
    nowhere,           // so far outside that no tensor is near, such as at a null pointer
    host,              // memory of the host, such as that of new
    not_written,       // shared memory is read that no thread of the block has written
    not_set,           // an atomic operation changes an element that holds nothing yet
    read_only,         // an input is written
    barrier,           // some threads wait for others that never come
    shared_memory,     // more than a block may have
    shared_not_asked,  // more than the kernel asked for before
    block_size,        // 0 or more than 1,024 threads
  };
  Kind kind = Kind::none;
  Size3 block = {0, 0, 0};      // index of the block
  int thread = -1, other = -1;  // numbers in their block: x + y * blockDim.x + ...
  Size3 other_block = {0, 0, 0};
  bool write = false, other_write = false;
  // The tensor by its name, or "shared memory"; the place in it, in elements of `unit` bytes. Below
  // 0 or past the end for `outside`, then of the nearest tensor.
  std::string memory = {};
  std::int64_t index = 0;
  std::int64_t elements = 0;
  int unit = 1;
  const void* code = nullptr;  // where in the program the access is

  explicit operator bool() const { return kind != Kind::none; }
};
const char* name_of(Finding::Kind kind);

// Memory for a tensor that kernels may touch, of zeros, until release_tensors(). The bytes after
// its end cannot be touched at all. `unit`: bytes of an element. Null: no room is left.
void* allocate(const std::string& name, std::size_t bytes, int unit, bool writable);
void release_tensors();

// For code that the compiler does not watch: a write to an input then ends as SIGSEGV, as what lies
// outside of all tensors does. Then: the mistake at the address of that signal; none where no
// thread of a kernel runs and no tensor is near.
void protect_inputs();
Finding mistake_at(const void* place, bool write);

constexpr std::size_t kMostShared = std::size_t{227} * 1024;  // bytes of a block, on sm_90

// Shared memory of a block of a kernel, in bytes: that of its __shared__ variables, and the most
// that a launch may ask for beside it. Without cudaFuncSetAttribute both together have 48 KiB.
struct SharedMemory {
  std::size_t variables = 0;
  std::size_t most = kMostShared;
};
void allow_shared(const void* kernel, std::size_t bytes);
SharedMemory shared_memory_of(const void* kernel);
// `file`: a function a line, "24576 forward<64>(float const*)", with the bytes of its __shared__
// variables. Kernels of other names count as without any.
void read_static_shared(const char* file);

// Runs a kernel; `call` calls its function once, for one thread. Shared memory has numbers that are
// NaN at the begin of each block.
Finding launch(Size3 grid, Size3 block, std::size_t shared_bytes, const std::function<void()>& call,
               const SharedMemory& shared = {});

// The mistake of any launch since the last call.
Finding take_finding();

// The thread that has written an element of a tensor last; thread -1: none.
struct Writer {
  int thread = -1;
  Size3 block = {0, 0, 0};
};
Writer last_writer(const void* place);

// For the words of CUDA C++ (cuda_on_cpu.h), called by threads of a kernel.
void wait_for_block();
void wait_for_warp(std::uint32_t mask);
unsigned char* dynamic_shared_memory();
// Before an atomic operation: its place is in a tensor that may be written, or in shared memory. No
// access that races with others of its kind. `reads`: its result depends on what was there.
void check_atomic(const void* place, std::size_t bytes, bool reads = true);
// After it, where the place holds NaN: some thread has written it, or changed it so before.
void check_set(const void* place);
int lane();
// Waits for the lanes of the mask; then `from(i)` is what lane i has given.
constexpr std::size_t kExchanged = 32;  // bytes at most
void exchange(std::uint32_t mask, const void* given, std::size_t bytes);
const void* given_by(int lane);
// Copies later: when the thread waits for the group of copies.
void copy_later(void* to, const void* from, std::size_t bytes, std::size_t zeros);
void close_copy_group();
void wait_for_copies(int groups_left);

}  // namespace ts::executor
