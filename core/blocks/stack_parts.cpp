#include "core/blocks/stack_parts.h"

#include <numeric>

namespace ts::blocks {

std::size_t StackParts::size() const {
  return std::accumulate(of_kind.begin(), of_kind.end(), std::size_t{0},
                         [](std::size_t sum, const auto& part) { return sum + part.size(); });
}

StackParts parts_of(const allocator::Snapshot& snapshot, allocator::StackIndex stack) {
  StackParts parts;
  if (stack == memory::kNone) return parts;
  for (const allocator::FrameIndex index : snapshot.stacks.stack(stack)) {
    const allocator::Frame& frame = snapshot.stacks.frame(index);
    const FrameKind kind = frame_kind(snapshot.text(frame.name), snapshot.text(frame.filename));
    parts.of_kind[static_cast<std::size_t>(kind)].push_back(index);
  }
  return parts;
}

allocator::FrameIndex telling_frame(const allocator::Snapshot& snapshot,
                                    allocator::StackIndex stack) {
  for (const auto& part : parts_of(snapshot, stack).of_kind) {
    if (!part.empty()) return part.front();
  }
  return memory::kNone;
}

std::string stack_text(const allocator::Snapshot& snapshot, allocator::StackIndex stack) {
  std::string text;
  if (stack == memory::kNone) return text;
  for (const allocator::FrameIndex index : snapshot.stacks.stack(stack)) {
    text += frame_words(snapshot, snapshot.stacks.frame(index)) + "\n";
  }
  return text;
}

}  // namespace ts::blocks
