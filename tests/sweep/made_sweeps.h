#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/sweep/sweep.h"
#include "tests/run/made_runs.h"

namespace ts::sweep::testing {

inline SweepSpec over_t(const char* axis, const char* series = "backend=naive,flash") {
  SweepSpec spec;
  spec.axes = {*parse_axis(axis)};
  if (series != nullptr) spec.series = {*parse_series(series)};
  spec.max_point_s = 1e6;
  return spec;
}

using Behaviour = std::function<run::Run(const spec::WorkloadSpec&)>;

// Step time and memory as theory has them: naive T^2 in both, flash T^2 and T.
inline run::Run as_theory(const spec::WorkloadSpec& spec) {
  const auto t = static_cast<double>(spec.seq_len);
  const bool naive = spec.backend == spec::AttentionBackend::naive;
  const double ms = naive ? t * t / 1e5 : 5 + t * t / 4e5;
  const double bytes = naive ? t * t * 8 : t * 4096;
  return run::testing::made_run(spec, ms, static_cast<std::int64_t>(bytes));
}

inline Behaviour with_limit(std::int64_t largest_that_fits) {
  return [largest_that_fits](const spec::WorkloadSpec& spec) {
    if (spec.backend == spec::AttentionBackend::naive && spec.seq_len > largest_that_fits) {
      return run::testing::stopped_run(spec, run::Verdict::oom);
    }
    return as_theory(spec);
  };
}

inline std::vector<std::size_t> run_all(Sweep& sweep, const Behaviour& behaviour) {
  std::vector<std::size_t> ran;
  while (const auto point = sweep.next()) {
    sweep.start(*point);
    ran.push_back(*point);
    sweep.finish(*point, behaviour(sweep.points()[*point].spec));
  }
  return ran;
}

// By memory: what a prediction says of every point, with the greatest peak that fits.
inline void predict_all(Sweep& sweep, const Behaviour& behaviour, std::int64_t capacity) {
  std::vector<std::pair<std::size_t, PointPrediction>> found;
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    PointPrediction prediction;
    prediction.peak_allocated = behaviour(sweep.points()[i].spec).memory.peak_bytes();
    prediction.capacity = capacity;
    if (prediction.peak_allocated > capacity) {
      prediction.fit = predict::Fit::oom;
      prediction.op = "aten::_softmax";
      prediction.bytes_asked = prediction.peak_allocated / 2;
      prediction.bytes_free = capacity / 2;
    }
    found.emplace_back(i, prediction);
  }
  sweep.predict(std::move(found));
}

}  // namespace ts::sweep::testing
