#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <vector>

#include "core/base/message.h"
#include "core/sweep/sweep.h"

namespace ts::sweep {

// Lower bounds from the device, beside the measurements: a step takes no less than its FLOPs at the
// device's peak and no less than its traffic at its bandwidth (Williams, Waterman, Patterson 2009,
// "Roofline"). Never mixed with measurements.

struct PointTheory {
  report::Roofs roofs;
  double flops = 0;       // of a step, as computed by step_flops
  double bytes = 0;       // step_traffic
  double compute_ms = 0;  // flops at the peak; 0: the peak is not known
  double memory_ms = 0;   // bytes at the bandwidth; 0: it is not known
  // FLOP per byte.
  [[nodiscard]] double intensity() const { return flops / bytes; }
};
// Uses the roofs that the point's own run reported, else those of its prediction, else those of
// another point of the same device and type. Unset if no roof is known, or the workload has no
// FLOPs.
std::optional<PointTheory> theory_of(const Sweep& sweep, std::size_t point);
// The theory of every point.
std::vector<std::optional<PointTheory>> theories_of(const Sweep& sweep);

// Why a point took less time than its bounds, which are then invalid: the device's roof was
// measured too low, or the data never left a cache. Empty if it took longer, or was not measured.
base::Message beaten_bound(const std::optional<PointTheory>& theory, const SweepPoint& point);

// The different reasons among the points of a sweep, with the number of points for each.
// `theories`: of its points.
struct BeatenBound {
  base::Message why;
  std::size_t points = 0;
};
std::vector<BeatenBound> beaten_bounds(const Sweep& sweep,
                                       std::span<const std::optional<PointTheory>> theories);

// {flops, bytes, compute_ms, memory_ms, peak_tflops, bandwidth_gb_s, source}; null without theory.
nlohmann::json theory_json(const std::optional<PointTheory>& theory);

// The distinct roofs among them, in their order: one for each device and type.
std::vector<report::Roofs> roofs_of(std::span<const std::optional<PointTheory>> theories);

}  // namespace ts::sweep
