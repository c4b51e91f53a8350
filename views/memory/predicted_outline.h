#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/allocation_log.h"
#include "core/memory/log_comparison.h"
#include "views/charts/totals_index.h"
#include "views/common/draw_sink.h"
#include "views/memory/memory_axis.h"
#include "views/memory/memory_scale.h"

namespace ts::views {

// Maps each moment of a measured run to its prediction. Phases are matched by step and kind, those
// of the micro-batches of a step in order. Inside a phase, events that agree in action, bytes and
// operator are matched (see equal_events()), those between them in proportion.
// Measured steps after the predicted ones are matched with the last predicted step, because all
// steps from the second on are the same. The phase in which a run stopped is matched one by one,
// and nothing after it.
class PhaseMatch {
 public:
  // Keeps no reference to the logs. `broken_off`: the measured run did not finish.
  void make(const memory::AllocationLog& measured, const memory::AllocationLog& predicted,
            bool broken_off = false);
  // Last predicted event at or before the moment after a measured one. kNone if nothing matches.
  [[nodiscard]] memory::EventIndex predicted_of(memory::EventIndex measured) const;

  // The part of the unfinished step that was not run.
  struct Rest {
    memory::EventIndex measured = memory::kNone;  // where the run stopped; kNone: it did not
    memory::EventIndex predicted = 0;             // the first event that was not reached
    memory::EventIndex count = 0;                 // from there to the end of the step
  };
  [[nodiscard]] const Rest& rest() const { return rest_; }

 private:
  struct Anchor {
    memory::EventIndex measured = 0;
    memory::EventIndex predicted = 0;
  };
  void add_equal(const memory::AllocationLog& measured, memory::EventSpan of_measured,
                 const memory::AllocationLog& predicted, memory::EventSpan of_predicted);

  std::vector<Anchor> anchors_;  // by measured
  Rest rest_;
};

// The dashed line of the prediction over the measured log. Kept from frame to frame.
class PredictedOutline {
 public:
  // `id` identifies the prediction. Logs are read now and in draw(). `broken_off`: see PhaseMatch.
  void update(const memory::AllocationLog& measured, const memory::AllocationLog& predicted,
              std::uint64_t id, bool broken_off = false);
  void clear();
  // The events by which the outline of an unfinished run continues on the event axis. Predictions
  // have no times, so on the time axis it ends where the run ended.
  [[nodiscard]] const PhaseMatch::Rest& rest() const { return match_.rest(); }
  // The largest value shown on an axis of that kind, in bytes. 0: nothing.
  [[nodiscard]] std::int64_t most(memory::Axis kind) const;
  // Draws into the plot of `scale`, for every pixel the largest predicted value there. Dashes are
  // `on` pixels long with gaps of `off` pixels; the line is `thickness` wide.
  void draw(DrawSink& sink, const memory::AllocationLog& measured,
            const memory::AllocationLog& predicted, const MemoryAxis& axis,
            const MemoryScale& scale, Color color, float thickness, float on, float off) const;

 private:
  std::uint64_t id_ = 0;
  std::uint64_t version_ = 0;  // of the measured log
  bool made_ = false;
  bool broken_off_ = false;
  PhaseMatch match_;
  TotalsIndex totals_;             // of the predicted log
  std::int64_t most_ = 0;          // of all its events
  std::int64_t most_in_time_ = 0;  // of those that an axis of time shows

  [[nodiscard]] memory::EventIndex predicted_at(const memory::AllocationLog& measured,
                                                memory::Axis kind, std::int64_t place) const;
};

}  // namespace ts::views
