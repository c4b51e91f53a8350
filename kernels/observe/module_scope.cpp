#include "kernels/observe/module_scope.h"

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
  recorded_ = true;
  recording->open_module(recording->thread().names.find(path).id);
}

ModuleScope::~ModuleScope() {
  open_module_path = outer_;
  if (dry_ != nullptr) {
    dry_->close_module();
    return;
  }
  Recording* const recording = recorded_ ? Recording::active() : nullptr;
  if (recording != nullptr) recording->close_module();
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
