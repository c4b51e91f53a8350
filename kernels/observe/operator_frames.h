#pragma once

#include <ATen/record_function.h>

#include <string_view>

#include "kernels/observe/sequence_modules.h"
#include "kernels/observe/thread_state.h"

namespace ts::kernels {

// Updates the stack of a thread at the start and end of an operator: the operator to which
// allocations are attributed, its module, and whether it is part of the backward. Shared by
// recordings and dry runs, so that both name the same event alike.
struct OpenedOperator {
  Frame* frame = nullptr;  // null: nested too deep, counted only
  AttentionKernel attention = AttentionKernel::none;
};
// `name`: what state.names has for function.name().
OpenedOperator open_operator_frame(ThreadState& state, SequenceModules& modules,
                                   const at::RecordFunction& function, const OperatorName& name);
// The same for the frame in which a node of autograd is run, for code that runs nodes without
// LibTorch's engine. `name` as the engine's: "autograd::engine::evaluate_function: MmBackward0".
void open_node_frame(ThreadState& state, std::string_view name);
// The frame that was opened last, null if it was too deep. Valid until the next is opened.
const Frame* close_operator_frame(ThreadState& state);

}  // namespace ts::kernels
