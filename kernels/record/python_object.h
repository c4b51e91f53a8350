#pragma once

#include <dlfcn.h>

#include <cstdint>

namespace ts::kernels {

// Python's objects are opaque here: its functions are looked up in the process by their names
// (docs.python.org/3/c-api), so that the library needs none to be built or loaded.
struct Object;

template <class Function>
bool look_up(const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

}  // namespace ts::kernels
