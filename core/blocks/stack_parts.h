#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/blocks/frame_kind.h"

namespace ts::blocks {

// The frames of a stack by whom they belong to, each part innermost first. Frames of libraries that
// call the program, such as those of a notebook or of pytest, count as runtime.
struct StackParts {
  std::array<std::vector<allocator::FrameIndex>, kFrameKindCount> of_kind;
  [[nodiscard]] const std::vector<allocator::FrameIndex>& operator[](FrameKind kind) const {
    return of_kind[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::size_t size() const;
};
using StackFrames = std::span<const allocator::FrameIndex>;  // of a stack, innermost first
StackParts parts_of(const allocator::Snapshot& snapshot, StackFrames frames);
StackParts parts_of(const allocator::Snapshot& snapshot, allocator::StackIndex stack);

// The frame that says most about where a block comes from: the innermost of the program, else of a
// library, else of PyTorch (the operator that asked, if one is there, else what is not the
// allocator), else of all. kNone for no stack, or for one without frames.
allocator::FrameIndex frame_of_program(const allocator::Snapshot& snapshot,
                                       allocator::StackIndex stack);

// All frames but that of the step, which stacks of our own recordings have: without it the stacks
// of two steps are equal.
std::vector<allocator::FrameIndex> frames_but_step(const allocator::Snapshot& snapshot,
                                                   allocator::StackIndex stack);

// The frames that say what PyTorch did for the innermost frame of the program or of a library: its
// operators but those that make an empty tensor, the nodes of a backward, and the innermost line of
// Python. Without these the telling frame, if that is one of PyTorch.
std::vector<allocator::FrameIndex> frames_of_torch(const allocator::Snapshot& snapshot,
                                                   StackFrames frames);

// The frames of a stack that short_stack_text() names, in the order of the stack: the program's,
// those of libraries, PyTorch's telling frames; of PyTorch's neighbours with the same words the
// outermost.
std::vector<allocator::FrameIndex> frames_of_program(const allocator::Snapshot& snapshot,
                                                     StackFrames frames);

enum class Paths : std::uint8_t { whole, names };  // with folders, or the name of the file alone

// A frame in few words: "aten::mm" for an operator, "MmBackward0" for the node of a backward, the
// function alone for other C++ of PyTorch; else as in frame_text().
std::string frame_of_program_text(const allocator::Snapshot& snapshot, allocator::FrameIndex frame,
                                  Paths paths);

// The frames of a stack that are shown beside the mouse, each in its telling words: the program's,
// then those of libraries, without both PyTorch's telling frames; at most `most` of them.
struct FoldedStack {
  std::vector<allocator::FrameIndex> shown;
  std::size_t folded = 0;  // the others
};
FoldedStack folded_stack(const allocator::Snapshot& snapshot, allocator::StackIndex stack,
                         std::size_t most);

// A stack in one line that begins with what tells it from others: the program's frames, those of
// libraries, PyTorch's telling frames, each part innermost first. Of PyTorch's others and of the
// runtime there is none. " … " stands between the parts:
// "forward  /data/model.py:42 < main  /data/train.py:7 … aten::mm".
std::string short_stack_text(const allocator::Snapshot& snapshot, allocator::StackIndex stack,
                             Paths paths);
std::string frames_text(const allocator::Snapshot& snapshot, StackFrames frames, Paths paths);

// All frames in the order of the file, one a line, with full paths: for the clipboard.
std::string stack_text(const allocator::Snapshot& snapshot, allocator::StackIndex stack);

}  // namespace ts::blocks
