#include "kernels/observe/phase_scope.h"

#include <string>

#include "core/base/tick_clock.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/observe/recording.h"

namespace ts::kernels {

PhaseScope::PhaseScope(base::Phase phase, bool graph_kept) : phase_(phase) {
  if (DryRecording* const dry = DryRecording::current(); dry != nullptr) {
    dry->begin_phase(phase, graph_kept);
    return;
  }
  Recording* const recording = Recording::active();
  if (recording == nullptr) return;
  recorded_ = true;
  begin_ns_ = base::record_clock.now();
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
  recording->push_span(capture::RawKind::phase,
                       recording->strings().intern(base::phase_name(phase_)), depth, begin_ns_);
  recording->end_phase();
}

StepScope::StepScope() : begin_ns_(base::record_clock.now()) {}

StepScope::~StepScope() {
  Recording* const recording = Recording::active();
  if (recording == nullptr) return;
  const base::StringId name =
      recording->strings().intern("step " + std::to_string(recording->step()));
  recording->push_span(capture::RawKind::step, name, 0, begin_ns_);
}

}  // namespace ts::kernels
