#pragma once

#include <malloc.h>

namespace ts::base {

// Gives memory that was freed back to the system, of all threads: the allocator keeps what was
// freed in small pieces, as a file that was read or a replay leaves them. Milliseconds; any thread.
inline void give_back_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace ts::base
