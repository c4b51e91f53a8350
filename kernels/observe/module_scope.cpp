#include "kernels/observe/module_scope.h"

#include "core/base/clock.h"
#include "kernels/observe/cancellation.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/observe/recording.h"
#include "kernels/observe/thread_state.h"

namespace ts::kernels {
namespace {

thread_local const std::string* open_module_path = nullptr;

}  // namespace

ModuleScope::ModuleScope(const std::string& path) : outer_(open_module_path) {
  check_cancelled();
  open_module_path = &path;
  dry_ = DryRecording::current();
  if (dry_ != nullptr) {
    dry_->open_module(path);
    return;
  }
  Recording* const recording = Recording::active();
  if (recording == nullptr) return;
  ThreadState& state = recording->thread();
  recorded_ = true;
  Frame* const frame = state.push();
  if (frame == nullptr) return;
  frame->kind = capture::RawKind::module;
  frame->name = state.names.find(path).id;
  frame->module = frame->name;
  ++state.depth;
  frame->begin_ns = base::now_ns();
}

ModuleScope::~ModuleScope() {
  open_module_path = outer_;
  if (dry_ != nullptr) {
    dry_->close_module();
    return;
  }
  Recording* const recording = recorded_ ? Recording::active() : nullptr;
  ThreadState* const state = recording != nullptr ? recording->known_thread() : nullptr;
  if (state == nullptr) return;
  const Frame* const frame = state->pop();
  if (frame == nullptr) return;
  capture::RawRecord record;
  record.kind = capture::RawKind::module;
  record.depth = --state->depth;
  record.phase = recording->phase();
  record.step = recording->step();
  record.name = frame->name;
  record.module = frame->module;
  record.begin_ns = frame->begin_ns;
  record.end_ns = base::now_ns();
  state->log->ring.try_push(record);
}

PlaceScope::PlaceScope(const std::string& place) {
  dry_ = DryRecording::current();
  if (dry_ != nullptr) {
    dry_->open_module(place);
    return;
  }
  Recording* const recording = Recording::active();
  if (recording == nullptr) return;
  recorded_ = true;
  ThreadState& state = recording->thread();
  Frame* const frame = state.push();
  if (frame == nullptr) return;
  frame->kind = capture::RawKind::module;
  frame->name = state.names.find(place).id;
  frame->module = frame->name;
}

PlaceScope::~PlaceScope() {
  if (dry_ != nullptr) {
    dry_->close_module();
    return;
  }
  Recording* const recording = recorded_ ? Recording::active() : nullptr;
  ThreadState* const state = recording != nullptr ? recording->known_thread() : nullptr;
  if (state != nullptr) state->pop();
}

const std::string& ModuleScope::open_path() noexcept {
  static const std::string none;
  return open_module_path != nullptr ? *open_module_path : none;
}

}  // namespace ts::kernels
