#pragma once

#include "kernels/record/python_object.h"

namespace ts::kernels {

// Told of a module that begins (or ends) on this thread, by its name in the recording.
using ModuleCall = void (*)(std::uint32_t name);

// The hooks of every module, as functions of Python that take the module: in Python they would cost
// more than all else that a call of a module records. They answer True for one that is known and
// runs inside another on the calling thread, which is told to `enter` or `leave`; False for all
// that the package has to look at. All objects are the package's own (_recording.py): `modules` is
// {id: (weak reference, name)}, `opened` the list of the ids of modules that run, `frozen` a dict
// with ids of those that have to be looked at.
//
// A new reference to a tuple of the two functions; null where there is no such interpreter. With
// the interpreter's lock held.
Object* make_module_calls(Object* modules, Object* opened, Object* frozen, ModuleCall enter,
                          ModuleCall leave);

}  // namespace ts::kernels
