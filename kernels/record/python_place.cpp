#include "kernels/record/python_place.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "core/memory/interner.h"
#include "kernels/record/python_object.h"

namespace ts::kernels {
namespace {

// Functions of Python's C interface.
struct Python {
  void* (*this_thread)() = nullptr;    // PyGILState_GetThisThreadState; null: no thread of Python
  int (*lock)() = nullptr;             // PyGILState_Ensure
  void (*unlock)(int) = nullptr;       // PyGILState_Release
  Object* (*frame)() = nullptr;        // PyEval_GetFrame, a borrowed reference
  Object* (*back)(Object*) = nullptr;  // PyFrame_GetBack, a new reference or null
  Object* (*code)(Object*) = nullptr;  // PyFrame_GetCode, a new reference
  int (*line)(Object*) = nullptr;      // PyFrame_GetLineNumber
  int (*instruction)(Object*) = nullptr;  // PyFrame_GetLasti; null before Python 3.11
  Object* (*attribute)(Object*, const char*) = nullptr;  // PyObject_GetAttrString, new or null
  const char* (*text)(Object*) = nullptr;                // PyUnicode_AsUTF8
  void (*let_go)(Object*) = nullptr;                     // Py_DecRef
  void (*clear_error)() = nullptr;                       // PyErr_Clear
};

// A code object that was seen. It is kept alive, so that its address stays its own.
struct Code {
  std::string file;  // its name without folders; empty: not the program's own
};

struct PlaceKey {
  const Object* code = nullptr;
  int instruction = 0;
  base::StringId module = base::kNoString;
  friend bool operator==(const PlaceKey&, const PlaceKey&) = default;
};
struct PlaceHash {
  std::size_t operator()(const PlaceKey& key) const {
    return memory::mix_hash(
        reinterpret_cast<std::uintptr_t>(key.code),
        (std::uint64_t{key.module} << 32U) | static_cast<std::uint32_t>(key.instruction));
  }
};

// The last one that was asked for, of each hash: loops ask for the same again and again.
struct RecentCode {
  const Object* object = nullptr;
  const Code* code = nullptr;
};
struct RecentPlace {
  PlaceKey key;
  base::StringId place = base::kNoString;
};
constexpr std::size_t kRecent = 512;

// All of it is accessed with the interpreter's lock held. Never destroyed: threads may still run.
struct Places {
  Python python;
  std::vector<std::string> foreign;
  std::unordered_map<const Object*, Code> codes;
  std::unordered_map<PlaceKey, base::StringId, PlaceHash> places;
  const base::StringTable* strings = nullptr;  // of the places
  std::array<RecentCode, kRecent> recent_codes{};
  std::array<RecentPlace, kRecent> recent_places{};
};
Places* places = nullptr;

std::string file_of(const Python& python, Object* code) {
  std::string file;
  Object* const name = python.attribute(code, "co_filename");
  if (name == nullptr) {
    python.clear_error();
    return file;
  }
  if (const char* const text = python.text(name)) {
    file = text;
  } else {
    python.clear_error();
  }
  python.let_go(name);
  return file;
}

const Code& describe(Object* code) {
  constexpr unsigned kAlignedBits = 4;
  RecentCode& recent =
      places->recent_codes[(reinterpret_cast<std::uintptr_t>(code) >> kAlignedBits) % kRecent];
  if (recent.object == code) {
    places->python.let_go(code);
    return *recent.code;
  }
  const auto [at, fresh] = places->codes.try_emplace(code);
  recent = {code, &at->second};
  if (!fresh) {
    places->python.let_go(code);
    return at->second;
  }
  const std::string path = file_of(places->python, code);
  const bool own = !path.empty() && path.front() != '<' &&
                   std::ranges::none_of(places->foreign, [&](const std::string& begin) {
                     return path.starts_with(begin);
                   });
  if (own) at->second.file = path.substr(path.rfind('/') + 1);
  return at->second;
}

base::StringId place_of(base::StringTable& strings, base::StringId module, const Object* code,
                        const std::string& file, Object* frame) {
  const Python& python = places->python;
  const int at = python.instruction != nullptr ? python.instruction(frame) : python.line(frame);
  const PlaceKey key{code, at, module};
  RecentPlace& recent = places->recent_places[PlaceHash{}(key) % kRecent];
  if (recent.key == key) return recent.place;
  const auto [known, fresh] = places->places.try_emplace(key, base::kNoString);
  if (!fresh) {
    recent = {key, known->second};
    return known->second;
  }
  std::string text(strings.view(module));
  text += text.empty() ? "@ " : " @ ";
  text += file + ":" + std::to_string(python.line(frame));
  return known->second = strings.intern(text);
}

}  // namespace

bool prepare_python_places(std::vector<std::string> foreign) {
  if (places != nullptr) {
    places->foreign = std::move(foreign);
    return true;
  }
  auto made = std::make_unique<Places>();
  Python& python = made->python;
  if (!look_up("PyGILState_GetThisThreadState", python.this_thread) ||
      !look_up("PyGILState_Ensure", python.lock) || !look_up("PyGILState_Release", python.unlock) ||
      !look_up("PyEval_GetFrame", python.frame) || !look_up("PyFrame_GetBack", python.back) ||
      !look_up("PyFrame_GetCode", python.code) || !look_up("PyFrame_GetLineNumber", python.line) ||
      !look_up("PyObject_GetAttrString", python.attribute) ||
      !look_up("PyUnicode_AsUTF8", python.text) || !look_up("Py_DecRef", python.let_go) ||
      !look_up("PyErr_Clear", python.clear_error)) {
    return false;
  }
  look_up("PyFrame_GetLasti", python.instruction);
  made->foreign = std::move(foreign);
  places = made.release();
  return true;
}

base::StringId python_place(base::StringTable& strings, base::StringId module) {
  if (places == nullptr || places->python.this_thread() == nullptr) return module;
  const Python& python = places->python;
  const int state = python.lock();
  if (places->strings != &strings) {
    places->places.clear();
    places->recent_places = {};
    places->strings = &strings;
  }
  base::StringId place = module;
  Object* frame = python.frame();
  bool borrowed = true;
  while (frame != nullptr) {
    Object* const code = python.code(frame);
    const Code& described = describe(code);
    if (!described.file.empty()) place = place_of(strings, module, code, described.file, frame);
    Object* const outer = described.file.empty() ? python.back(frame) : nullptr;
    if (!borrowed) python.let_go(frame);
    borrowed = false;
    frame = outer;
  }
  python.unlock(state);
  return place;
}

}  // namespace ts::kernels
