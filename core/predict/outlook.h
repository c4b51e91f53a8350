#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/predict/prediction.h"
#include "core/predict/remedies.h"

namespace ts::predict {

// One dry run and what it means on one target.
struct Forecast {
  std::uint64_t id = 0;  // no two of a Predictor are the same
  DryRun run;
  PredictionTarget target;
  Prediction prediction;
};

// What one attention backend would need on the target, all else as asked.
struct BackendNeed {
  spec::AttentionBackend backend = spec::AttentionBackend::naive;
  std::int64_t needed = 0;
  Fit fit = Fit::fits;
  base::Message unavailable;  // why there is no number; empty when there is
  bool current = true;        // false: still that of an earlier request
};

// The same step with expandable segments, where they are off.
struct ExpandableNeed {
  std::int64_t needed = 0;
  Fit fit = Fit::fits;
  bool current = true;  // false: still that of an earlier request
};

// Where one size stops fitting on the target, all else as asked. Sizes are those of size_steps.h
// that make a possible spec.
struct SizeEdge {
  spec::Field field = spec::Field::T;
  std::optional<std::int64_t> first_too_large;  // none: even the slider's largest fits
  std::optional<std::int64_t> last_that_fits = std::nullopt;  // of these sizes; none: not even one
  // Between the two, of all whole numbers; unset where it was not looked for: it is for the length.
  std::optional<std::int64_t> largest_that_fits = std::nullopt;
  bool current = true;  // false: still that of an earlier request
};

// Everything known so far of what was asked for. Grows part by part: each part is published in a
// new Outlook, none changes afterwards. Backends and edges not yet found are those of the request
// before, if it was of the same workload, so that nothing flickers while a slider is dragged.
struct Outlook {
  std::uint64_t id = 0;  // counts the requests
  spec::WorkloadSpec spec;
  base::Message problem;  // why there is nothing for the target; else empty
  // Why this machine cannot run the settings, whatever the target can; else empty.
  base::Message not_here;
  // Where one of the two is so: settings close to these without it (repairs.h).
  std::vector<spec::WorkloadSpec> repairs;
  std::shared_ptr<const Forecast> target;  // on the chosen card; first to come
  std::shared_ptr<const Forecast> own;     // by the rules of the device that the spec runs on
  std::vector<BackendNeed> backends;
  std::optional<ExpandableNeed> expandable;  // unset where they are on, or while it is not known
  std::vector<Remedy> remedies;              // where the target does not hold it
  std::vector<SizeEdge> edges;
  bool complete = false;
  // nullptr while the search has not come to this field.
  [[nodiscard]] const SizeEdge* edge(spec::Field field) const;
};

struct OutlookRequest {
  spec::WorkloadSpec spec;
  PredictionTarget target;                     // the chosen card
  PredictionTarget own;                        // where the spec would run here
  std::shared_ptr<const CudaScratch> scratch;  // null: no band
  std::vector<spec::Field> sizes;              // search an edge on these, in this order
};

}  // namespace ts::predict
