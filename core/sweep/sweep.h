#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/report/roofs.h"
#include "core/run/run.h"
#include "core/sweep/sweep_prediction.h"
#include "core/sweep/sweep_spec.h"

namespace ts::sweep {

enum class PointStatus : std::uint8_t { pending, running, ok, oom, too_slow, cancelled, failed };
inline constexpr int kPointStatusCount = 7;
const char* to_string(PointStatus status);  // pending running ok oom too_slow cancelled failed
std::optional<PointStatus> point_status_from(std::string_view name);

// What one run told. Numbers that were not measured are negative.
struct PointMeasurement {
  run::TimingSummary step;
  double forward_ms = -1, backward_ms = -1, optimizer_ms = -1;  // medians
  double tokens_per_s = -1, samples_per_s = -1, tflops_per_s = -1;
  std::int64_t peak_allocated = -1;   // bytes
  std::int64_t before_backward = -1;  // bytes live when the last recorded backward began
  std::int64_t limit = -1;            // bytes the allocator might hold
  std::string limit_source;
  std::int64_t parameters = -1;
  std::string backend_ran;
  std::string op, module;                          // oom: the allocation that did not fit
  std::int64_t bytes_asked = -1, bytes_free = -1;  // oom
  double wall_s = -1;                              // of the whole run, set-up and warm-up too
  report::Roofs roofs;                             // of the device, for the type of the run
};
PointMeasurement measurement_of(const run::Run& run);

struct SweepPoint {
  std::size_t series = 0;        // index into Sweep::series()
  std::vector<std::int64_t> at;  // one value per axis
  spec::WorkloadSpec spec;       // as far as it could be made when the point is impossible
  PointStatus status = PointStatus::pending;
  // A run of this very point says so. Not set for what follows from others: oom beyond the edge,
  // too slow by estimate, impossible values.
  bool measured = false;
  base::Message reason;  // one sentence, when there is more to say than the status
  PointMeasurement measurement;
  PointPrediction prediction;
  bool wanted = false;  // asked for by rerun(): run whatever is predicted, before the others
};

// The state of a sweep: which points there are, what is known of each, which one is next. Knows no
// thread, engine or file. One owner thread.
//
// Order: coarse to fine, so that the shape shows early (least, middle and greatest value, then what
// lies between), and all series at a place before the next place, forwards and backwards in turn,
// so that drift of the machine hits all alike.
//
// Points that a prediction says are out of memory need no run: in every series one of them, the one
// nearest to the edge, is run to confirm it, the others are marked. If that run fits after all, the
// predictions of that series are not believed any more. Where nothing is predicted it helps that
// out of memory is monotonous in every size: one more real run beyond an edge confirms it, what
// lies above is marked, and if that run fits nothing is marked in that series.
class Sweep {
 public:
  explicit Sweep(SweepSpec spec);  // check() holds

  [[nodiscard]] const SweepSpec& spec() const { return spec_; }
  [[nodiscard]] std::span<const SweepSeries> series() const { return series_; }
  // By series, then along the first axis, then along the second.
  [[nodiscard]] std::span<const SweepPoint> points() const { return points_; }
  [[nodiscard]] std::optional<std::size_t> find(const spec::WorkloadSpec& spec) const;
  // Some point is to be run whatever else is not.
  [[nodiscard]] bool wanted() const;
  // In the order in which they are run.
  [[nodiscard]] std::span<const std::size_t> order() const { return order_; }

  // The point to run now; unset when none is pending. Marks points on its way that need no run.
  std::optional<std::size_t> next();
  [[nodiscard]] std::optional<std::size_t> running() const { return running_; }
  // Counts every change: what was made from the points is made anew only when it moved.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] bool finished() const { return count(PointStatus::pending) == 0 && !running_; }

  void start(std::size_t point);      // pending -> running; one at a time
  void give_back(std::size_t point);  // running -> pending: its run was not its own
  void finish(std::size_t point, const run::Run& run, bool took_too_long = false);
  // As found in a journal.
  void restore(std::size_t point, PointStatus status, base::Message reason, PointMeasurement known);
  // What dry runs said. Changes no point that was run.
  void predict(std::vector<std::pair<std::size_t, PointPrediction>> found);
  // Takes over a specification that holds this one, see widened(). Every point keeps what is known
  // of it, the running one runs on. Returns the new number of every point.
  std::vector<std::size_t> widen(SweepSpec wider);
  void cancel_rest();              // pending -> cancelled
  void resume();                   // cancelled -> pending
  void forget(std::size_t point);  // what was measured: it is pending again
  void rerun(std::size_t point);   // forgets it and runs it next

  [[nodiscard]] std::size_t count(PointStatus status) const;
  // Seconds until the last pending point is done, from the FLOPs of the points that are; negative
  // while no point is.
  [[nodiscard]] double seconds_left() const;
  // Of one run of that point; negative while nothing is known.
  [[nodiscard]] double expected_seconds(std::size_t point) const;
  // Milliseconds of a step of a point that has none of its own yet: those of the nearest point of
  // its series that was measured, scaled as the FLOPs grow. An estimate, never mixed with
  // measurements; negative where the point was timed, cannot run, or no neighbour is known.
  [[nodiscard]] double estimated_step_ms(std::size_t point) const;

 private:
  [[nodiscard]] double expected_seconds(std::size_t point,
                                        double run::TimingSummary::*step_ms) const;
  // Another point that went well, how much longer a step of `point` takes by its FLOPs.
  struct Neighbour {
    const SweepPoint* point = nullptr;  // null: none
    double growth = 1;
  };
  [[nodiscard]] Neighbour nearest_measured(std::size_t point, std::size_t first,
                                           std::size_t last) const;
  [[nodiscard]] Neighbour nearest_in_series(std::size_t point) const;
  void changed() {
    seconds_left_.reset();
    ++version_;
  }
  // What needs no run, from what is known now: sweep_edges.cpp.
  void mark_beyond_edges();
  void mark_predicted(std::size_t series);
  void mark_beyond_measured(std::size_t series);
  void mark_as_oom(SweepPoint& point, const SweepPoint& edge) const;
  [[nodiscard]] bool beyond(const SweepPoint& point, const SweepPoint& edge) const;
  [[nodiscard]] bool hardly_fits(const SweepPoint& point) const;

  SweepSpec spec_;
  std::vector<SweepSeries> series_;
  std::vector<SweepPoint> points_;
  std::vector<double> log_flops_;  // of each point
  std::vector<std::size_t> order_;
  std::optional<std::size_t> running_;
  std::uint64_t version_ = 0;
  mutable std::optional<double> seconds_left_;  // since the last change
};

}  // namespace ts::sweep
