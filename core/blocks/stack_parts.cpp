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

using Kinds = std::vector<FrameKind>;

// By frame. Frames of libraries outside the program's are of the runtime.
Kinds kinds_of(const allocator::Snapshot& snapshot, StackFrames frames) {
  Kinds kinds;
  kinds.reserve(frames.size());
  std::size_t end = 0;  // one past the outermost frame of the program
  for (const allocator::FrameIndex index : frames) {
    kinds.push_back(kind_of(snapshot, index));
    if (kinds.back() == FrameKind::own) end = kinds.size();
  }
  if (end > 0)
    std::replace(kinds.begin() + static_cast<std::ptrdiff_t>(end), kinds.end(), FrameKind::library,
                 FrameKind::runtime);
  return kinds;
}

StackParts parts_by(StackFrames frames, const Kinds& kinds) {
  StackParts parts;
  for (std::size_t i = 0; i < frames.size(); ++i)
    parts.of_kind[static_cast<std::size_t>(kinds[i])].push_back(frames[i]);
  return parts;
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

// How many frames are inside the innermost one of the program or of a library.
std::size_t inner_frames(const Kinds& kinds) {
  const auto first = std::ranges::find_if(
      kinds, [](FrameKind kind) { return kind == FrameKind::own || kind == FrameKind::library; });
  return static_cast<std::size_t>(first - kinds.begin());
}

bool is_operator(std::string_view function) {
  const std::string_view name = operator_of(function);
  return !name.empty() && !name.starts_with("empty");  // every allocation goes through empty
}

allocator::FrameIndex frame_of_torch(const allocator::Snapshot& snapshot, StackFrames torch) {
  const auto function = [&](allocator::FrameIndex index) {
    return function_name(snapshot.text(snapshot.stacks.frame(index).name));
  };
  const auto asks = std::ranges::find_if(
      torch, [&](allocator::FrameIndex index) { return is_operator(function(index)); });
  if (asks != torch.end()) return *asks;
  // The stack of a free begins with the allocator and what the tensor is made of.
  const auto who = std::ranges::find_if(torch, [&](allocator::FrameIndex index) {
    return !function(index).starts_with("c10::") && !function(index).starts_with("std::");
  });
  if (who != torch.end()) return *who;
  return torch.empty() ? memory::kNone : torch.front();
}

// As frames_of_torch().
std::vector<allocator::FrameIndex> frame_by(const allocator::Snapshot& snapshot, StackFrames frames,
                                            const Kinds& kinds) {
  std::vector<allocator::FrameIndex> telling;
  const std::size_t inner = inner_frames(kinds);
  bool python = false;
  for (std::size_t i = 0; i < inner; ++i) {
    if (kinds[i] != FrameKind::torch) continue;
    const std::string_view name =
        function_name(snapshot.text(snapshot.stacks.frame(frames[i]).name));
    const bool line = is_python(snapshot, frames[i]) && !std::exchange(python, true);
    if (line || is_operator(name) || !backward_node_of(name).empty()) telling.push_back(frames[i]);
  }
  if (!telling.empty() || inner < frames.size()) return telling;
  const auto other = frame_of_torch(snapshot, parts_by(frames, kinds)[FrameKind::torch]);
  if (other != memory::kNone) telling.push_back(other);
  return telling;
}

// Adds a part of a stack to its line. Neighbours with the same words, as an operator and its
// redispatch have, are one if `merged`.
void add_part(const allocator::Snapshot& snapshot, StackFrames frames, Paths paths, bool merged,
              std::string& line) {
  std::optional<std::string> last;
  for (const allocator::FrameIndex index : frames) {
    std::string words = frame_of_program_text(snapshot, index, paths);
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
  return parts_by(frames, kinds_of(snapshot, frames));
}

StackParts parts_of(const allocator::Snapshot& snapshot, allocator::StackIndex stack) {
  return stack == memory::kNone ? StackParts{} : parts_of(snapshot, snapshot.stacks.stack(stack));
}

allocator::FrameIndex frame_of_program(const allocator::Snapshot& snapshot,
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
  const auto torch = frame_of_torch(snapshot, parts[FrameKind::torch]);
  if (torch != memory::kNone) return torch;
  const auto& runtime = parts[FrameKind::runtime];
  return runtime.empty() ? memory::kNone : runtime.front();
}

std::vector<allocator::FrameIndex> frames_of_torch(const allocator::Snapshot& snapshot,
                                                   StackFrames frames) {
  return frame_by(snapshot, frames, kinds_of(snapshot, frames));
}

std::vector<allocator::FrameIndex> frames_of_program(const allocator::Snapshot& snapshot,
                                                     StackFrames frames) {
  const Kinds kinds = kinds_of(snapshot, frames);
  const std::vector<allocator::FrameIndex> torch = frame_by(snapshot, frames, kinds);
  std::vector<allocator::FrameIndex> telling;
  std::optional<std::string> last;  // words of the frame before, if that is PyTorch's
  std::size_t next = 0;             // of `torch`, which has the order of the stack
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (kinds[i] == FrameKind::own || kinds[i] == FrameKind::library) {
      telling.push_back(frames[i]);
      last.reset();
    } else if (next < torch.size() && frames[i] == torch[next]) {
      ++next;
      std::string words = frame_of_program_text(snapshot, frames[i], Paths::whole);
      if (words == last) telling.pop_back();
      telling.push_back(frames[i]);
      last = std::move(words);
    }
  }
  return telling;
}

std::string frame_of_program_text(const allocator::Snapshot& snapshot, allocator::FrameIndex index,
                                  Paths paths) {
  const allocator::Frame& frame = snapshot.stacks.frame(index);
  if (kind_of(snapshot, index) == FrameKind::torch && !is_python(snapshot, index)) {
    const std::string_view name = function_name(snapshot.text(frame.name));
    if (const auto found = operator_of(name); !found.empty()) return "aten::" + std::string(found);
    const std::string_view node = backward_node_of(name);
    return std::string(node.empty() ? name : node);
  }
  return paths == Paths::whole ? frame_text(snapshot, frame) : short_frame_text(snapshot, frame);
}

FoldedStack folded_stack(const allocator::Snapshot& snapshot, allocator::StackIndex stack,
                         std::size_t most) {
  FoldedStack folded;
  if (stack == memory::kNone) return folded;
  const StackParts parts = parts_of(snapshot, stack);
  folded.shown = parts[FrameKind::own];
  const auto& library = parts[FrameKind::library];
  folded.shown.insert(folded.shown.end(), library.begin(), library.end());
  if (folded.shown.empty()) folded.shown = frames_of_torch(snapshot, snapshot.stacks.stack(stack));
  folded.shown.resize(std::min(folded.shown.size(), most));
  folded.folded = parts.size() - folded.shown.size();
  return folded;
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

std::string short_stack_text(const allocator::Snapshot& snapshot, allocator::StackIndex stack,
                             Paths paths) {
  if (stack == memory::kNone) return {};
  return frames_text(snapshot, snapshot.stacks.stack(stack), paths);
}

std::string frames_text(const allocator::Snapshot& snapshot, StackFrames frames, Paths paths) {
  const Kinds kinds = kinds_of(snapshot, frames);
  const StackParts parts = parts_by(frames, kinds);
  std::string line;
  add_part(snapshot, parts[FrameKind::own], paths, false, line);
  add_part(snapshot, parts[FrameKind::library], paths, false, line);
  add_part(snapshot, frame_by(snapshot, frames, kinds), paths, true, line);
  return line;
}

std::string stack_text(const allocator::Snapshot& snapshot, allocator::StackIndex stack) {
  std::string text;
  if (stack == memory::kNone) return text;
  for (const allocator::FrameIndex index : snapshot.stacks.stack(stack)) {
    text += frame_text(snapshot, snapshot.stacks.frame(index)) + "\n";
  }
  return text;
}

}  // namespace ts::blocks
