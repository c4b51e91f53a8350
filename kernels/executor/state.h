#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/executor/executor.h"

// The block that runs now, as executor.cpp and accesses.cpp share it.
namespace ts::executor {

// When a thread did something: accesses of two threads are in order if a barrier is between them.
struct Moment {
  std::uint32_t block = 0;     // number of the block since the tensors are there, from 1; 0: never
  std::uint32_t barriers = 0;  // of the block so far
  std::uint32_t in_warp = 0;   // __syncwarp of the thread so far
  std::int32_t thread = -1;
};

struct Bytes {
  const unsigned char* begin = nullptr;
  std::size_t size = 0;
  [[nodiscard]] bool holds(const unsigned char* place) const {
    return place >= begin && place < begin + size;
  }
};

struct Now {
  bool in_kernel = false;
  Moment moment;
  Bytes stack;                    // of the thread that runs
  Bytes host_stack;               // of the thread of the system, where arguments lie
  Size3 block;                    // index of the block
  std::uint32_t first_block = 1;  // number of the launch's first block
};
extern Now now;

// A thread that waits for others runs again after they have had their turn. When all that are left
// wait, and none of them has given a signal since, that is a mistake.
void wait_for_signal();
void note_signal();

// Notes a mistake, unless there is one. A thread of a kernel does not come back from it.
void stop_with(Finding finding);

// Before the first block; then before each one. All memory that a block shares is unwritten again.
void begin_launch_accesses();
void begin_block_accesses(std::size_t shared_bytes);
Size3 index_of_block(std::uint32_t number);
void forget_launches();

// Notes a mistake if the place is not in the dynamic shared memory. It is no access that can race.
void note_bounds(const void* place, std::size_t bytes, const void* code);

// Called for every access that the compiler reports.
void note_access(const void* place, std::size_t bytes, bool write, const void* code);

}  // namespace ts::executor
