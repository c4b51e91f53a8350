#include "core/sweep/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/sweep/sweep_findings.h"
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

std::string above_zero(const std::optional<PointTheory>& theory, double PointTheory::*value) {
  return theory && (*theory).*value > 0 ? plain((*theory).*value) : std::string();
}

// Three significant digits.
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

template <double PointMeasurement::*kPart>
std::string part_cell(const SweepPoint& point) {
  return point.status == PointStatus::ok ? shown(point.measurement.*kPart) : why_not(point);
}

std::string tokens_cell(const SweepPoint& point) {
  if (point.status != PointStatus::ok) return why_not(point);
  if (point.measurement.tokens_per_s < 0) return text::kNoNumber;
  return text::grouped(std::llround(point.measurement.tokens_per_s));
}

// With as many digits as the exercises print.
std::string before_in_mib(std::int64_t bytes) {
  if (bytes < 0) return text::kNoNumber;
  return text::decimal(static_cast<double>(bytes) / text::kBytesInMiB, 3);
}

std::string before_cell(const SweepPoint& point) {
  if (point.status != PointStatus::ok) return why_not(point);
  return before_in_mib(point.measurement.before_backward);
}

// Also beyond the edge, with a mark there.
std::string predicted_cell(const SweepPoint& point) {
  if (!point.prediction.known()) return text::kNoNumber;
  return in_mib(point.prediction.peak_allocated) + (point.prediction.oom() ? " OOM" : "");
}

std::string predicted_before_cell(const SweepPoint& point) {
  return before_in_mib(point.prediction.before_backward);
}

bool has_passes(const Sweep& sweep) {
  return std::ranges::any_of(sweep.points(), [](const SweepPoint& point) {
    return point.measurement.forward_ms >= 0 && point.measurement.backward_ms >= 0;
  });
}

bool has_optimizer(const Sweep& sweep) {
  return std::ranges::any_of(
      sweep.points(), [](const SweepPoint& point) { return point.measurement.optimizer_ms >= 0; });
}

// The exercises on attention ask for it beside the peak.
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

// The data of one row of the full table.
struct FullRow {
  const Sweep& sweep;
  std::size_t index = 0;
  const SweepPoint& point;
  const PointMeasurement& m;
  const std::optional<PointTheory>& theory;
};

std::string settled_cell(const FullRow& row) {
  if (row.m.step.n == 0) return {};
  return row.m.step.settled ? "yes" : "no";
}

// The columns after the series and the axes.
constexpr auto kFullColumns = std::to_array<io::TextColumn<FullRow>>({
    {"status", [](const FullRow& row) { return std::string(to_string(row.point.status)); }},
    {"measured", [](const FullRow& row) { return std::string(row.point.measured ? "yes" : "no"); }},
    {"n",
     [](const FullRow& row) {
       return row.m.step.n > 0 ? std::to_string(row.m.step.n) : std::string();
     }},
    {"step_ms_median", [](const FullRow& row) { return plain(row.m.step.median_ms); }},
    {"step_ms_ci95_low", [](const FullRow& row) { return plain(row.m.step.ci95_low_ms); }},
    {"step_ms_ci95_high", [](const FullRow& row) { return plain(row.m.step.ci95_high_ms); }},
    {"step_ms_p90", [](const FullRow& row) { return plain(row.m.step.p90_ms); }},
    {"step_ms_p99", [](const FullRow& row) { return plain(row.m.step.p99_ms); }},
    {"step_ms_mean", [](const FullRow& row) { return plain(row.m.step.mean_ms); }},
    {"step_ms_std", [](const FullRow& row) { return plain(row.m.step.std_ms); }},
    {"forward_ms", [](const FullRow& row) { return plain(row.m.forward_ms); }},
    {"backward_ms", [](const FullRow& row) { return plain(row.m.backward_ms); }},
    {"optimizer_ms", [](const FullRow& row) { return plain(row.m.optimizer_ms); }},
    {"forward_ms_mean", [](const FullRow& row) { return plain(row.m.forward.mean_ms); }},
    {"forward_ms_std", [](const FullRow& row) { return plain(row.m.forward.std_ms); }},
    {"backward_ms_mean", [](const FullRow& row) { return plain(row.m.backward.mean_ms); }},
    {"backward_ms_std", [](const FullRow& row) { return plain(row.m.backward.std_ms); }},
    {"optimizer_ms_mean", [](const FullRow& row) { return plain(row.m.optimizer.mean_ms); }},
    {"optimizer_ms_std", [](const FullRow& row) { return plain(row.m.optimizer.std_ms); }},
    {"tokens_per_s", [](const FullRow& row) { return plain(row.m.tokens_per_s); }},
    {"samples_per_s", [](const FullRow& row) { return plain(row.m.samples_per_s); }},
    {"tflops_per_s", [](const FullRow& row) { return plain(row.m.tflops_per_s); }},
    {"step_ms_estimated_from_neighbour",
     [](const FullRow& row) { return plain(row.sweep.estimated_step_ms(row.index)); }},
    {"compute_bound_ms",
     [](const FullRow& row) { return above_zero(row.theory, &PointTheory::compute_ms); }},
    {"bandwidth_bound_ms",
     [](const FullRow& row) { return above_zero(row.theory, &PointTheory::memory_ms); }},
    {"flop_per_byte",
     [](const FullRow& row) {
       return row.theory && row.theory->bytes > 0 ? plain(row.theory->intensity()) : std::string();
     }},
    {"faster_than_bound",
     [](const FullRow& row) { return beaten_bound(row.theory, row.point).sentence; }},
    {"peak_allocated_bytes", [](const FullRow& row) { return plain(row.m.peak_allocated); }},
    {"peak_allocated_predicted_bytes",
     [](const FullRow& row) { return plain(row.point.prediction.peak_allocated); }},
    {"before_backward_bytes", [](const FullRow& row) { return plain(row.m.before_backward); }},
    {"before_backward_predicted_bytes",
     [](const FullRow& row) { return plain(row.point.prediction.before_backward); }},
    {"predicted_fit",
     [](const FullRow& row) {
       const PointPrediction& prediction = row.point.prediction;
       return std::string(prediction.known() ? to_string(prediction.fit) : "");
     }},
    {"limit_bytes",
     [](const FullRow& row) {
       return plain(row.point.measured ? row.m.limit : row.point.prediction.capacity);
     }},
    {"backend_ran", [](const FullRow& row) { return row.m.backend_ran; }},
    {"warmup_stable", settled_cell},
    {"reason", [](const FullRow& row) { return row.point.reason.sentence; }},
});

}  // namespace

