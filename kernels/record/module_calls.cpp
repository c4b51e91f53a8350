#include "kernels/record/module_calls.h"

#include <cstddef>
#include <thread>

namespace ts::kernels {
namespace {

// A function as Python knows it (PyMethodDef).
struct Method {
  const char* name = nullptr;
  void (*function)() = nullptr;
  int flags = 0;
  const char* help = nullptr;
};
constexpr int kTupleAndDict = 0x0001 | 0x0002;  // METH_VARARGS | METH_KEYWORDS
constexpr int kArray = 0x0080;                  // METH_FASTCALL

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
  Object* (*part)(Object*, std::ptrdiff_t) = nullptr;          // PyTuple_GetItem, borrowed
  Object* (*tuple)(std::ptrdiff_t, ...) = nullptr;             // PyTuple_Pack
  Object* (*attribute)(Object*, Object*) = nullptr;            // PyObject_GetAttr
  Object* (*attributes)(Object*, void*) = nullptr;             // PyObject_GenericGetDict
  Object* (*call)(Object*, Object*, Object*) = nullptr;        // PyObject_Call
  Object* (*call_simply)(Object*, Object*) = nullptr;          // PyObject_CallObject
  Object* (*call_with)(Object*, ...) = nullptr;                // PyObject_CallFunctionObjArgs
  Object* (*function)(Method*, Object*, Object*) = nullptr;    // PyCFunction_NewEx
  Object* (*word)(const char*) = nullptr;                      // PyUnicode_InternFromString
  void (*keep)(Object*) = nullptr;                             // Py_IncRef
  void (*let_go)(Object*) = nullptr;                           // Py_DecRef
  void (*take_error)(Object**, Object**, Object**) = nullptr;  // PyErr_Fetch
  void (*put_error)(Object*, Object*, Object*) = nullptr;      // PyErr_Restore
  void (*clear_error)() = nullptr;                             // PyErr_Clear
  const Object* none = nullptr;                                // _Py_NoneStruct
};
Python python;
ModuleCall enter_module = nullptr;
ModuleCall leave_module = nullptr;
std::thread::id own_thread;
Object* compiled_call = nullptr;  // the names of attributes
Object* own_call = nullptr;
Object* package = nullptr;  // a tuple of what the package handed over, in this order
enum Part : std::ptrdiff_t { kModules, kOpened, kFrozen, kBefore, kAfter };

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
    Object* const alive = python.call_simply(python.part(named, 0), nullptr);
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

// A module is entered and left by the library or, where it does not know it, by the package. False:
// Python was told to stop there.
bool enter(Object* own, Object* module, Object* inputs) {
  if (enter_known(own, module)) return true;
  python.clear_error();  // no error of ours reaches the script
  Object* const done = python.call_with(python.part(own, kBefore), module, inputs, nullptr);
  if (done != nullptr) python.let_go(done);
  return done != nullptr;
}

bool leave(Object* own, Object* module) {
  if (leave_known(own, module)) return true;
  python.clear_error();
  Object* const done = python.call_with(python.part(own, kAfter), module, nullptr);
  if (done != nullptr) python.let_go(done);
  return done != nullptr;
}

// PyTorch would have called this: what module.compile() left in the module, else its _call_impl().
// A new reference.
Object* call_of(Object* module) {
  Object* const attributes = python.attributes(module, nullptr);
  if (attributes == nullptr) return nullptr;
  Object* const found = python.entry(attributes, compiled_call);
  Object* const compiled = found != python.none ? found : nullptr;
  if (compiled != nullptr) python.keep(compiled);
  python.let_go(attributes);
  return compiled != nullptr ? compiled : python.attribute(module, own_call);
}

Object* call_inside(Object* own, Object* module, Object* inputs, Object* named) {
  Object* const call = call_of(module);
  if (call == nullptr || !enter(own, module, inputs)) {
    if (call != nullptr) python.let_go(call);
    return nullptr;
  }
  Object* result = python.call(call, inputs, named);
  python.let_go(call);
  Object* error[3] = {};
  if (result == nullptr) python.take_error(&error[0], &error[1], &error[2]);
  const bool left = leave(own, module);
  if (result == nullptr) {
    python.put_error(error[0], error[1], error[2]);
  } else if (!left) {
    python.let_go(result);
    result = nullptr;
  }
  return result;
}

Object* call_module(Object* module, Object* inputs, Object* named) {
  Object* const own = package;
  python.keep(own);
  Object* const result = call_inside(own, module, inputs, named);
  python.let_go(own);
  return result;
}

// Python keeps their addresses.
Method call_method{"call", reinterpret_cast<void (*)()>(&call_module), kTupleAndDict, nullptr};

// __get__(descriptor, module, its class): the call of that module; None, as PyTorch has it, of
// none.
Object* find_call(Object*, Object* const* arguments, std::ptrdiff_t) {
  Object* const module = arguments[1];
  if (module != python.none) return python.function(&call_method, module, nullptr);
  python.keep(module);
  return module;
}
Method find_method{"find_call", reinterpret_cast<void (*)()>(&find_call), kArray, nullptr};

bool look_up_python() {
  return look_up("PyLong_FromVoidPtr", python.number) &&
         look_up("PyLong_AsUnsignedLong", python.value) &&
         look_up("PyLong_AsVoidPtr", python.address) && look_up("PyDict_GetItem", python.entry) &&
         look_up("PyDict_Size", python.entries) && look_up("PyList_Size", python.length) &&
         look_up("PyList_GetItem", python.item) && look_up("PyList_Append", python.append) &&
         look_up("PyList_SetSlice", python.cut) && look_up("PyTuple_GetItem", python.part) &&
         look_up("PyTuple_Pack", python.tuple) && look_up("PyObject_GetAttr", python.attribute) &&
         look_up("PyObject_GenericGetDict", python.attributes) &&
         look_up("PyObject_Call", python.call) &&
         look_up("PyObject_CallObject", python.call_simply) &&
         look_up("PyObject_CallFunctionObjArgs", python.call_with) &&
         look_up("PyCFunction_NewEx", python.function) &&
         look_up("PyUnicode_InternFromString", python.word) && look_up("Py_IncRef", python.keep) &&
         look_up("Py_DecRef", python.let_go) && look_up("PyErr_Fetch", python.take_error) &&
         look_up("PyErr_Restore", python.put_error) && look_up("PyErr_Clear", python.clear_error) &&
         look_up("_Py_NoneStruct", python.none);
}

}  // namespace

Object* make_module_calls(const ModuleHooks& hooks, ModuleCall enter, ModuleCall leave) {
  if (!look_up_python()) return nullptr;
  if (own_call == nullptr) own_call = python.word("_call_impl");
  if (compiled_call == nullptr) compiled_call = python.word("_compiled_call_impl");
  Object* const parts =
      python.tuple(5, hooks.modules, hooks.opened, hooks.frozen, hooks.before, hooks.after);
  if (own_call == nullptr || compiled_call == nullptr || parts == nullptr) return nullptr;
  enter_module = enter;
  leave_module = leave;
  own_thread = std::this_thread::get_id();
  if (package != nullptr) python.let_go(package);
  package = parts;
  return python.function(&find_method, nullptr, nullptr);
}

}  // namespace ts::kernels
