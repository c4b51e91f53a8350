#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/predict/prediction.h"

namespace ts::predict {

// The search for the edge between sizes that fit and sizes that are out of memory, on one axis or
// on a plane of two. The caller defines a probe (a dry run, a real run). Memory grows with every
// size, so the search may bisect. Near the edge an allocator may refuse one size and hold a larger
// one, because its cache lies differently. search_above() finds those.

// The result of one probe.
struct ProbeAnswer {
  Fit fit = Fit::fits;
  std::int64_t needed = 0;  // bytes
  base::Message reason;     // one sentence
  // Bytes that the workload's tensors request at their peak, as a run would record; unset if not
  // reported.
  std::optional<std::int64_t> peak = std::nullopt;
  // Fractions of what the allocator may hold: the bytes of the tensors at their peak, as it rounds
  // them, and the bytes that it would hold for them. Tensors above 1 cannot fit; `held` above 1 may
  // fit after a flush. Unset if not reported.
  struct Filling {
    double live = 0;
    double held = 0;
  };
  std::optional<Filling> filling = std::nullopt;
};
// The result of a prediction as a probe's answer.
ProbeAnswer answer_of(const Prediction& prediction, const PredictionTarget& target);
using Probe = std::function<base::Result<ProbeAnswer>(const spec::WorkloadSpec&)>;

struct HuntProbe {
  std::vector<std::int64_t> at;  // one value per axis
  ProbeAnswer answer;
};

// An axis of a hunt: a size that increases memory, with inclusive ends.
struct HuntAxis {
  spec::Field field = spec::Field::T;
  std::int64_t low = 1;
  std::int64_t high = 1;
  std::int64_t step = 1;  // of its values, from low on
};
// "T" (the whole range of the setting), "T=256:8192". Errors are one sentence.
base::Result<HuntAxis> parse_hunt_axis(std::string_view text);

// The axis within what the specification allows: the range of an own model's file, all of it
// where they have nothing in common.
HuntAxis within(const HuntAxis& axis, const spec::WorkloadSpec& spec);

// The axis with its range `factor` times as long in its logarithm, around `centre`, inside
// `limits`; 0.5 zooms in. A range that already shows every value is not shortened.
HuntAxis zoomed(const HuntAxis& axis, std::int64_t centre, double factor,
                const spec::FieldRange& limits, std::size_t cells);

struct EdgeHunt {
  std::optional<std::int64_t> fits;  // all values up to here fit; unset: not even the first
  std::optional<std::int64_t> oom;   // the smallest value that does not; unset: all fit
  // Larger values that fit again, both ends inclusive, ascending; see search_above().
  struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };
  std::vector<Range> again;
  bool sampled = false;  // only some of the values above were probed: the ranges may be longer
  [[nodiscard]] std::optional<std::int64_t> largest() const {
    return again.empty() ? fits : std::optional(again.back().last);
  }
  // True if the largest value fits only because the allocator flushes its cache and tries again,
  // which is slow.
  [[nodiscard]] bool largest_needs_flush() const;
  std::vector<HuntProbe> probes;  // in order, with the reason for each next step
  bool cancelled = false;         // the ends are those found so far
  std::string sentence;           // "The largest T that fits RTX 4090 is 2,176"
};
// Brackets the edge by doubling from the low end, then bisects. Values that the specification does
// not allow (d_model that is not divisible by heads) are skipped. The first probe that fails ends
// the hunt with its error.
base::Result<EdgeHunt> hunt_edge(const spec::WorkloadSpec& base, const HuntAxis& axis,
                                 const std::string& target, const Probe& probe,
                                 const base::CancelToken& cancel);

// Looks for larger values that fit again, up to where the tensors alone are too large, and if there
// are any also for smaller ones that do not. Both ends of every range are added to the probes.
// Cheap where the allocator packs tightly; else up to about 350 probes. Does nothing if the probes
// report no filling. A cancelled search, or one whose probe fails, leaves the hunt unchanged.
base::Result<void> search_above(EdgeHunt& hunt, const spec::WorkloadSpec& base,
                                const HuntAxis& axis, const std::string& target, const Probe& probe,
                                const base::CancelToken& cancel);

}  // namespace ts::predict
