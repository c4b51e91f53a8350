#include "kernels/observe/phase_scope.h"

#include <string>

#include "core/base/clock.h"
#include "kernels/dry_run/dry_recording.h"
#include "kernels/observe/recording.h"

namespace ts::kernels {
namespace {

const char* phase_name(base::Phase phase) {
  switch (phase) {
    case base::Phase::setup:
      return "setup";
    case base::Phase::forward:
      return "forward";
    case base::Phase::loss:
      return "loss";
    case base::Phase::backward:
      return "backward";
    case base::Phase::optimizer:
      return "optimizer";
    case base::Phase::idle:
      break;
  }
  return "idle";
}

}  // namespace

PhaseScope::PhaseScope(base::Phase phase, bool graph_kept) : phase_(phase) {
  if (DryRecording* const dry = DryRecording::current(); dry != nullptr) {
    dry->begin_phase(phase, graph_kept);
    return;
  }
  Recording* const recording = Recording::active();
  if (recording == nullptr) return;
  recorded_ = true;
  begin_ns_ = base::now_ns();
  recording->begin_phase(phase, graph_kept);
}

PhaseScope::~PhaseScope() {
  if (DryRecording* const dry = DryRecording::current(); dry != nullptr) {
    dry->end_phase();
    return;
  }
  Recording* const recording = recorded_ ? Recording::active() : nullptr;
  if (recording == nullptr) return;
  const std::uint8_t depth = phase_ == base::Phase::setup ? 0 : 1;
  recording->push_span(capture::RawKind::phase, recording->strings().intern(phase_name(phase_)),
                       depth, begin_ns_);
  recording->end_phase();
}

StepScope::StepScope() : begin_ns_(base::now_ns()) {}

StepScope::~StepScope() {
  Recording* const recording = Recording::active();
  if (recording == nullptr) return;
  const base::StringId name =
      recording->strings().intern("step " + std::to_string(recording->step()));
  recording->push_span(capture::RawKind::step, name, 0, begin_ns_);
}

}  // namespace ts::kernels
