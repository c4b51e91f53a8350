#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/own_file/own_file.h"
#include "core/io/text_table.h"
#include "core/run/compare.h"
#include "core/run/engine.h"
#include "core/sweep/sweep.h"

// Many settings of a Python file of the user's own, one after the other: the points of a sweep, and
// two by turns. All functions wait for the process of the file.
namespace ts::app {

// One argument and its values.
struct OwnAxis {
  std::string argument;
  std::vector<std::string> values;
  bool sized = false;  // whole numbers, ascending: memory and time grow with them
};
// "T=256:2048:x2" for --axis, "dtype=fp32,bf16" for --series, of a described file. The error is one
// sentence: the form, or an argument that the function has not.
base::Result<OwnAxis> own_size_axis(const std::string& text, const OwnDescription& described);
base::Result<OwnAxis> own_series_axis(const std::string& text, const OwnDescription& described);

struct OwnPoint {
  OwnSettings at;  // of the axes alone
  sweep::PointStatus status = sweep::PointStatus::pending;
  base::Message reason;  // one sentence where there is more to say than the status
  run::TimingSummary step;
  std::optional<std::int64_t> peak;    // bytes that a run had at most
  std::optional<std::int64_t> needed;  // bytes that the target needs, predicted without data
};

struct OwnSweep {
  std::vector<OwnAxis> axes;  // the first one varies fastest
  predict::PredictionTarget target;
  bool only_predicted = false;
  run::Protocol protocol;
  std::vector<OwnPoint> points;
};
// All combinations, pending. An error if an argument occurs twice, or of too many points.
base::Result<void> make_points(OwnSweep& sweep);

// Predicts every point for the target and then runs it on the CPU, but not one that the target has
// no memory for; where the file cannot run without data it is run at once. A point with an error is
// `failed`; after one that did not end in time points of the same series that are no smaller are
// too slow. A cancelled sweep has the points so far; the others are cancelled. `on_point` is called
// on this thread.
void ask_points(OwnProcess& process, const OwnQuestion& question, OwnSweep& sweep,
                const std::function<void(const OwnPoint&)>& on_point,
                const base::CancelToken& cancel);

// One row for each point. Of `plain` the numbers are those of other programs: ms, bytes.
io::TextTable own_table(const OwnSweep& sweep, bool plain);
nlohmann::json own_sweep_json(const OwnSweep& sweep);
// Takes what such a document knows of the points, but not of those that failed. The document is of
// a sweep over the same points; an error if it is damaged.
base::Result<void> take_known(const nlohmann::json& document, OwnSweep& sweep);
// Step times in ms, or MiB that a run had at most or, where points are only predicted, that the
// target needs; over the first axis, a curve for each combination of the others, one alone with
// the name `alone`. NaN: no number.
enum class OwnMeasure : std::uint8_t { time, memory };
std::vector<run::ResultCurve> own_curves(const OwnSweep& sweep, OwnMeasure measure,
                                         const std::string& alone);

// Peaks of a recorded run of each of two settings, then times of both by turns in one process.
base::Result<run::Comparison> compare_own(OwnProcess& process, const OwnQuestion& question,
                                          const std::array<OwnSettings, 2>& sides,
                                          const run::Protocol& protocol,
                                          const base::CancelToken& cancel);

}  // namespace ts::app
