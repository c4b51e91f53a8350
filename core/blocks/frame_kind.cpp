#include "core/blocks/frame_kind.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/contains.h"

namespace ts::blocks {
namespace {

using std::string_view_literals::operator""sv;

bool begins_with_any(std::string_view text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.starts_with(part); });
}

constexpr std::array kOwnKinds{"operator"sv, "module"sv, "phase"sv, "step"sv};
constexpr std::array kRuntimeFunctions{"unwind::unwind"sv,    "CapturedTraceback::gather"sv,
                                       "gather_with_cpp"sv,   "PyEval_"sv,
                                       "PyObject_"sv,         "PyFunction_"sv,
                                       "PyVectorcall"sv,      "PyRun_"sv,
                                       "Py_RunMain"sv,        "Py_BytesMain"sv,
                                       "__libc_start"sv,      "cfunction_"sv,
                                       "method_vectorcall"sv, "slot_tp_"sv,
                                       "_PyFunction"sv,       "pymain_"sv};
constexpr std::array kRuntimeBegins{
    "_start"sv,  "clone"sv,         "start_thread"sv, "_Py"sv,      "type_call"sv, "method_"sv,
    "run_mod"sv, "run_eval_code"sv, "??"sv,           "partial_"sv, "object_"sv,   "func_"sv};
constexpr std::array kRuntimeFiles{
    "core/boxing"sv,    "/Register"sv,  "/Redispatch"sv,    "pythonrun.c"sv, "Modules/main.c"sv,
    "Objects/"sv,       "Python/"sv,    "pycore_ceval.h"sv, "ceval.c"sv,     "cpython/abstract.h"sv,
    "pthread_create"sv, "libc-start"sv, "clone.S"sv,        "clone3.S"sv};
constexpr std::array kRuntimePython{"<frozen "sv, "/runpy.py"sv, "/threading.py"sv,
                                    "/contextlib.py"sv, "/multiprocessing/"sv};
constexpr std::array kTorchBegins{"at::"sv,      "c10::"sv,    "torch::"sv, "pybind11::"sv,
                                  "std::"sv,     "caffe2::"sv, "THP"sv,     "wrapper_"sv,
                                  "cublas"sv,    "cudnn"sv,    "nccl"sv,    "cutlass::"sv,
                                  "__gnu_cxx"sv, "decltype"sv};
constexpr std::array kLibraries{"/site-packages/"sv, "/dist-packages/"sv, "/lib/python3"sv};

FrameKind kind_of_python(std::string_view file) {
  if (base::contains_any(file, kRuntimePython)) return FrameKind::runtime;
  if (base::contains(file, "/torch/")) return FrameKind::torch;
  return base::contains_any(file, kLibraries) ? FrameKind::library : FrameKind::own;
}

std::string words(std::string_view function, std::string_view file, std::int64_t line) {
  std::string words(function);
  if (file.empty() || file == "??") return words;
  words += (words.empty() ? "" : "  ") + std::string(file);
  if (line > 0) words += ":" + std::to_string(line);
  return words;
}

}  // namespace

std::string_view function_name(std::string_view function) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::size_t end = 0;
  std::size_t begin = 0;
  while (end < function.size() && function[end] != '<') {
    if (function.substr(end).starts_with(kAnonymous)) {
      end += kAnonymous.size();
      continue;
    }
    if (function[end] == '(') break;
    if (function[end] == ' ') begin = end + 1;
    ++end;
  }
  return function.substr(begin, end - begin);
}

FrameKind frame_kind(std::string_view function, std::string_view file) {
  if (std::ranges::find(kOwnKinds, file) != kOwnKinds.end()) return FrameKind::own;
  if (file.ends_with(".py") || file.starts_with('<')) return kind_of_python(file);
  const std::string_view name = function_name(function);
  if (base::contains_any(function, kRuntimeFunctions) || begins_with_any(name, kRuntimeBegins) ||
      base::contains_any(file, kRuntimeFiles))
    return FrameKind::runtime;
  if (begins_with_any(name, kTorchBegins) || base::contains(file, "/torch/") ||
      base::contains(file, "/aten/") || base::contains(file, "/c10/"))
    return FrameKind::torch;
  // A function of C++ that is not PyTorch's is an extension; those of C belong to the interpreter.
  return base::contains(name, "::") ? FrameKind::own : FrameKind::runtime;
}

std::string frame_text(const allocator::Snapshot& snapshot, const allocator::Frame& frame) {
  return words(snapshot.text(frame.name), snapshot.text(frame.filename), frame.line);
}

std::string short_frame_text(const allocator::Snapshot& snapshot, const allocator::Frame& frame) {
  const std::string_view file = snapshot.text(frame.filename);
  const std::size_t slash = file.find_last_of('/');
  return words(snapshot.text(frame.name),
               slash == std::string_view::npos ? file : file.substr(slash + 1), frame.line);
}

}  // namespace ts::blocks
