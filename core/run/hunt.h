#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/run/prediction.h"

namespace ts::run {

// The search for the edge between what fits and what is out of memory, on one axis or a plane of
// two. What a probe is (a dry run, a real run) the caller decides; every size makes memory grow, so
// the search may bisect.

// What one probe found.
struct ProbeAnswer {
  Fit fit = Fit::fits;
  std::int64_t needed = 0;  // bytes
  Message reason;           // one sentence
  // Bytes that the workload's tensors ask for at their peak, what a run would record; unset where
  // it is not told.
  std::optional<std::int64_t> peak = std::nullopt;
};
using Probe = std::function<base::Result<ProbeAnswer>(const WorkloadSpec&)>;

struct HuntProbe {
  std::vector<std::int64_t> at;  // one value per axis
  ProbeAnswer answer;
};

// An axis of a hunt: a size that memory grows with, inclusive ends.
struct HuntAxis {
  Field field = Field::T;
  std::int64_t low = 1;
  std::int64_t high = 1;
};
// "T" (the whole range of the setting), "T=256:8192". Errors are one sentence.
base::Result<HuntAxis> parse_hunt_axis(std::string_view text);

// The axis with its range `factor` times as long in its logarithm, about `centre`, inside `limits`;
// 0.5 looks closer. A range that shows every value already is not made shorter.
HuntAxis zoomed(const HuntAxis& axis, std::int64_t centre, double factor, const FieldRange& limits,
                std::size_t cells);

// Whether more of the field never needs less memory: only such axes can be bisected.
bool memory_grows_with(Field field);

struct EdgeHunt {
  std::optional<std::int64_t> fits;  // the largest value that does; unset: not even the first
  std::optional<std::int64_t> oom;   // the smallest value that does not; unset: all fit
  std::vector<HuntProbe> probes;     // in order: what was asked and why it went on as it did
  bool cancelled = false;            // the ends are as far as it came
  std::string sentence;              // "The largest T that fits RTX 4090 is 2,176"
};
// Brackets the edge by doubling from the low end, then bisects. Values that the specification does
// not allow (d_model that heads does not divide) are passed over. The first probe that fails ends
// the hunt with its error.
base::Result<EdgeHunt> hunt_edge(const WorkloadSpec& base, const HuntAxis& axis,
                                 const std::string& target, const Probe& probe,
                                 const base::CancelToken& cancel);

}  // namespace ts::run
