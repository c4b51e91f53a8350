#include "core/run/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/run/sweep_results.h"
#include "core/text/numbers.h"

namespace ts::run {
namespace {

constexpr const char* kDash = "\xe2\x80\x93";
constexpr double kMiB = 1024.0 * 1024.0;

std::string plain(double value) {
  if (value < 0 || !std::isfinite(value)) return {};
  return fmt::format("{:.6g}", value);
}

std::string plain(std::int64_t value) {
  return value < 0 ? std::string() : std::to_string(value);
}

// Three digits that mean something.
std::string shown(double value) {
  if (value < 0 || !std::isfinite(value)) return kDash;
  return text::decimal(value, value >= 100 ? 1 : value >= 10 ? 2 : 3);
}

std::string why_not(const SweepPoint& point) {
  switch (point.status) {
    case PointStatus::oom:
      return "OOM";
    case PointStatus::too_slow:
      return "too slow";
    case PointStatus::failed:
      return "failed";
    default:
      return kDash;
  }
}

std::string time_cell(const SweepPoint& point) {
  return point.status == PointStatus::ok ? shown(point.measurement.step.median_ms) : why_not(point);
}

std::string memory_cell(const SweepPoint& point) {
  if (point.status != PointStatus::ok) return why_not(point);
  return shown(static_cast<double>(point.measurement.peak_allocated) / kMiB);
}

// Beyond the edge too, marked there.
std::string predicted_cell(const SweepPoint& point) {
  if (!point.prediction.known()) return kDash;
  const double peak = static_cast<double>(point.prediction.peak_allocated) / kMiB;
  return shown(peak) + (point.prediction.oom() ? " OOM" : "");
}

bool only_predicted(const Sweep& sweep) {
  bool predicted = false;
  for (const SweepPoint& point : sweep.points()) {
    if (point.measured) return false;
    predicted = predicted || point.prediction.known();
  }
  return predicted;
}

std::string axis_name(const Sweep& sweep, std::size_t axis) {
  return field_name(sweep.spec().axes[axis].field);
}

std::string range_words(const SweepAxis& axis) {
  const bool one = axis.values.size() == 1;
  return fmt::format("{} {}{}", field_name(axis.field), text::grouped(axis.values.front()),
                     one ? "" : " to " + text::grouped(axis.values.back()));
}

const char* measure_words(Measure measure) {
  switch (measure) {
    case Measure::step_ms:
      return "step time";
    case Measure::peak_allocated:
      return "peak memory";
    case Measure::peak_predicted:
      return "predicted peak memory";
    case Measure::tokens_per_s:
      break;
  }
  return "throughput";
}

}  // namespace

io::TextTable full_table(const Sweep& sweep) {
  io::TextTable table;
  table.columns = {"series"};
  for (std::size_t i = 0; i < sweep.spec().axes.size(); ++i) {
    table.columns.push_back(axis_name(sweep, i));
  }
  for (const char* column : {"status",
                             "measured",
                             "n",
                             "step_ms_median",
                             "step_ms_ci95_low",
                             "step_ms_ci95_high",
                             "step_ms_p90",
                             "step_ms_p99",
                             "forward_ms",
                             "backward_ms",
                             "optimizer_ms",
                             "tokens_per_s",
                             "samples_per_s",
                             "tflops_per_s",
                             "peak_allocated_bytes",
                             "peak_predicted_bytes",
                             "predicted_fit",
                             "limit_bytes",
                             "backend_ran",
                             "warmup_stable",
                             "reason"}) {
    table.columns.emplace_back(column);
  }
  for (const SweepPoint& point : sweep.points()) {
    const PointMeasurement& m = point.measurement;
    std::vector<std::string> row = {sweep.series()[point.series].label};
    for (const std::int64_t value : point.at) row.push_back(std::to_string(value));
    row.insert(row.end(), {to_string(point.status),
                           point.measured ? "yes" : "no",
                           m.step.n > 0 ? std::to_string(m.step.n) : "",
                           plain(m.step.median_ms),
                           plain(m.step.ci95_low_ms),
                           plain(m.step.ci95_high_ms),
                           plain(m.step.p90_ms),
                           plain(m.step.p99_ms),
                           plain(m.forward_ms),
                           plain(m.backward_ms),
                           plain(m.optimizer_ms),
                           plain(m.tokens_per_s),
                           plain(m.samples_per_s),
                           plain(m.tflops_per_s),
                           plain(m.peak_allocated),
                           plain(point.prediction.peak_allocated),
                           point.prediction.known() ? to_string(point.prediction.fit) : "",
                           plain(m.limit),
                           m.backend_ran,
                           m.step.n == 0   ? ""
                           : m.step.stable ? "yes"
                                           : "no",
                           point.reason});
    table.rows.push_back(std::move(row));
  }
  return table;
}

namespace {

// One place only: a row for each series, such as the sizes of a model.
io::TextTable table_of_series(const Sweep& sweep) {
  io::TextTable table;
  table.columns = {"series",      "ms",           "std ms", "forward ms",
                   "backward ms", "optimizer ms", "MiB",    "MiB predicted"};
  table.right.assign(table.columns.size(), true);
  table.right[0] = false;
  for (const SweepPoint& point : sweep.points()) {
    const PointMeasurement& m = point.measurement;
    table.rows.push_back({sweep.series()[point.series].label, time_cell(point),
                          shown(m.step.std_ms), shown(m.forward_ms), shown(m.backward_ms),
                          shown(m.optimizer_ms), memory_cell(point), predicted_cell(point)});
  }
  return table;
}

}  // namespace

io::TextTable homework_table(const Sweep& sweep) {
  if (sweep.points().size() == sweep.series().size() && sweep.points().size() > 1) {
    return table_of_series(sweep);
  }
  io::TextTable table;
  for (std::size_t i = 0; i < sweep.spec().axes.size(); ++i) {
    table.columns.push_back(axis_name(sweep, i));
  }
  using Cell = std::string (*)(const SweepPoint&);
  std::vector<std::pair<const char*, Cell>> groups = {{" ms", time_cell}, {" MiB", memory_cell}};
  if (only_predicted(sweep)) groups = {{" MiB predicted", predicted_cell}};
  for (const auto& group : groups) {
    for (const SweepSeries& one : sweep.series()) table.columns.push_back(one.label + group.first);
  }
  table.right.assign(table.columns.size(), true);
  const std::size_t places = sweep.points().size() / sweep.series().size();
  for (std::size_t place = 0; place < places; ++place) {
    std::vector<std::string> row;
    for (const std::int64_t value : sweep.points()[place].at) {
      row.push_back(text::grouped(value));
    }
    for (const auto& group : groups) {
      for (std::size_t s = 0; s < sweep.series().size(); ++s) {
        row.push_back(group.second(sweep.points()[s * places + place]));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> findings(const Sweep& sweep, FitRange range) {
  const std::string axis = axis_name(sweep, 0);
  std::vector<std::string> all;
  int measured = 0;  // points of the curve's measured memory; its prediction comes after it
  for (const CurveFit& one : fits_of(sweep, range)) {
    if (one.measure == Measure::step_ms) measured = 0;
    if (one.measure == Measure::peak_allocated) measured = one.fit.n;
    if (one.measure == Measure::peak_predicted && one.fit.n <= measured) continue;
    std::string sentence =
        fmt::format("{}: {} grows as {}^{}", one.curve.label, measure_words(one.measure), axis,
                    text::decimal(one.fit.slope, 2));
    std::string about;
    if (one.fit.ci95) {
      about = fmt::format("95 % CI {} to {}, ", text::decimal(one.fit.ci95->low, 2),
                          text::decimal(one.fit.ci95->high, 2));
    }
    if (one.fit.r2 && one.fit.n >= 3)
      about += fmt::format("r2 {}, ", text::decimal(*one.fit.r2, 4));
    if (range.low > 0 || range.high > 0) {
      about += fmt::format("{} from {} to {}, ", axis,
                           text::grouped(sweep.points()[one.points.front()].at[0]),
                           text::grouped(sweep.points()[one.points.back()].at[0]));
    }
    all.push_back(sentence + fmt::format(" ({}n = {}; between the last two points {})", about,
                                         one.fit.n, text::decimal(one.last_slope, 2)));
  }
  for (const CurveCrossover& one : crossovers_of(sweep)) {
    const bool time = one.measure == Measure::step_ms;
    const SweepCurve& other = one.crossover.second_is_lower_after ? one.first : one.second;
    all.push_back(fmt::format("{} {} than {} from {} = {} on (measured; the curves cross near {})",
                              one.lower_after().label, time ? "is faster" : "needs less memory",
                              other.label, axis, text::decimal(one.crossover.after, 0),
                              text::decimal(one.crossover.at, 0)));
  }
  if (const PredictionError error = prediction_error(sweep); error.n > 0) {
    const SweepPoint& worst = sweep.points()[error.worst_point];
    const std::string points = fmt::format("{} {}", error.n, error.n == 1 ? "point" : "points");
    all.push_back(
        error.worst_percent == 0
            ? fmt::format("predicted peaks equal the measured ones to the byte, {}", points)
            : fmt::format("predicted peaks against measured ones, {}: worst {}{} % ({}, "
                          "{} = {})",
                          points, error.worst_percent > 0 ? "+" : "",
                          text::decimal(error.worst_percent, 2), sweep.series()[worst.series].label,
                          axis, text::grouped(worst.at[0])));
  }
  for (const CurveSaturation& one : saturations_of(sweep)) {
    all.push_back(fmt::format("{}: throughput saturates at B = {} ({})", one.curve.label,
                              text::decimal(one.saturation.at, 0), kSaturationRule));
  }
  return all;
}

std::string sweep_caption(const Sweep& sweep, const std::string& device,
                          const std::string& versions) {
  const SweepSpec& spec = sweep.spec();
  std::string what = to_string(spec.base.workload);
  for (const SweepAxis& axis : spec.axes) what += ", " + range_words(axis);
  what += ";";
  for (std::size_t i = 0; i < sweep.series().size(); ++i) {
    what += (i == 0 ? " " : ", ") + sweep.series()[i].label;
  }
  // Presets of models set what a model is made of.
  const bool models = std::any_of(spec.series.begin(), spec.series.end(),
                                  [](const SweepSeriesField& one) { return !one.field; });
  const auto of_model = [](Field field) {
    return field == Field::d_model || field == Field::heads || field == Field::layers ||
           field == Field::d_ff || field == Field::vocab;
  };
  std::string fixed;
  for (const Field field : {Field::B, Field::T, Field::d_model, Field::heads, Field::d_head,
                            Field::layers, Field::d_ff, Field::vocab, Field::dtype, Field::pass}) {
    bool swept = !field_applies(spec.base, field) || (models && of_model(field));
    for (const SweepAxis& axis : spec.axes) swept = swept || axis.field == field;
    for (const SweepSeriesField& one : spec.series) swept = swept || one.field == field;
    if (swept) continue;
    const nlohmann::json value = to_json(spec.base).at(field_name(field));
    fixed += fmt::format("{}{} {}", fixed.empty() ? "" : ", ", field_name(field),
                         value.is_string() ? value.get<std::string>() : value.dump());
  }
  const Protocol& protocol = spec.protocol;
  const std::string steps =
      protocol.min_samples == protocol.max_samples
          ? std::to_string(protocol.min_samples)
          : fmt::format("{} to {}", protocol.min_samples, text::grouped(protocol.max_samples));
  return fmt::format(
      "{}. {}. {}; {}. Median of {} timed steps after warm-up, without recording; error bars "
      "and ranges are 95 % confidence intervals of the median; memory is the peak the allocator "
      "handed out.",
      what, fixed, device, versions, steps);
}

std::string sweep_markdown(const Sweep& sweep, const std::string& caption, FitRange range) {
  std::string out = caption + "\n\n" + io::to_markdown(homework_table(sweep)) + "\n";
  const auto said = findings(sweep, range);
  for (const std::string& sentence : said) out += "- " + sentence + "\n";
  if (!said.empty()) out += "\n";
  return out + io::to_markdown(full_table(sweep));
}

std::string sweep_latex(const Sweep& sweep, const std::string& caption, FitRange range) {
  std::string out = "% needs \\usepackage{booktabs}\n" +
                    io::to_latex(homework_table(sweep), caption, "tab:sweep");
  const auto said = findings(sweep, range);
  if (said.empty()) return out;
  out += "\\begin{itemize}\n";
  for (const std::string& sentence : said) out += "  \\item " + io::latex_escaped(sentence) + "\n";
  return out + "\\end{itemize}\n";
}

}  // namespace ts::run
