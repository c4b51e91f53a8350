#pragma once

#include <vector>

namespace ts::kernels {

// Addresses of functions that a loaded ELF library keeps to itself: local symbols, which dlsym
// cannot find and the library's symbol table can. `inside` is any address of the library. One
// result for each name, null where the library was stripped of its table or has no such function.
// Reads the library's file (0.1 s for LibTorch). Any thread.
std::vector<void*> local_functions(const void* inside, const std::vector<const char*>& names);

}  // namespace ts::kernels
