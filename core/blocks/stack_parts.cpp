#include "core/blocks/stack_parts.h"

#include <algorithm>
#include <numeric>
#include <string_view>

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
  const StackParts parts = parts_of(snapshot, stack);
  for (const FrameKind kind : {FrameKind::own, FrameKind::library}) {
    if (parts[kind].empty()) continue;
    // In runs of ours the operator comes first, then the line of the program that called it.
    const auto file = [&](std::size_t i) {
      return snapshot.text(snapshot.stacks.frame(parts[kind][i]).filename);
    };
    const bool line = parts[kind].size() > 1 && file(0) == "operator" && file(1).ends_with(".py");
    return parts[kind][line ? 1 : 0];
  }
  const auto& torch = parts[FrameKind::torch];
  const auto asks = std::ranges::find_if(torch, [&](allocator::FrameIndex index) {
    const std::string_view name = snapshot.text(snapshot.stacks.frame(index).name);
    const bool makes = name.starts_with("at::_ops::empty");  // every allocation goes through it
    return name.starts_with("at::_ops::") && !makes;
  });
  if (asks != torch.end()) return *asks;
  // The stack of a free begins with the allocator and what the tensor is made of.
  const auto who = std::ranges::find_if(torch, [&](allocator::FrameIndex index) {
    const std::string_view name = snapshot.text(snapshot.stacks.frame(index).name);
    return !name.starts_with("c10::") && !name.starts_with("std::");
  });
  if (who != torch.end()) return *who;
  if (!torch.empty()) return torch.front();
  const auto& runtime = parts[FrameKind::runtime];
  return runtime.empty() ? memory::kNone : runtime.front();
}

std::vector<allocator::FrameIndex> frames_but_step(const allocator::Snapshot& snapshot,
                                                   allocator::StackIndex stack) {
  std::vector<allocator::FrameIndex> frames;
  if (stack == memory::kNone) return frames;
  for (const allocator::FrameIndex index : snapshot.stacks.stack(stack)) {
    if (snapshot.text(snapshot.stacks.frame(index).filename) != "step") frames.push_back(index);
  }
  return frames;
}

std::string stack_words(const allocator::Snapshot& snapshot, allocator::StackIndex stack,
                        Paths paths) {
  if (stack == memory::kNone) return {};
  return frames_words(snapshot, snapshot.stacks.stack(stack), paths);
}

std::string frames_words(const allocator::Snapshot& snapshot,
                         std::span<const allocator::FrameIndex> frames, Paths paths) {
  std::string line;
  for (const allocator::FrameIndex index : frames) {
    const allocator::Frame& frame = snapshot.stacks.frame(index);
    if (frame_kind(snapshot.text(frame.name), snapshot.text(frame.filename)) == FrameKind::runtime)
      continue;
    line += line.empty() ? "" : " < ";
    line +=
        paths == Paths::whole ? frame_words(snapshot, frame) : short_frame_words(snapshot, frame);
  }
  return line;
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
