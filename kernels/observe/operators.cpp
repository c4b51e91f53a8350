#include "kernels/observe/operators.h"

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <functional>
#include <unordered_set>

#include "core/base/tick_clock.h"
#include "core/trace/slice.h"
#include "kernels/observe/operator_frames.h"
#include "kernels/observe/recording.h"
#include "kernels/observe/shape_writer.h"

namespace ts::kernels {
namespace {

using capture::RawKind;
using capture::RawRecord;
using capture::Shapes;

void write_shapes(c10::ArrayRef<const c10::IValue> inputs, Shapes& shapes) {
  ShapeWriter writer{shapes};
  for (const c10::IValue& value : inputs) {
    if (value.isTensor()) {
      if (!writer.add(value.toTensor())) return;
    } else if (value.isList() && !value.toListRef().empty() && value.toListRef()[0].isTensor() &&
               value.isTensorList()) {  // asked last: most lists are sizes
      for (const c10::IValue& one : value.toListRef()) {
        if (!writer.add(one.toTensor())) return;
      }
    }
  }
}

// Operators inside others have the place of the outermost one, those of a backward that of the
// forward's operator, which the node is found by.
base::StringId place_of(Recording& recording, ThreadState& state, const OperatorName& name) {
  const Recording::PlaceFinder find = recording.place_finder();
  if (find == nullptr || state.operators > 0 || name.node_frame) return base::kNoString;
  const Frame* const outer = state.top();
  return find(recording.strings(), outer != nullptr ? outer->module : base::kNoString);
}

// A range that the program named itself.
bool is_range(const at::RecordFunction& function) {
  return function.scope() == at::RecordScope::USER_SCOPE && !trace::is_collective(function.name());
}

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& function) {
  Recording* const recording = Recording::active();
  if (recording == nullptr) return nullptr;
  if (is_range(function)) {
    if (recording->place_finder() == nullptr) return nullptr;
    recording->open_range(recording->thread().names.find(function.name()).id, &function);
    return nullptr;
  }
  ThreadState* const known = recording->known_thread();
  ThreadState& state =
      known != nullptr
          ? *known
          : recording->thread(trace::is_collective(function.name()) ? "gloo" : "autograd");
  const OperatorName& name = state.names.find(function.name());
  state.place = place_of(*recording, state, name);
  const auto [frame, attention] =
      open_operator_frame(state, recording->sequence_modules(), function, name);
  state.place = base::kNoString;
  if (frame == nullptr) return nullptr;
  if (attention != AttentionKernel::none) recording->saw_attention(attention);
  write_shapes(function.inputs(), frame->shapes);
  if (frame->slice) {
    ++state.depth;
    if (const auto* marks = recording->marks(); marks != nullptr)
      marks->push(capture::correlation_id(frame->name, frame->module));
  }
  frame->begin_ns = base::record_clock.now();
  return nullptr;
}

void on_end(const at::RecordFunction& function, at::ObserverContext*) {
  const std::int64_t end_ns = base::record_clock.now();
  Recording* const recording = Recording::active();
  if (recording == nullptr) return;
  if (is_range(function)) {
    if (recording->place_finder() != nullptr) recording->close_range(&function);
    return;
  }
  ThreadState* const state = recording->known_thread();
  if (state == nullptr || state->operators == 0 || !recording->close_inside(*state, &function))
    return;
  const bool backward = state->backward;
  const Frame* const frame = close_operator_frame(*state);
  if (frame != nullptr && frame->slice) {
    if (const auto* marks = recording->marks(); marks != nullptr) marks->pop();
    const std::uint8_t depth = --state->depth;
    state->log->ring.try_write([&](RawRecord& record) {
      record.kind = RawKind::op;
      record.depth = depth;
      record.backward = backward;
      record.phase = recording->phase();
      record.step = recording->step();
      record.name = frame->name;
      record.module = frame->module;
      record.begin_ns = frame->begin_ns;
      record.end_ns = end_ns;
      record.sequence = frame->sequence;
      record.shapes = frame->shapes;
    });
  }
  if (state->operators == 0) recording->operator_ended(*state, end_ns);
}

}  // namespace

std::uint64_t install_operator_callbacks() {
  std::unordered_set<at::RecordScope, std::hash<at::RecordScope>> scopes = {
      at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION, at::RecordScope::USER_SCOPE};
  return at::addGlobalCallback(
      at::RecordFunctionCallback(on_start, on_end).needsInputs(true).scopes(scopes));
}

void remove_operator_callbacks(std::uint64_t callbacks) {
  at::removeCallback(callbacks);
}

}  // namespace ts::kernels
