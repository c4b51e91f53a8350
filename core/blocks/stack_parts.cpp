#include "core/blocks/stack_parts.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

namespace ts::blocks {
namespace {

FrameKind kind_of(const allocator::Snapshot& snapshot, allocator::FrameIndex index) {
  const allocator::Frame& frame = snapshot.stacks.frame(index);
  return frame_kind(snapshot.text(frame.name), snapshot.text(frame.filename));
}

// One past the outermost frame of the program; all frames where it has none.
std::size_t end_of_program(const allocator::Snapshot& snapshot, StackFrames frames) {
  std::size_t end = frames.size();
  while (end > 0 && kind_of(snapshot, frames[end - 1]) != FrameKind::own) --end;
  return end == 0 ? frames.size() : end;
}

bool is_python(const allocator::Snapshot& snapshot, allocator::FrameIndex index) {
  return snapshot.text(snapshot.stacks.frame(index).filename).ends_with(".py");
}

// "mm" of "at::_ops::mm::call"; empty for other functions.
std::string_view operator_of(std::string_view function) {
  constexpr std::string_view kOperators = "at::_ops::";
  if (!function.starts_with(kOperators)) return {};
  function.remove_prefix(kOperators.size());
  return function.substr(0, function.find("::"));
}

// "MmBackward0" of "torch::autograd::generated::MmBackward0::apply"; empty for other functions.
std::string_view backward_node_of(std::string_view function) {
  constexpr std::string_view kApply = "::apply";
  if (!function.starts_with("torch::autograd::") || !function.ends_with(kApply)) return {};
  function.remove_suffix(kApply.size());
  return function.substr(function.rfind("::") + 2);
}

bool makes_empty(std::string_view operator_name) {
  return operator_name.starts_with("empty");
}

// The frames inside the innermost one of the program or of a library.
StackFrames inside(const allocator::Snapshot& snapshot, StackFrames frames) {
  const auto first = std::ranges::find_if(frames, [&](allocator::FrameIndex index) {
    const FrameKind kind = kind_of(snapshot, index);
    return kind == FrameKind::own || kind == FrameKind::library;
  });
  return frames.first(static_cast<std::size_t>(first - frames.begin()));
}

allocator::FrameIndex telling_torch_frame(const allocator::Snapshot& snapshot, StackFrames torch) {
  const auto function = [&](allocator::FrameIndex index) {
    return function_name(snapshot.text(snapshot.stacks.frame(index).name));
  };
  const auto asks = std::ranges::find_if(torch, [&](allocator::FrameIndex index) {
    const std::string_view name = operator_of(function(index));
    return !name.empty() && !makes_empty(name);
  });
  if (asks != torch.end()) return *asks;
  // The stack of a free begins with the allocator and what the tensor is made of.
  const auto who = std::ranges::find_if(torch, [&](allocator::FrameIndex index) {
    return !function(index).starts_with("c10::") && !function(index).starts_with("std::");
  });
  if (who != torch.end()) return *who;
  return torch.empty() ? memory::kNone : torch.front();
}

// Adds a part of a stack to its line. Neighbours with the same words, as an operator and its
// redispatch have, are one if `merged`.
void add_part(const allocator::Snapshot& snapshot, StackFrames frames, Paths paths, bool merged,
              std::string& line) {
  std::optional<std::string> last;
  for (const allocator::FrameIndex index : frames) {
    std::string words = telling_words(snapshot, index, paths);
    if (merged && words == last) continue;
    if (!line.empty()) line += last ? " < " : " \xe2\x80\xa6 ";
    line += words;
    last = std::move(words);
  }
}

}  // namespace

std::size_t StackParts::size() const {
  return std::accumulate(of_kind.begin(), of_kind.end(), std::size_t{0},
                         [](std::size_t sum, const auto& part) { return sum + part.size(); });
}

StackParts parts_of(const allocator::Snapshot& snapshot, StackFrames frames) {
  StackParts parts;
  const std::size_t program = end_of_program(snapshot, frames);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    FrameKind kind = kind_of(snapshot, frames[i]);
    if (kind == FrameKind::library && i >= program) kind = FrameKind::runtime;
    parts.of_kind[static_cast<std::size_t>(kind)].push_back(frames[i]);
  }
  return parts;
}

StackParts parts_of(const allocator::Snapshot& snapshot, allocator::StackIndex stack) {
  return stack == memory::kNone ? StackParts{} : parts_of(snapshot, snapshot.stacks.stack(stack));
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
  const auto torch = telling_torch_frame(snapshot, parts[FrameKind::torch]);
  if (torch != memory::kNone) return torch;
  const auto& runtime = parts[FrameKind::runtime];
  return runtime.empty() ? memory::kNone : runtime.front();
}

std::vector<allocator::FrameIndex> telling_torch_frames(const allocator::Snapshot& snapshot,
                                                        StackFrames frames) {
  const StackFrames inner = inside(snapshot, frames);
  std::vector<allocator::FrameIndex> telling;
  bool python = false;
  for (const allocator::FrameIndex index : inner) {
    if (kind_of(snapshot, index) != FrameKind::torch) continue;
    const std::string_view name = function_name(snapshot.text(snapshot.stacks.frame(index).name));
    const std::string_view operator_name = operator_of(name);
    const bool line = is_python(snapshot, index);
    if ((!operator_name.empty() && !makes_empty(operator_name)) ||
        !backward_node_of(name).empty() || (line && !python))
      telling.push_back(index);
    python = python || line;
  }
  if (!telling.empty() || inner.size() < frames.size()) return telling;
  const auto other = telling_torch_frame(snapshot, parts_of(snapshot, frames)[FrameKind::torch]);
  if (other != memory::kNone) telling.push_back(other);
  return telling;
}

std::string telling_words(const allocator::Snapshot& snapshot, allocator::FrameIndex index,
                          Paths paths) {
  const allocator::Frame& frame = snapshot.stacks.frame(index);
  if (kind_of(snapshot, index) == FrameKind::torch && !is_python(snapshot, index)) {
    const std::string_view name = function_name(snapshot.text(frame.name));
    if (const auto found = operator_of(name); !found.empty()) return "aten::" + std::string(found);
    const std::string_view node = backward_node_of(name);
    return std::string(node.empty() ? name : node);
  }
  return paths == Paths::whole ? frame_words(snapshot, frame) : short_frame_words(snapshot, frame);
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

std::string frames_words(const allocator::Snapshot& snapshot, StackFrames frames, Paths paths) {
  const StackParts parts = parts_of(snapshot, frames);
  std::string line;
  add_part(snapshot, parts[FrameKind::own], paths, false, line);
  add_part(snapshot, parts[FrameKind::library], paths, false, line);
  add_part(snapshot, telling_torch_frames(snapshot, frames), paths, true, line);
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
