#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

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
  std::optional<spec::WorkloadSpec> other;  // what a second frontier is of; same axes
  PredictionTarget target;
  std::shared_ptr<const CudaScratch> scratch;  // null: no band
  bool afresh = false;                         // asks again what an earlier hunt has found
  // Of the second axis: where the exact edge is looked for; 0: as in the settings.
  std::int64_t row = 0;
};

// The exact edge along the first axis in one row of the map: between two cells lie values that
// nobody asked yet.
struct ExactEdge {
  std::int64_t y = 0;
  EdgeHunt edge;
  bool searched_above = false;  // whether larger values fit again is known
};

// How far a hunt is. First along the frontier, then the exact edge, then along the second frontier,
// then every cell of the first for its number.
struct HuntProgress {
  std::uint64_t id = 0;  // counts the hunts
  PredictionTarget target;
  HuntMap map;
  std::optional<HuntMap> other;  // as far as its frontier needs
  std::optional<ExactEdge> exact;
  bool running = true;
  bool cancelled = false;
  // Why the target cannot run the settings, whatever the sizes of the axes; else empty.
  base::Message obstacle = {};
  base::Message problem;                 // the probe that failed and ended it; else empty
  double seconds = 0;                    // spent on probes
  std::optional<double> frontier_after;  // of these, until the frontier was known
};

// A hunt that is done probe by probe. One thread.
class HuntSearch {
 public:
  // `earlier`: the hunt before this one; what it asked of the same settings for the same memory is
  // not asked again. Null: there was none.
  HuntSearch(std::uint64_t id, HuntRequest request, const HuntProgress* earlier = nullptr);
  [[nodiscard]] bool running() const { return progress_.running; }
  [[nodiscard]] const HuntProgress& progress() const { return progress_; }
  void cancel();
  // One dry run more. One that the token cancelled is asked again the next time.
  void probe(DryRunner& runner, base::StringTable& strings, const base::CancelToken& cancel);

 private:
  struct Next {
    HuntMap* map;
    std::size_t index;
  };
  void find_obstacle();
  std::optional<Next> next();
  // Nothing when it was cancelled; what cannot be told ends the hunt.
  std::optional<ProbeAnswer> ask(spec::WorkloadSpec spec, DryRunner& runner,
                                 base::StringTable& strings, const base::CancelToken& cancel);
  void find_exact_edge(DryRunner& runner, base::StringTable& strings,
                       const base::CancelToken& cancel);

  HuntRequest request_;
  HuntProgress progress_;
};

}  // namespace ts::predict
