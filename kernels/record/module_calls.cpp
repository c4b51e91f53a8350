#include "kernels/record/module_calls.h"

#include <cstddef>
#include <thread>

namespace ts::kernels {
namespace {

// A function as Python knows it (PyMethodDef).
struct Method {
  const char* name = nullptr;
  Object* (*function)(Object* own, Object* argument) = nullptr;
  int flags = 0;
  const char* help = nullptr;
};
constexpr int kOneArgument = 0x0008;  // METH_O

struct Python {
  Object* (*number)(void*) = nullptr;                           // PyLong_FromVoidPtr
  unsigned long (*value)(Object*) = nullptr;                    // PyLong_AsUnsignedLong
  void* (*address)(Object*) = nullptr;                          // PyLong_AsVoidPtr
  Object* (*entry)(Object*, Object*) = nullptr;                 // PyDict_GetItem, borrowed
  std::ptrdiff_t (*entries)(Object*) = nullptr;                 // PyDict_Size
  std::ptrdiff_t (*length)(Object*) = nullptr;                  // PyList_Size
  Object* (*item)(Object*, std::ptrdiff_t) = nullptr;           // PyList_GetItem, borrowed
  int (*append)(Object*, Object*) = nullptr;                    // PyList_Append
  int (*cut)(Object*, std::ptrdiff_t, std::ptrdiff_t, Object*)  // PyList_SetSlice
      = nullptr;
  Object* (*part)(Object*, std::ptrdiff_t) = nullptr;        // PyTuple_GetItem, borrowed
  Object* (*tuple)(std::ptrdiff_t, ...) = nullptr;           // PyTuple_Pack
  Object* (*call)(Object*, Object*) = nullptr;               // PyObject_CallObject
  Object* (*function)(Method*, Object*, Object*) = nullptr;  // PyCFunction_NewEx
  Object* (*truth)(long) = nullptr;                          // PyBool_FromLong
  void (*let_go)(Object*) = nullptr;                         // Py_DecRef
  void (*clear_error)() = nullptr;                           // PyErr_Clear
};
Python python;
ModuleCall enter_module = nullptr;
ModuleCall leave_module = nullptr;
std::thread::id own_thread;

// The objects that both functions are bound to, in this order.
enum Bound : std::ptrdiff_t { kModules, kOpened, kFrozen };

bool enter_known(Object* own, Object* module) {
  Object* const opened = python.part(own, kOpened);
  if (std::this_thread::get_id() != own_thread || python.length(opened) == 0) return false;
  Object* const id = python.number(module);
  if (id == nullptr) return false;
  bool known = false;
  Object* const frozen = python.part(own, kFrozen);
  Object* const named = python.entry(python.part(own, kModules), id);
  if (named != nullptr && (python.entries(frozen) == 0 || python.entry(frozen, id) == nullptr)) {
    // Another module may have had the address.
    Object* const alive = python.call(python.part(named, 0), nullptr);
    known = alive == module && python.append(opened, id) == 0;
    if (known) enter_module(static_cast<std::uint32_t>(python.value(python.part(named, 1))));
    if (alive != nullptr) python.let_go(alive);
  }
  python.let_go(id);
  return known;
}

bool leave_known(Object* own, Object* module) {
  if (std::this_thread::get_id() != own_thread) return false;
  Object* const opened = python.part(own, kOpened);
  const std::ptrdiff_t open = python.length(opened);
  if (open < 2) return false;
  Object* const id = python.item(opened, open - 1);
  if (python.address(id) != module) return false;
  Object* const named = python.entry(python.part(own, kModules), id);
  if (named == nullptr || python.cut(opened, open - 1, open, nullptr) != 0) return false;
  leave_module(static_cast<std::uint32_t>(python.value(python.part(named, 1))));
  return true;
}

// No error of ours reaches the script.
Object* answer(bool known) {
  if (!known) python.clear_error();
  return python.truth(known ? 1 : 0);
}

// Python keeps their addresses.
Method enter_method{"enter",
                    [](Object* own, Object* module) { return answer(enter_known(own, module)); },
                    kOneArgument, nullptr};
Method leave_method{"leave",
                    [](Object* own, Object* module) { return answer(leave_known(own, module)); },
                    kOneArgument, nullptr};

bool look_up_python() {
  return look_up("PyLong_FromVoidPtr", python.number) &&
         look_up("PyLong_AsUnsignedLong", python.value) &&
         look_up("PyLong_AsVoidPtr", python.address) && look_up("PyDict_GetItem", python.entry) &&
         look_up("PyDict_Size", python.entries) && look_up("PyList_Size", python.length) &&
         look_up("PyList_GetItem", python.item) && look_up("PyList_Append", python.append) &&
         look_up("PyList_SetSlice", python.cut) && look_up("PyTuple_GetItem", python.part) &&
         look_up("PyTuple_Pack", python.tuple) && look_up("PyObject_CallObject", python.call) &&
         look_up("PyCFunction_NewEx", python.function) &&
         look_up("PyBool_FromLong", python.truth) && look_up("Py_DecRef", python.let_go) &&
         look_up("PyErr_Clear", python.clear_error);
}

}  // namespace

Object* make_module_calls(Object* modules, Object* opened, Object* frozen, ModuleCall enter,
                          ModuleCall leave) {
  if (!look_up_python()) return nullptr;
  enter_module = enter;
  leave_module = leave;
  own_thread = std::this_thread::get_id();
  Object* const bound = python.tuple(3, modules, opened, frozen);
  if (bound == nullptr) return nullptr;
  Object* const entering = python.function(&enter_method, bound, nullptr);
  Object* const leaving = python.function(&leave_method, bound, nullptr);
  python.let_go(bound);
  Object* const both =
      entering != nullptr && leaving != nullptr ? python.tuple(2, entering, leaving) : nullptr;
  if (entering != nullptr) python.let_go(entering);
  if (leaving != nullptr) python.let_go(leaving);
  return both;
}

}  // namespace ts::kernels
