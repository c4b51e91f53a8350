#include "kernels/observe/operator_frames.h"

namespace ts::kernels {
namespace {

Frame* push_operator(ThreadState& state, const OperatorName& name) {
  const Frame* const outer = state.top();
  Frame* const frame = state.push();
  ++state.operators;
  if (frame == nullptr) return nullptr;
  frame->kind = capture::RawKind::op;
  frame->name = name.id;
  frame->memory_op =
      name.factory && state.operators > 1 && outer != nullptr ? outer->memory_op : name.id;
  frame->module = outer != nullptr ? outer->module : base::kNoString;
  if (state.place != base::kNoString) frame->module = state.place;
  frame->backward = state.backward;
  frame->slice = !name.node_frame;
  frame->may_have_unknown_blocks = name.may_have_unknown_blocks;
  if (name.node_frame) state.backward = true;
  return frame;
}

}  // namespace

OpenedOperator open_operator_frame(ThreadState& state, SequenceModules& modules,
                                   const at::RecordFunction& function, const OperatorName& name) {
  Frame* const frame = push_operator(state, name);
  if (frame == nullptr) return {};
  frame->function = &function;
  if (name.node_frame) return {frame, name.attention};
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
    state.backward = true;
    const std::uint64_t forward = function.forwardThreadId();
    frame->sequence = capture::sequence_of(forward, function.seqNr());
    frame->module = modules.find(forward, function.seqNr());
    // The frame around the node belongs to the same module: gradients are summed there.
    if (state.open > 1)
      state.frames[static_cast<std::size_t>(state.open - 2)].module = frame->module;
  } else if (!state.backward && function.seqNr() >= 0) {
    frame->sequence = capture::sequence_of(function.threadId(), function.seqNr());
    modules.remember(function.threadId(), function.seqNr(), frame->module);
  }
  return {frame, name.attention};
}

void open_node_frame(ThreadState& state, std::string_view name) {
  push_operator(state, state.names.find(name));
}

const Frame* close_operator_frame(ThreadState& state) {
  const Frame* const frame = state.pop();
  --state.operators;
  if (frame != nullptr) state.backward = frame->backward;
  return frame;
}

}  // namespace ts::kernels
