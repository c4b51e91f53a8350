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

// The search for the edge between what fits and what is out of memory, on one axis or a plane of
// two. What a probe is (a dry run, a real run) the caller decides; every size makes memory grow, so
// the search may bisect. Near the edge an allocator may yet refuse one size and hold a larger one:
// what it keeps cached lies otherwise. search_above() finds those.

// What one probe found.
struct ProbeAnswer {
  Fit fit = Fit::fits;
  std::int64_t needed = 0;  // bytes
  base::Message reason;     // one sentence
  // Bytes that the workload's tensors ask for at their peak, what a run would record; unset where
  // it is not told.
  std::optional<std::int64_t> peak = std::nullopt;
  // What the tensors take at their peak, as the allocator rounds it, and what it would hold for
  // them, in parts of what it may hold. Tensors of more than 1 fit in no way; what is held may be
  // more and fit after a flush. Unset where it is not told.
  struct Filling {
    double live = 0;
    double held = 0;
  };
  std::optional<Filling> filling = std::nullopt;
};
// Of a prediction, as a probe's answer.
ProbeAnswer answer_of(const Prediction& prediction, const PredictionTarget& target);
using Probe = std::function<base::Result<ProbeAnswer>(const spec::WorkloadSpec&)>;

struct HuntProbe {
  std::vector<std::int64_t> at;  // one value per axis
  ProbeAnswer answer;
};

// An axis of a hunt: a size that memory grows with, inclusive ends.
struct HuntAxis {
  spec::Field field = spec::Field::T;
  std::int64_t low = 1;
  std::int64_t high = 1;
};
// "T" (the whole range of the setting), "T=256:8192". Errors are one sentence.
base::Result<HuntAxis> parse_hunt_axis(std::string_view text);

// The axis with its range `factor` times as long in its logarithm, about `centre`, inside `limits`;
// 0.5 looks closer. A range that shows every value already is not made shorter.
HuntAxis zoomed(const HuntAxis& axis, std::int64_t centre, double factor,
                const spec::FieldRange& limits, std::size_t cells);

struct EdgeHunt {
  std::optional<std::int64_t> fits;  // up to here all fit; unset: not even the first
  std::optional<std::int64_t> oom;   // the smallest value that does not; unset: all fit
  // Larger values that fit again, both ends inclusive, rising; see search_above().
  struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };
  std::vector<Range> again;
  bool sampled = false;  // of the values above only some were asked: the ranges may be longer
  [[nodiscard]] std::optional<std::int64_t> largest() const {
    return again.empty() ? fits : std::optional(again.back().last);
  }
  // Whether the largest that fits does so only because the allocator flushes its cache and tries
  // again, which is slow.
  [[nodiscard]] bool largest_needs_flush() const;
  std::vector<HuntProbe> probes;  // in order: what was asked and why it went on as it did
  bool cancelled = false;         // the ends are as far as it came
  std::string sentence;           // "The largest T that fits RTX 4090 is 2,176"
};
// Brackets the edge by doubling from the low end, then bisects. Values that the specification does
// not allow (d_model that heads does not divide) are passed over. The first probe that fails ends
// the hunt with its error.
base::Result<EdgeHunt> hunt_edge(const spec::WorkloadSpec& base, const HuntAxis& axis,
                                 const std::string& target, const Probe& probe,
                                 const base::CancelToken& cancel);

// Looks for larger values that fit again, up to where the tensors alone are too large, and where
// there are any also for smaller ones that do not. Both ends of every range join the probes. Cheap
// where the allocator packs tightly; else up to about 350 probes. Nothing is done where the probes
// tell no filling. A cancelled search and one whose probe fails leave the hunt as it was.
base::Result<void> search_above(EdgeHunt& hunt, const spec::WorkloadSpec& base,
                                const HuntAxis& axis, const std::string& target, const Probe& probe,
                                const base::CancelToken& cancel);

}  // namespace ts::predict
