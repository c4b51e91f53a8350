#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/allocator/snapshot.h"

namespace ts::blocks {

// To whom a frame of a stack belongs.
enum class FrameKind : std::uint8_t {
  own,      // a file of the program, or a frame of our own runs (operator, module, phase, step)
  library,  // Python of another package, such as transformers
  torch,    // PyTorch in Python or C++, and the libraries that it calls
  runtime,  // the interpreter, the unwinder, the C library: the same on every stack
};
inline constexpr int kFrameKindCount = 4;

// Decides by the file of a Python frame, and by the function and file of a C++ frame. The names of
// the runtime include those that PyTorch's memory_viz leaves out.
FrameKind frame_kind(std::string_view function, std::string_view file);

// The name of a C++ function without its return type, parameters and template arguments:
// "void at::native::fill<float>(at::Tensor&)" is "at::native::fill".
std::string_view function_name(std::string_view function);

// "forward  /data/model.py:42"; without a file "at::_ops::mm::call(at::Tensor const&)".
std::string frame_text(const allocator::Snapshot& snapshot, const allocator::Frame& frame);
// The same with the name of the file instead of its path.
std::string short_frame_text(const allocator::Snapshot& snapshot, const allocator::Frame& frame);

}  // namespace ts::blocks
