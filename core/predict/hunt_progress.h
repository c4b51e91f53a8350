#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/cancel.h"
#include "core/base/message.h"
#include "core/base/string_table.h"
#include "core/predict/hunt_map.h"
#include "core/predict/prediction.h"

namespace ts::predict {

struct HuntRequest {
  spec::WorkloadSpec spec;
  HuntAxis x, y;
  std::size_t cells_per_axis = kMapSide;
  std::optional<spec::WorkloadSpec> other;  // the spec of a second frontier; same axes
  PredictionTarget target;
  std::shared_ptr<const CudaScratch> scratch;  // null: no band
  bool afresh = false;                         // probes again what an earlier hunt has probed
  // The value of the second axis at which the exact edge is searched; 0: as in the settings.
  std::int64_t row = 0;
};

// The exact edge along the first axis in one row of the map: values between two cells have not been
// probed yet.
struct ExactEdge {
  std::int64_t y = 0;
  EdgeHunt edge;
  bool searched_above = false;  // whether it is known which larger values fit again
};

// The state of a hunt. The order is: the frontier, the exact edge, the second frontier, then every
// cell of the first map for its number.
struct HuntProgress {
  std::uint64_t id = 0;  // counts the hunts
  PredictionTarget target;
  HuntMap map;
  std::optional<HuntMap> other = {};  // only as far as its frontier needs
  std::optional<ExactEdge> exact = {};
  bool running = true;
  bool cancelled = false;
  // Why the target cannot run the settings at any size of the axes; else empty.
  base::Message obstacle = {};
  base::Message problem = {};                 // the probe that failed and ended it; else empty
  double seconds = 0;                         // spent on probes
  std::optional<double> frontier_after = {};  // part of it, until the frontier was known
};

// Runs a hunt probe by probe. One thread.
class HuntSearch {
 public:
  // `earlier`: the previous hunt; its probes of the same settings for the same memory are not
  // repeated. Null: there was none.
  HuntSearch(std::uint64_t id, HuntRequest request, const HuntProgress* earlier = nullptr);
  [[nodiscard]] bool running() const { return progress_.running; }
  [[nodiscard]] const HuntProgress& progress() const { return progress_; }
  void cancel();
  // Makes one more dry run. One that the token cancelled is repeated at the next call.
  void probe(DryRunner& runner, base::StringTable& strings, const base::CancelToken& cancel);

 private:
  struct Next {
    HuntMap* map;
    std::size_t index;
  };
  void find_obstacle();
  std::optional<Next> next();
  // Nothing if it was cancelled; an error of the probe ends the hunt.
  std::optional<ProbeAnswer> ask(spec::WorkloadSpec spec, DryRunner& runner,
                                 base::StringTable& strings, const base::CancelToken& cancel);
  void find_exact_edge(DryRunner& runner, base::StringTable& strings,
                       const base::CancelToken& cancel);

  HuntRequest request_;
  HuntProgress progress_;
};

}  // namespace ts::predict
