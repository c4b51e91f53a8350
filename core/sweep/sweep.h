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

// predicted: fits by its dry run, in a sweep of which nothing is run.
enum class PointStatus : std::uint8_t {
  pending,
  running,
  ok,
  oom,
  too_slow,
  cancelled,
  failed,
  predicted
};
inline constexpr int kPointStatusCount = 8;
const char* to_string(PointStatus status);  // "pending", "running", "ok", ...
std::optional<PointStatus> point_status_from(std::string_view name);

// The results of one run. Numbers that were not measured are negative.
// Of the timed steps of a point, in ms.
struct PartSpread {
  double mean_ms = -1, std_ms = -1;
};

struct PointMeasurement {
  run::TimingSummary step;
  double forward_ms = -1, backward_ms = -1, optimizer_ms = -1;  // medians
  PartSpread forward, backward, optimizer;
  double tokens_per_s = -1, samples_per_s = -1, tflops_per_s = -1;
  std::int64_t peak_allocated = -1;   // bytes
  std::int64_t before_backward = -1;  // bytes live when the last recorded backward began
  std::int64_t limit = -1;            // bytes that the allocator might hold
  std::string limit_source;
  std::int64_t parameters = -1;
  std::string backend_ran;
  std::string op, module;                          // oom: of the allocation that did not fit
  std::int64_t bytes_asked = -1, bytes_free = -1;  // oom
  double wall_s = -1;                              // of the whole run, set-up and warm-up too
  report::Roofs roofs;                             // of the device, for the type of the run
};
PointMeasurement measurement_of(const run::Run& run);

struct SweepPoint {
  std::size_t series = 0;        // index into Sweep::series()
  std::vector<std::int64_t> at;  // one value per axis
  spec::WorkloadSpec spec;       // as far as it could be made if the point is impossible
  PointStatus status = PointStatus::pending;
  // True if a run of this point gave its status. False if it follows from other points: oom beyond
  // the edge, too slow by estimate, impossible values.
  bool measured = false;
  base::Message reason;  // one sentence, if there is more to say than the status
  PointMeasurement measurement;
  PointPrediction prediction;
  bool wanted = false;  // requested by rerun(): run despite any prediction, before the others
};

// The state of a sweep: its points, the results of each, and which one is next. Has no thread,
// engine or file. One owner thread.
//
// Order: coarse to fine, so that the shape shows early (least, middle and greatest value, then the
// values between them), and all series at a place before the next place, forwards and backwards in
// turn, so that drift of the machine affects all equally.
//
// Points that are predicted to be out of memory need no run: in every series one of them, the one
// nearest to the edge, is run to confirm it, the others are marked. If that run fits after all, the
// predictions of that series are no longer used. Without predictions the sweep uses that out of
// memory is monotonous in every size: one more real run beyond an edge confirms it, larger points
// are marked, and if that run fits nothing is marked in that series. Where nothing is to be run
// (SweepSpec::only_predicted) predictions are the results.
class Sweep {
 public:
  explicit Sweep(SweepSpec spec);  // check() holds

  [[nodiscard]] const SweepSpec& spec() const { return spec_; }
  [[nodiscard]] std::span<const SweepSeries> series() const { return series_; }
  // By series, then along the first axis, then along the second.
  [[nodiscard]] std::span<const SweepPoint> points() const { return points_; }
  [[nodiscard]] std::optional<std::size_t> find(const spec::WorkloadSpec& spec) const;
  // True if some point was requested by rerun().
  [[nodiscard]] bool wanted() const;
  // In the order of execution.
  [[nodiscard]] std::span<const std::size_t> order() const { return order_; }

  // The point to run now; unset if none is pending. Also marks points that need no run.
  std::optional<std::size_t> next();
  [[nodiscard]] std::optional<std::size_t> running() const { return running_; }
  // Counts every change: derived results are recomputed only when it changed.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] bool finished() const { return count(PointStatus::pending) == 0 && !running_; }

  void start(std::size_t point);      // pending -> running; one at a time
  void give_back(std::size_t point);  // running -> pending: its run was not its own
  void finish(std::size_t point, const run::Run& run, bool took_too_long = false);
  // Sets the result that a journal holds.
  void restore(std::size_t point, PointStatus status, base::Message reason, PointMeasurement known);
  // Sets the results of dry runs. Does not change points that were run.
  void predict(std::vector<std::pair<std::size_t, PointPrediction>> found);
  // Replaces the specification by one that contains it, see widened(). Every point keeps its
  // results, and the running one continues. Returns the new number of every point.
  std::vector<std::size_t> widen(SweepSpec wider);
  void cancel_rest();              // pending -> cancelled
  void resume();                   // cancelled -> pending
  void forget(std::size_t point);  // deletes its results: it is pending again
  void rerun(std::size_t point);   // forgets it and runs it next

  [[nodiscard]] std::size_t count(PointStatus status) const;
  // Seconds until the last pending point is done, estimated by FLOPs from the finished points;
  // negative while there are none.
  [[nodiscard]] double seconds_left() const;
  // Seconds of one run of that point; negative while there is no estimate.
  [[nodiscard]] double expected_seconds(std::size_t point) const;
  // The estimated step time in milliseconds of a point that was not timed: that of the nearest
  // measured point of its series, scaled by the FLOPs. Never mixed with measurements; negative if
  // the point was timed, cannot run, or no neighbour is known.
  [[nodiscard]] double estimated_step_ms(std::size_t point) const;

 private:
  [[nodiscard]] double expected_seconds(std::size_t point,
                                        double run::TimingSummary::*step_ms) const;
  // Another successful point, and how much longer a step of `point` takes by its FLOPs.
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
  // Marks points that need no run, by the current results: sweep_edges.cpp.
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
