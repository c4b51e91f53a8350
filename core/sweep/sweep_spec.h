#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/run/protocol.h"
#include "core/spec/workload_spec.h"

namespace ts::sweep {

// The settings that a sweep varies, and the specification of each point.

// One numeric setting and its values, ascending and unique.
struct SweepAxis {
  spec::Field field = spec::Field::T;
  std::vector<std::int64_t> values;
  friend bool operator==(const SweepAxis&, const SweepAxis&) = default;
};

// A setting whose values make the series, written as for --set: backend = naive, flash. Without a
// field they are presets of the workload ("small"), which set its shape, not the backend; these
// come first.
struct SweepSeriesField {
  std::optional<spec::Field> field = spec::Field::backend;
  std::vector<std::string> values;
  friend bool operator==(const SweepSeriesField&, const SweepSeriesField&) = default;
};

struct SweepSpec {
  spec::WorkloadSpec base;
  std::vector<SweepAxis> axes;           // one or two; curves run along the first
  std::vector<SweepSeriesField> series;  // all combinations of their values; none: one series
  run::Protocol protocol;
  // A point that is expected to take longer is too slow; one that does is ended. Seconds.
  double max_point_s = 300;
  bool only_predicted = false;  // nothing is run
};
bool operator==(const SweepSpec& a, const SweepSpec& b);

// The limits of points on one axis and in a whole sweep.
inline constexpr std::size_t kMostAxisValues = 1000;
inline constexpr std::size_t kMostSweepPoints = 5000;

// "T=256,512,1k", "T=256:2048:x2" (times 2 from 256 on), "B=1:16:+2", "T=200:2000" (the powers of
// two in between). Values are written as for --set. Errors are one sentence.
base::Result<SweepAxis> parse_axis(std::string_view text);
// The values of such an axis for a number of any other name: "256:2048:x2".
base::Result<std::vector<std::int64_t>> parse_numbers(const std::string& name,
                                                      std::string_view values);
// "backend=naive,flash", "preset=small,medium".
base::Result<SweepSeriesField> parse_series(std::string_view text);

// One combination of the series' values.
struct SweepSeries {
  std::string label;  // "flash", "flash, bf16"; without series the backend, or the workload
  spec::WorkloadSpec base;
};
std::vector<SweepSeries> series_of(const SweepSpec& spec);

// All combinations of the axes' values; the first axis varies fastest.
std::vector<std::vector<std::int64_t>> places_of(const SweepSpec& spec);
// The specification of one point, or why there is none (d_model that is not divisible by heads).
base::Result<spec::WorkloadSpec> spec_at(const SweepSpec& spec, const SweepSeries& series,
                                         const std::vector<std::int64_t>& at);

// Checks that the parts are compatible. An error is an axis or series that occurs twice or that no
// series uses, too many points, or no point that can be run. One sentence.
base::Result<void> check(const SweepSpec& spec);

// `spec` with the values of `more` added to its axes and series: adds points or series during a
// run. Both must vary the same settings of the same workload; protocol and limits stay. An error of
// one sentence if they are not compatible or nothing is new.
base::Result<SweepSpec> widened(const SweepSpec& spec, const SweepSpec& more);

nlohmann::json to_json(const SweepAxis& axis);
nlohmann::json to_json(const SweepSpec& spec);
base::Result<SweepSpec> sweep_spec_from_json(const nlohmann::json& json);

}  // namespace ts::sweep
