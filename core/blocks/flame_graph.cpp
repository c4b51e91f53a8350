#include "core/blocks/flame_graph.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "core/blocks/frame_kind.h"
#include "core/blocks/stack_parts.h"

namespace ts::blocks {
namespace {

using allocator::FrameIndex;
using allocator::StackIndex;

class FlameBuilder {
 public:
  FlameBuilder(const BlockSource& source, FlameFrames shown) : source_(source), shown_(shown) {
    nodes_.emplace_back();
  }

  std::vector<FlameNode> run(Weight weight, memory::EventIndex event) {
    for (const WeightedBlock& chosen : weighted_blocks(source_.log, weight, event)) {
      std::uint32_t node = leaf_of(source_.stack_of(chosen.block));
      for (; node != memory::kNone; node = nodes_[node].parent) add(nodes_[node], chosen);
    }
    return in_drawing_order();
  }

 private:
  void add(FlameNode& node, const WeightedBlock& chosen) const {
    const auto blocks = source_.log.blocks();
    node.weight += chosen.weight;
    ++node.count;
    if (node.largest == memory::kNone || blocks[chosen.block].size > blocks[node.largest].size)
      node.largest = chosen.block;
  }

  [[nodiscard]] bool is_runtime(FrameIndex index) {
    const auto [place, fresh] = runtime_.try_emplace(index, false);
    if (fresh) {
      const allocator::Snapshot& snapshot = source_.snapshot;
      const allocator::Frame& frame = snapshot.stacks.frame(index);
      place->second = frame_kind(snapshot.text(frame.name), snapshot.text(frame.filename)) ==
                      FrameKind::runtime;
    }
    return place->second;
  }

  std::vector<FrameIndex> frames_of(StackIndex stack) {
    const auto frames = source_.snapshot.stacks.stack(stack);
    if (shown_ == FlameFrames::telling) return frames_of_program(source_.snapshot, frames);
    std::vector<FrameIndex> all;
    std::ranges::copy_if(frames, std::back_inserter(all),
                         [this](FrameIndex frame) { return !is_runtime(frame); });
    return all;
  }

  // The innermost node of a stack. Blocks without a frame that counts lie under a node of their
  // own.
  std::uint32_t leaf_of(StackIndex stack) {
    if (const auto known = leaves_.find(stack); known != leaves_.end()) return known->second;
    std::uint32_t node = 0;
    if (stack != memory::kNone) {
      const std::vector<FrameIndex> frames = frames_of(stack);
      for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
        node = child_of(node, *frame);
    }
    if (node == 0) node = child_of(0, memory::kNone);
    leaves_.emplace(stack, node);
    return node;
  }

  std::uint32_t child_of(std::uint32_t parent, FrameIndex frame) {
    const std::uint64_t key = (std::uint64_t{parent} << 32U) | frame;
    const auto [place, fresh] =
        children_.try_emplace(key, static_cast<std::uint32_t>(nodes_.size()));
    if (fresh) {
      nodes_.push_back({.frame = frame, .parent = parent, .depth = nodes_[parent].depth + 1});
    }
    return place->second;
  }

  [[nodiscard]] std::vector<FlameNode> in_drawing_order() const {
    std::vector<std::vector<std::uint32_t>> below(nodes_.size());
    for (std::uint32_t i = 1; i < nodes_.size(); ++i) below[nodes_[i].parent].push_back(i);
    for (auto& children : below) {
      std::ranges::stable_sort(children, [&](std::uint32_t a, std::uint32_t b) {
        return nodes_[a].weight > nodes_[b].weight;
      });
    }
    std::vector<FlameNode> ordered;
    ordered.reserve(nodes_.size());
    struct Open {
      std::uint32_t node = 0;
      std::uint32_t parent = memory::kNone;
      double begin = 0;
    };
    std::vector<Open> open{Open{}};
    while (!open.empty()) {
      const Open next = open.back();
      open.pop_back();
      const auto place = static_cast<std::uint32_t>(ordered.size());
      ordered.push_back(nodes_[next.node]);
      ordered.back().parent = next.parent;
      ordered.back().begin = next.begin;
      double end = next.begin;
      for (const std::uint32_t child : below[next.node]) end += nodes_[child].weight;
      // The heaviest child comes last onto the stack, so that it is drawn first.
      const auto& children = below[next.node];
      for (auto child = children.rbegin(); child != children.rend(); ++child) {
        end -= nodes_[*child].weight;
        open.push_back({*child, place, end});
      }
    }
    return ordered;
  }

  const BlockSource& source_;
  const FlameFrames shown_;
  std::vector<FlameNode> nodes_;
  std::unordered_map<StackIndex, std::uint32_t> leaves_;
  std::unordered_map<std::uint64_t, std::uint32_t> children_;
  std::unordered_map<FrameIndex, bool> runtime_;
};

}  // namespace

std::vector<FlameNode> flame_graph(const BlockSource& source, Weight weight,
                                   memory::EventIndex event, FlameFrames shown) {
  return FlameBuilder(source, shown).run(weight, event);
}

}  // namespace ts::blocks
