#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/message.h"
#include "core/predict/hunt.h"
#include "core/predict/prediction.h"
#include "core/predict/remedies.h"

namespace ts::predict {

// One dry run and its prediction for one target.
struct Forecast {
  std::uint64_t id = 0;  // unique within a Predictor
  DryRun run;
  PredictionTarget target;
  Prediction prediction = {};
};

// The need of one attention backend on the target; all other settings as requested.
struct BackendNeed {
  spec::AttentionBackend backend = spec::AttentionBackend::naive;
  std::int64_t needed = 0;
  Fit fit = Fit::fits;
  base::Message unavailable;  // why there is no number; empty when there is
  bool current = true;        // false: from an earlier request
};

// The same step with expandable segments, where they are off.
struct ExpandableNeed {
  std::int64_t needed = 0;
  Fit fit = Fit::fits;
  bool current = true;  // false: from an earlier request
};

// The size at which one setting stops fitting on the target; all other settings as requested. Sizes
// are those of size_steps.h that make a possible spec.
struct SizeEdge {
  spec::Field field = spec::Field::T;
  std::optional<std::int64_t> first_too_large;  // none: even the slider's largest fits
  std::optional<std::int64_t> last_that_fits = std::nullopt;  // of these sizes; none: not even one
  // The edge between whole numbers, with larger ones that fit again, as a hunt finds it; unset if
  // not searched: it is searched for the length only.
  std::optional<EdgeHunt> exact = std::nullopt;
  bool current = true;  // false: from an earlier request
};

// All results so far for a request. It grows part by part: each part is published in a new Outlook;
// an Outlook never changes afterwards. Backends and edges that are not yet found are those of the
// previous request, if it was of the same workload, so that nothing flickers during a drag.
struct Outlook {
  std::uint64_t id = 0;  // counts the requests
  spec::WorkloadSpec spec;
  base::Message problem;  // why there is nothing for the target; else empty
  // Why this machine cannot run the settings, even if the target can; else empty.
  base::Message not_here;
  // If one of the two is set: settings close to these without the problem (repairs.h).
  std::vector<spec::WorkloadSpec> repairs;
  std::shared_ptr<const Forecast> target;  // on the chosen card; computed first
  std::shared_ptr<const Forecast> own;     // by the rules of the device that the spec runs on
  std::vector<BackendNeed> backends;
  std::optional<ExpandableNeed> expandable;  // unset if they are on, or while it is not known
  std::vector<Remedy> remedies;              // if the target has too little memory
  std::vector<SizeEdge> edges;
  bool complete = false;
  // nullptr if the search has not reached this field yet.
  [[nodiscard]] const SizeEdge* edge(spec::Field field) const;
};

struct OutlookRequest {
  spec::WorkloadSpec spec;
  PredictionTarget target;                     // the chosen card
  PredictionTarget own;                        // the device of the spec on this machine
  std::shared_ptr<const CudaScratch> scratch;  // null: no band
  std::vector<spec::Field> sizes;              // search an edge for these, in this order
};

}  // namespace ts::predict
