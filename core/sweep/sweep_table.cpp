#include "core/sweep/sweep_table.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/sweep/sweep_theory.h"
#include "core/text/numbers.h"

namespace ts::sweep {
namespace {

std::string plain(double value) {
  if (value < 0 || !std::isfinite(value)) return {};
  return fmt::format("{:.6g}", value);
}

std::string plain(std::int64_t value) {
  return value < 0 ? std::string() : std::to_string(value);
}

// Three digits that mean something.
std::string shown(double value) {
  if (value < 0 || !std::isfinite(value)) return text::kNoNumber;
  int places = value >= 100 ? 1 : value >= 10 ? 2 : 3;
  constexpr int kMostPlaces = 6;
  for (double least = 0.1; value > 0 && value < least && places < kMostPlaces; least /= 10)
    ++places;
  return text::decimal(value, places);
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
      return text::kNoNumber;
  }
}

std::string in_mib(std::int64_t bytes) {
  if (bytes < 0) return text::kNoNumber;
  return shown(static_cast<double>(bytes) / text::kBytesInMiB);
}

std::string time_cell(const SweepPoint& point) {
  return point.status == PointStatus::ok ? shown(point.measurement.step.median_ms) : why_not(point);
}

std::string memory_cell(const SweepPoint& point) {
  if (point.status != PointStatus::ok) return why_not(point);
  return in_mib(point.measurement.peak_allocated);
}

// With as many digits as the exercises print it.
std::string before_in_mib(std::int64_t bytes) {
  if (bytes < 0) return text::kNoNumber;
  return text::decimal(static_cast<double>(bytes) / text::kBytesInMiB, 3);
}

std::string before_cell(const SweepPoint& point) {
  if (point.status != PointStatus::ok) return why_not(point);
  return before_in_mib(point.measurement.before_backward);
}

// Beyond the edge too, marked there.
std::string predicted_cell(const SweepPoint& point) {
  if (!point.prediction.known()) return text::kNoNumber;
  return in_mib(point.prediction.peak_allocated) + (point.prediction.oom() ? " OOM" : "");
}

std::string predicted_before_cell(const SweepPoint& point) {
  return before_in_mib(point.prediction.before_backward);
}

// The exercises on attention hand it in beside the peak.
bool has_before_backward(const Sweep& sweep) {
  for (const SweepPoint& point : sweep.points()) {
    if (point.measurement.before_backward >= 0 || point.prediction.before_backward >= 0)
      return true;
  }
  return false;
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
  return spec::field_name(sweep.spec().axes[axis].field);
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
                             "step_ms_estimated_from_neighbour",
                             "compute_bound_ms",
                             "bandwidth_bound_ms",
                             "flop_per_byte",
                             "faster_than_bound",
                             "peak_allocated_bytes",
                             "peak_allocated_predicted_bytes",
                             "before_backward_bytes",
                             "before_backward_predicted_bytes",
                             "predicted_fit",
                             "limit_bytes",
                             "backend_ran",
                             "warmup_stable",
                             "reason"}) {
    table.columns.emplace_back(column);
  }
  const auto theories = theories_of(sweep);
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    const SweepPoint& point = sweep.points()[i];
    const PointMeasurement& m = point.measurement;
    const PointTheory theory = theories[i].value_or(PointTheory{});
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
                           plain(sweep.estimated_step_ms(i)),
                           theory.compute_ms > 0 ? plain(theory.compute_ms) : "",
                           theory.memory_ms > 0 ? plain(theory.memory_ms) : "",
                           theory.bytes > 0 ? plain(theory.intensity()) : "",
                           beaten_bound(theories[i], point).sentence,
                           plain(m.peak_allocated),
                           plain(point.prediction.peak_allocated),
                           plain(m.before_backward),
                           plain(point.prediction.before_backward),
                           point.prediction.known() ? to_string(point.prediction.fit) : "",
                           plain(m.limit),
                           m.backend_ran,
                           m.step.n == 0    ? ""
                           : m.step.settled ? "yes"
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
  table.columns = {"series",      "ms",           "std ms",        "forward ms",
                   "backward ms", "optimizer ms", "MiB allocated", "MiB allocated, predicted"};
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
  std::vector<std::pair<const char*, Cell>> groups = {{" ms", time_cell},
                                                      {" MiB allocated", memory_cell}};
  if (has_before_backward(sweep)) groups.emplace_back(" MiB before backward", before_cell);
  if (only_predicted(sweep)) {
    groups = {{" MiB allocated, predicted", predicted_cell}};
    if (has_before_backward(sweep)) {
      groups.emplace_back(" MiB before backward, predicted", predicted_before_cell);
    }
  }
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

}  // namespace ts::sweep