io::TextTable full_table(const Sweep& sweep) {
  io::TextTable table;
  table.columns = {"series"};
  for (std::size_t i = 0; i < sweep.spec().axes.size(); ++i) {
    table.columns.push_back(axis_name(sweep, i));
  }
  io::add_columns(table, kFullColumns);
  const auto theories = theories_of(sweep);
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    const SweepPoint& point = sweep.points()[i];
    std::vector<std::string> row = {sweep.series()[point.series].label};
    for (const std::int64_t value : point.at) row.push_back(std::to_string(value));
    const FullRow from{
        .sweep = sweep, .index = i, .point = point, .m = point.measurement, .theory = theories[i]};
    io::add_cells(row, kFullColumns, from);
    table.rows.push_back(std::move(row));
  }
  return table;
}

namespace {

struct SeriesRow {
  const Sweep& sweep;
  const SweepPoint& point;
  const PointMeasurement& m;
};

constexpr auto kSeriesColumns = std::to_array<io::TextColumn<SeriesRow>>({
    {"series", [](const SeriesRow& row) { return row.sweep.series()[row.point.series].label; }},
    {"ms", [](const SeriesRow& row) { return time_cell(row.point); }, true},
    {"std ms", [](const SeriesRow& row) { return shown(row.m.step.std_ms); }, true},
    {"parameters",
     [](const SeriesRow& row) {
       return row.m.parameters > 0 ? text::grouped(row.m.parameters) : text::kNoNumber;
     },
     true},
    {"forward mean ms", [](const SeriesRow& row) { return shown(row.m.forward.mean_ms); }, true},
    {"forward std ms", [](const SeriesRow& row) { return shown(row.m.forward.std_ms); }, true},
    {"backward mean ms", [](const SeriesRow& row) { return shown(row.m.backward.mean_ms); }, true},
    {"backward std ms", [](const SeriesRow& row) { return shown(row.m.backward.std_ms); }, true},
    {"optimizer mean ms", [](const SeriesRow& row) { return shown(row.m.optimizer.mean_ms); },
     true},
    {"optimizer std ms", [](const SeriesRow& row) { return shown(row.m.optimizer.std_ms); }, true},
    {"tokens/s", [](const SeriesRow& row) { return tokens_cell(row.point); }, true},
    {"MiB allocated", [](const SeriesRow& row) { return memory_cell(row.point); }, true},
    {"MiB allocated, predicted", [](const SeriesRow& row) { return predicted_cell(row.point); },
     true},
});

// For a single place: a row for each series, such as the sizes of a model.
io::TextTable table_of_series(const Sweep& sweep) {
  io::TextTable table;
  io::add_columns(table, kSeriesColumns);
  for (const SweepPoint& point : sweep.points()) {
    io::add_cells(table.rows.emplace_back(), kSeriesColumns,
                  SeriesRow{sweep, point, point.measurement});
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
  std::vector<std::pair<const char*, Cell>> groups = {{" ms", time_cell}};
  if (has_passes(sweep)) {
    groups.emplace_back(" forward ms", part_cell<&PointMeasurement::forward_ms>);
    groups.emplace_back(" backward ms", part_cell<&PointMeasurement::backward_ms>);
  }
  if (has_optimizer(sweep))
    groups.emplace_back(" optimizer ms", part_cell<&PointMeasurement::optimizer_ms>);
  groups.emplace_back(" tokens/s", tokens_cell);
  groups.emplace_back(" MiB allocated", memory_cell);
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

std::string point_text(const Sweep& sweep, const SweepPoint& point) {
  std::string words = sweep.series()[point.series].label;
  for (std::size_t i = 0; i < point.at.size(); ++i) {
    words += (words.empty() ? "" : ", ") + axis_name(sweep, i) + " = " + text::grouped(point.at[i]);
  }
  return words;
}

std::string sweep_markdown(const Sweep& sweep, const std::string& caption, FitRange range) {
  std::string out = caption + "\n\n" + io::to_markdown(homework_table(sweep)) + "\n";
  const auto sentences = sentences_of(sweep, range);
  for (const base::Message& one : sentences) out += "- " + one.sentence + "\n";
  if (!sentences.empty()) out += "\n";
  return out + io::to_markdown(full_table(sweep));
}

std::string sweep_latex(const Sweep& sweep, const std::string& caption, FitRange range) {
  std::string out = "% needs \\usepackage{booktabs}\n" +
                    io::to_latex(homework_table(sweep), caption, "tab:sweep");
  const auto sentences = sentences_of(sweep, range);
  if (sentences.empty()) return out;
  out += "\\begin{itemize}\n";
  for (const base::Message& one : sentences) {
    out += "  \\item " + io::latex_escaped(one.sentence) + "\n";
  }
  return out + "\\end{itemize}\n";
}

}  // namespace ts::sweep
