#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/capture/recorder.h"
#include "kernels/observe/name_cache.h"

namespace ts::kernels {

// An open module or operator on a thread, but for its sizes.
struct FrameKind {
  capture::RawKind kind = capture::RawKind::op;
  bool slice = true;      // false: the frame around an autograd node, which is not recorded
  bool backward = false;  // of the thread outside this frame, to be restored at its end
  bool range = false;     // of kind module: a range that the program named
  bool may_have_unknown_blocks = false;  // of an operator: OperatorName's
  const void* function = nullptr;        // LibTorch's, of an operator or range while it is open
  base::StringId name = base::kNoString;
  base::StringId memory_op = base::kNoString;  // to which an allocation here is attributed
  base::StringId module = base::kNoString;
  std::int64_t begin_ns = 0;
  std::int64_t sequence = -1;
};
struct Frame : FrameKind {
  capture::Shapes shapes;  // those of `tensors`; the others are undefined
};

// The open frames of one thread in one Recording. Accessed by that thread only.
struct ThreadState {
  static constexpr int kMaxFrames = 96;

  ThreadState(std::uint64_t recording_id, capture::ThreadLog* thread_log,
              base::StringTable& strings)
      : recording(recording_id), log(thread_log), names(strings) {}

  // Null when nesting is deeper than kMaxFrames: such a frame is counted but not recorded.
  Frame* push() noexcept {
    const int index = open++;
    if (index >= kMaxFrames) return nullptr;
    Frame& frame = frames[static_cast<std::size_t>(index)];
    // Sizes that nobody reads are not cleared: this is done for every operator.
    static_cast<FrameKind&>(frame) = {};
    frame.shapes.tensors = 0;
    return &frame;
  }
  // The frame that push() gave, null if it gave null or none is open.
  Frame* pop() noexcept {
    if (open == 0) return nullptr;
    const int index = --open;
    return index >= kMaxFrames ? nullptr : &frames[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] Frame* top() noexcept {
    if (open == 0 || open > kMaxFrames) return nullptr;
    return &frames[static_cast<std::size_t>(open - 1)];
  }

  // Where the innermost frame of what LibTorch calls so is, -1 if there is none.
  [[nodiscard]] int find(const void* function) const noexcept {
    int index = std::min(open, kMaxFrames) - 1;
    while (index >= 0 && frames[static_cast<std::size_t>(index)].function != function) --index;
    return index;
  }

  const std::uint64_t recording;
  capture::ThreadLog* const log;
  NameCache names;
  bool backward = false;
  base::StringId place = base::kNoString;  // module of the operator that opens next, if known
  int operators = 0;                       // open operators, frames around nodes included
  std::uint8_t depth = 0;                  // open slices
  int open = 0;
  std::array<Frame, kMaxFrames> frames;
};

}  // namespace ts::kernels
