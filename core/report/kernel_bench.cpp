#include "core/report/kernel_bench.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/run/step_summary.h"
#include "core/spec/workload_math.h"
#include "core/text/numbers.h"

namespace ts::report {

namespace {

double tflops_of(const KernelPoint& point, double ms) {
  return spec::step_flops(point.spec, point.spec.backend).total() / (ms * 1e-3) * 1e-12;
}

std::string share_of(const KernelBench& bench, const KernelPoint& point, double ms) {
  if (bench.roofs.tflops <= 0) return {};
  return text::decimal(100 * tflops_of(point, ms) / bench.roofs.tflops, 0) + " %";
}

bool any(const KernelPoint&) {
  return true;
}
bool causal(const KernelPoint& point) {
  return point.spec.causal;
}

std::string line_of(const KernelPoint& point) {
  return std::string(to_string(point.spec.pass)) + ", d_head " + std::to_string(point.spec.d_head) +
         (point.spec.causal ? ", causal" : ", full");
}

}  // namespace

std::vector<spec::WorkloadSpec> kernel_bench_specs(const spec::WorkloadSpec& base,
                                                   const std::vector<std::int64_t>& lengths) {
  constexpr std::int64_t kLongestBackward = 4096;
  constexpr std::int64_t kTokens = 4 * kLongestBackward;  // of all heads
  std::vector<spec::WorkloadSpec> specs;
  for (const spec::Pass pass : {spec::Pass::forward, spec::Pass::forward_backward}) {
    for (const std::int64_t length : lengths) {
      if (pass != spec::Pass::forward && length > kLongestBackward) continue;
      for (const std::int64_t d_head : {64, 128}) {
        for (const bool causal : {false, true}) {
          spec::WorkloadSpec spec = base;
          spec.backend = spec::AttentionBackend::own;
          spec.pass = pass;
          spec.seq_len = length;
          spec.d_head = d_head;
          spec.causal = causal;
          spec.heads = std::clamp<std::int64_t>(kTokens / length, 1, base.heads);
          specs.push_back(spec);
        }
      }
    }
  }
  return specs;
}

KernelPoint kernel_point(const run::Comparison& comparison) {
  const auto median = [](const run::ComparedSide& side) {
    return run::summarise_steps(side.timed_steps, &run::StepTimes::total_ns).median_ms;
  };
  const auto& [theirs, ours] = comparison.sides;
  return {.spec = ours.spec,
          .ours_ms = median(ours),
          .theirs_ms = median(theirs),
          .ratio = comparison.total};
}

double mean_speed(const std::vector<KernelPoint>& points, bool (*counts)(const KernelPoint&)) {
  double logarithms = 0;
  int count = 0;
  for (const KernelPoint& point : points) {
    if (!counts(point)) continue;
    logarithms += std::log(point.speed());
    ++count;
  }
  return count == 0 ? 0 : std::exp(logarithms / count);
}

io::TextTable kernel_table(const KernelBench& bench) {
  io::TextTable table;
  table.columns = {
      "pass",          "mask",    "T",           "d_head",           "heads", "flash", "ours",
      "times as fast", "95 % CI", "of the roof", "flash of the roof"};
  table.right = {false, false, true, true, true, true, true, true, true, true, true};
  for (const KernelPoint& point : bench.points) {
    const auto& ci95 = point.ratio.ci95;
    const auto ms = [](double value) { return text::duration_ns(value * 1e6).joined(); };
    table.rows.push_back(
        {to_string(point.spec.pass), point.spec.causal ? "causal" : "full",
         text::grouped(point.spec.seq_len), std::to_string(point.spec.d_head),
         std::to_string(point.spec.heads), ms(point.theirs_ms), ms(point.ours_ms),
         text::decimal(point.speed(), 2),
         ci95 ? text::decimal(1 / ci95->high, 2) + " to " + text::decimal(1 / ci95->low, 2) : "",
         share_of(bench, point, point.ours_ms), share_of(bench, point, point.theirs_ms)});
  }
  return table;
}

std::string kernel_sentence(const KernelBench& bench) {
  if (bench.points.empty()) return {};
  const auto slowest = std::min_element(
      bench.points.begin(), bench.points.end(),
      [](const KernelPoint& a, const KernelPoint& b) { return a.speed() < b.speed(); });
  return text::decimal(mean_speed(bench.points, any), 2) +
         " times as fast as flash in the geometric mean (causal " +
         text::decimal(mean_speed(bench.points, causal), 2) + "), at least " +
         text::decimal(slowest->speed(), 2);
}

std::vector<run::ResultCurve> kernel_curves(const KernelBench& bench) {
  std::vector<double> lengths;
  for (const KernelPoint& point : bench.points) {
    lengths.push_back(static_cast<double>(point.spec.seq_len));
  }
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  std::vector<run::ResultCurve> curves;
  for (const KernelPoint& point : bench.points) {
    const std::string name = line_of(point);
    auto curve = std::find_if(curves.begin(), curves.end(),
                              [&](const run::ResultCurve& one) { return one.name == name; });
    if (curve == curves.end()) {
      curves.push_back({name, lengths, std::vector<double>(lengths.size(), std::nan(""))});
      curve = std::prev(curves.end());
    }
    const auto at = std::find(lengths.begin(), lengths.end(), point.spec.seq_len) - lengths.begin();
    curve->y[static_cast<std::size_t>(at)] = point.speed();
  }
  return curves;
}

spec::CurveAxes kernel_axes() {
  return {.x = "length", .y = "speed", .log = false};
}

nlohmann::json to_json(const KernelBench& bench, const nlohmann::json& environment) {
  nlohmann::json points = nlohmann::json::array();
  for (const KernelPoint& point : bench.points) {
    nlohmann::json ci95 = nullptr;
    if (point.ratio.ci95) ci95 = {1 / point.ratio.ci95->high, 1 / point.ratio.ci95->low};
    points.push_back({{"spec", to_json(point.spec)},
                      {"ours_ms", point.ours_ms},
                      {"flash_ms", point.theirs_ms},
                      {"speed", point.speed()},
                      {"speed_ci95", ci95},
                      {"pairs", point.ratio.pairs},
                      {"tflops", tflops_of(point, point.ours_ms)},
                      {"flash_tflops", tflops_of(point, point.theirs_ms)}});
  }
  return {{"sentence", kernel_sentence(bench)},
          {"geometric_mean", mean_speed(bench.points, any)},
          {"geometric_mean_causal", mean_speed(bench.points, causal)},
          {"roof", to_json(bench.roofs)},
          {"points", std::move(points)},
          {"environment", environment}};
}

}  // namespace ts::report
