#pragma once

#include "kernels/record/python_object.h"

namespace ts::kernels {

// Called when a module begins (or ends) on this thread, with its name in the recording.
using ModuleCall = void (*)(std::uint32_t name);

// Objects of Python, all the package's own (_recording.py).
struct ModuleHooks {
  Object* modules = nullptr;  // {id: (weak reference, name)}
  Object* opened = nullptr;   // the list of the ids of modules that run
  Object* frozen = nullptr;   // a dict with ids of those that have to be looked at
  Object* before = nullptr;   // before(module, inputs)
  Object* after = nullptr;    // after(module)
};

// The call of every module, as PyTorch finds it: PyTorch calls a module by its _compiled_call_impl
// where that is not None, and by _call_impl() else. Hooks for all modules would be the way that
// PyTorch offers, but with them every call of a module takes two microseconds more.
//
// A known module that runs inside another one on the calling thread calls `enter` and `leave`; all
// others call the package.
//
// Returns a new reference to a function that may be __get__ of a class, whose object then stands
// for _compiled_call_impl; null where there is no such interpreter. With the interpreter's lock
// held.
Object* make_module_calls(const ModuleHooks& hooks, ModuleCall enter, ModuleCall leave);

}  // namespace ts::kernels
