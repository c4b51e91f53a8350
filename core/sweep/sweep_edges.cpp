// Finds the points of a sweep that are out of memory without a run.
#include <fmt/format.h>

#include <algorithm>

#include "core/spec/spec_fields.h"
#include "core/sweep/sweep.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::sweep {
namespace {

base::Message predicted_text(const PointPrediction& prediction) {
  const bool in_pieces = prediction.bytes_asked <= prediction.bytes_free;
  return text::message(in_pieces ? "sweep_reason.predicted_pieces" : "sweep_reason.predicted_oom",
                       {run::who_asked(prediction.op, prediction.module),
                        {"asked", text::bytes(prediction.bytes_asked).joined()},
                        {"free", text::bytes(prediction.bytes_free).joined()},
                        {"all", text::bytes(prediction.capacity).joined()}});
}

}  // namespace

bool Sweep::beyond(const SweepPoint& point, const SweepPoint& edge) const {
  if (point.series != edge.series || point.at == edge.at) return false;
  for (std::size_t i = 0; i < point.at.size(); ++i) {
    if (spec::memory_grows_with(spec_.axes[i].field) ? point.at[i] < edge.at[i]
                                                     : point.at[i] != edge.at[i]) {
      return false;
    }
  }
  return true;
}

bool Sweep::hardly_fits(const SweepPoint& point) const {
  return point.prediction.oom() || std::ranges::any_of(points_, [&](const SweepPoint& other) {
           return other.measured && other.status == PointStatus::oom && beyond(point, other);
         });
}

void Sweep::mark_beyond_edges() {
  // Marks depend on the results, so they are computed again when the results change.
  for (SweepPoint& point : points_) {
    const bool marked = point.status == PointStatus::oom || point.status == PointStatus::predicted;
    if (point.measured || !marked) continue;
    point.status = PointStatus::pending;
    point.reason = {};
  }
  for (std::size_t series = 0; series < series_.size(); ++series) {
    mark_predicted(series);
    mark_beyond_measured(series);
  }
}

void Sweep::mark_predicted(std::size_t series) {
  bool confirmed = spec_.only_predicted;
  SweepPoint* nearest = nullptr;
  for (SweepPoint& point : points_) {
    if (point.series != series) continue;
    const bool oom = point.prediction.oom();
    // It fitted: dry run and device differ here.
    if (oom && point.measured && point.status == PointStatus::ok) return;
    confirmed = confirmed || (point.measured && (oom || point.status == PointStatus::oom));
    if (!oom || point.wanted || point.status != PointStatus::pending) continue;
    if (nearest == nullptr || point.prediction.peak_allocated < nearest->prediction.peak_allocated)
      nearest = &point;
  }
  for (SweepPoint& point : points_) {
    if (point.series != series || point.status != PointStatus::pending || point.wanted) continue;
    if (spec_.only_predicted && point.prediction.known() && !point.prediction.oom())
      point.status = PointStatus::predicted;
    if (!point.prediction.oom() || (!confirmed && &point == nearest)) continue;
    point.status = PointStatus::oom;
    point.reason = predicted_text(point.prediction);
  }
}

void Sweep::mark_beyond_measured(std::size_t series) {
  std::vector<const SweepPoint*> edges;
  std::vector<const SweepPoint*> measured;
  for (const SweepPoint& point : points_) {
    if (point.series != series || !point.measured) continue;
    measured.push_back(&point);
    if (point.status == PointStatus::oom) edges.push_back(&point);
  }
  const auto some_beyond_an_edge = [&](PointStatus status) {
    return std::any_of(measured.begin(), measured.end(), [&](const SweepPoint* point) {
      return point->status == status &&
             std::any_of(edges.begin(), edges.end(),
                         [&](const SweepPoint* edge) { return beyond(*point, *edge); });
    });
  };
  if (!some_beyond_an_edge(PointStatus::oom) || some_beyond_an_edge(PointStatus::ok)) return;
  for (SweepPoint& point : points_) {
    if (point.series != series || point.status != PointStatus::pending || point.wanted) continue;
    for (const SweepPoint* edge : edges) {
      if (beyond(point, *edge)) mark_as_oom(point, *edge);
    }
  }
}

void Sweep::mark_as_oom(SweepPoint& point, const SweepPoint& edge) const {
  point.status = PointStatus::oom;
  std::string smaller;
  for (std::size_t i = 0; i < edge.at.size(); ++i) {
    smaller += fmt::format("{}{} = {}", i > 0 ? ", " : "", spec::field_name(spec_.axes[i].field),
                           text::grouped(edge.at[i]));
  }
  point.reason = text::message("sweep_reason.above_oom", {{"point", smaller}});
}

}  // namespace ts::sweep
