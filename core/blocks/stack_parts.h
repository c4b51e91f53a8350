#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/blocks/frame_kind.h"

namespace ts::blocks {

// The frames of a stack by whom they belong to, each part innermost first.
struct StackParts {
  std::array<std::vector<allocator::FrameIndex>, kFrameKindCount> of_kind;
  [[nodiscard]] const std::vector<allocator::FrameIndex>& operator[](FrameKind kind) const {
    return of_kind[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::size_t size() const;
};
StackParts parts_of(const allocator::Snapshot& snapshot, allocator::StackIndex stack);

// The frame that says most about where a block comes from: the innermost of the program, else of a
// library, else of PyTorch (the operator that asked, if one is there, else what is not the
// allocator), else of all. kNone for no stack, or for one without frames.
allocator::FrameIndex telling_frame(const allocator::Snapshot& snapshot,
                                    allocator::StackIndex stack);

// All frames but that of the step, which stacks of our own recordings have: without it the stacks
// of two steps are equal.
std::vector<allocator::FrameIndex> frames_but_step(const allocator::Snapshot& snapshot,
                                                   allocator::StackIndex stack);

// The frames but those of the runtime in one line, innermost first:
// "forward  /data/model.py:42 < main  /data/train.py:7".
enum class Paths : std::uint8_t { whole, names };  // with folders, or the name of the file alone
std::string stack_words(const allocator::Snapshot& snapshot, allocator::StackIndex stack,
                        Paths paths);
std::string frames_words(const allocator::Snapshot& snapshot,
                         std::span<const allocator::FrameIndex> frames, Paths paths);

// All frames in the order of the file, one a line, with full paths: for the clipboard.
std::string stack_text(const allocator::Snapshot& snapshot, allocator::StackIndex stack);

}  // namespace ts::blocks
