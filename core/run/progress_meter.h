#pragma once

#include <cstdint>

#include "core/run/protocol.h"
#include "core/run/update.h"

namespace ts::run {

// Seconds that the steps of a whole run take if each takes `step_s`, recorded or not.
double run_seconds(const spec::WorkloadSpec& spec, const Protocol& protocol, double step_s);

// The progress of a run, from the remaining steps at the pace of the latest steps. The fraction
// never falls; the remaining time is not known before the first step.
class ProgressMeter {
 public:
  ProgressMeter(const Protocol& protocol, std::int64_t begin_ns)
      : protocol_(&protocol), begin_ns_(begin_ns), stage_begin_ns_(begin_ns) {}

  void enter(Stage stage, std::int64_t now_ns);
  void step_done(std::int64_t now_ns);

  struct Reading {
    float fraction = 0;
    double seconds_left = -1;
  };
  Reading read(std::int64_t now_ns);
  [[nodiscard]] Stage stage() const { return stage_; }

 private:
  const Protocol* protocol_;
  std::int64_t begin_ns_;
  std::int64_t stage_begin_ns_;
  std::int64_t last_step_ns_ = 0;
  std::int32_t stage_steps_ = 0;
  double step_s_ = -1;
  float fraction_ = 0;
  bool timed_ = false;  // the timing has begun: recording after it is the last stage
  Stage stage_ = Stage::preparing;
};

}  // namespace ts::run
