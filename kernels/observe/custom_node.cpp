#include "kernels/observe/custom_node.h"

#include <ATen/SequenceNumber.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>

#include "kernels/observe/dry_recording.h"
#include "kernels/observe/recording.h"
#include "kernels/observe/thread_state.h"

namespace ts::kernels {
namespace {

// The open frames of this thread, of the active recording of either kind; null if there is none.
ThreadState* recorded_state() {
  if (DryRecording* const dry = DryRecording::current(); dry != nullptr) return &dry->state();
  Recording* const recording = Recording::active();
  return recording != nullptr ? &recording->thread() : nullptr;
}

template <class Recorder>
void note(Recorder& recorder, ThreadState& state, AttentionKernel kernel) {
  if (kernel != AttentionKernel::none) recorder.saw_attention(kernel);
  const Frame* const frame = state.top();
  if (frame == nullptr || !at::GradMode::is_enabled()) return;
  recorder.sequence_modules().remember(at::RecordFunction::currentThreadId(),
                                       static_cast<std::int64_t>(at::sequence_number::peek()),
                                       frame->module);
}

void note_recompute(bool again) {
  if (DryRecording* const dry = DryRecording::current(); dry != nullptr) {
    dry->recompute(again);
  } else if (Recording* const recording = Recording::active(); recording != nullptr) {
    recording->recompute(again);
  }
}

}  // namespace

void note_custom_node(AttentionKernel kernel) {
  if (DryRecording* const dry = DryRecording::current(); dry != nullptr) {
    note(*dry, dry->state(), kernel);
  } else if (Recording* const recording = Recording::active(); recording != nullptr) {
    note(*recording, recording->thread(), kernel);
  }
}

RecomputeScope::RecomputeScope() {
  if (ThreadState* const state = recorded_state()) {
    outer_backward_ = std::exchange(state->backward, false);
  }
  note_recompute(true);
}

RecomputeScope::~RecomputeScope() {
  if (ThreadState* const state = recorded_state()) state->backward = outer_backward_;
  note_recompute(false);
}

}  // namespace ts::kernels
