#include "core/report/kernel_bench.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/run/step_summary.h"
#include "core/spec/presets.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::report {

namespace {

std::string share_of(const Roofs& roofs, const KernelPoint& point, double ms) {
  if (roofs.tflops <= 0) return {};
  return text::decimal(100 * tflops_of(point, ms) / roofs.tflops, 0) + " %";
}

std::string interval(const KernelPoint& point) {
  const auto& ci95 = point.ratio.ci95;
  if (!ci95) return {};
  return text::decimal(1 / ci95->high, 2) + " to " + text::decimal(1 / ci95->low, 2);
}

double least_speed(const std::vector<KernelPoint>& points) {
  return std::ranges::min(points, {}, &KernelPoint::speed).speed();
}

// "weighted_sum", "norm layernorm"
std::string operator_of(const spec::WorkloadSpec& spec) {
  std::string name = to_string(spec.workload);
  if (spec.workload != spec::WorkloadKind::norm) return name;
  return name + " " + field_text(spec, spec::Field::norm);
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

double tflops_of(const KernelPoint& point, double ms) {
  return spec::step_flops(point.spec, point.spec.backend).total() / (ms * 1e-3) * 1e-12;
}

std::vector<spec::WorkloadSpec> kernel_bench_specs(const spec::WorkloadSpec& base,
                                                   const std::vector<std::int64_t>& lengths) {
  constexpr std::int64_t kTokens = 16384;  // of all heads
  std::vector<spec::WorkloadSpec> specs;
  for (const spec::Pass pass : {spec::Pass::forward, spec::Pass::forward_backward}) {
    for (const std::int64_t length : lengths) {
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

std::vector<spec::WorkloadSpec> operator_bench_specs(const spec::WorkloadSpec& base) {
  using spec::WorkloadKind, spec::NormKind, spec::Pass, spec::DataType;
  struct Operator {
    WorkloadKind workload;
    NormKind norm = NormKind::rmsnorm;
  };
  constexpr std::array kOperators = {
      Operator{WorkloadKind::weighted_sum}, Operator{WorkloadKind::norm},
      Operator{WorkloadKind::norm, NormKind::layernorm}, Operator{WorkloadKind::softmax},
      Operator{WorkloadKind::cross_entropy}};
  std::vector<spec::WorkloadSpec> specs;
  for (const Operator& one : kOperators) {
    for (const DataType type : {DataType::fp32, DataType::bf16}) {
      for (const Pass pass : {Pass::forward, Pass::forward_backward}) {
        // Logits alone are a product.
        if (one.workload == WorkloadKind::cross_entropy && pass == Pass::forward) continue;
        spec::WorkloadSpec spec = base;
        spec::choose_workload(one.workload, spec);
        spec.norm = one.norm;
        spec.dtype = type;
        spec.pass = pass;
        spec.kernels = spec::Kernels::own;
        specs.push_back(spec);
      }
    }
  }
  return specs;
}

run::Protocol bench_protocol() {
  run::Protocol protocol = run::comparison_protocol();
  protocol.max_warmup_s = 1;
  protocol.min_samples = 6;  // the fewest of an interval
  protocol.budget_s = 2;
  protocol.hard_budget_s = 40;
  protocol.target_ci = 0.03;
  return protocol;
}

KernelPoint kernel_point(const run::Comparison& comparison) {
  const auto median = [](const run::ComparedSide& side) {
    return run::summarise_steps(side.timed_steps, &run::StepTimes::total_ns).median_ms;
  };
  const auto& [theirs, ours] = comparison.sides;
  return {.spec = ours.spec,
          .ours_ms = median(ours),
          .theirs_ms = median(theirs),
          .ours_peak = ours.peak,
          .theirs_peak = theirs.peak,
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

std::string size_text(const spec::WorkloadSpec& spec) {
  std::string words = operator_of(spec) + ", " + to_string(spec.dtype);
  if (spec.workload == spec::WorkloadKind::attention) {
    words = "T " + text::grouped(spec.seq_len) + ", d_head " + std::to_string(spec.d_head) +
            (spec.causal ? ", causal" : ", full");
  }
  return words + ", " + to_string(spec.pass);
}

void raise_to(Roofs& roofs, const KernelPoint& point) {
  const double fastest = std::min(point.ours_ms, point.theirs_ms);
  if (roofs.tflops <= 0 || fastest <= 0) return;
  const double reached = tflops_of(point, fastest);
  if (reached <= roofs.tflops) return;
  constexpr const char* kReached = "roof.reached";
  if (roofs.source.key != kReached) {
    roofs.source = text::message(kReached, {{"tflops", text::decimal(roofs.tflops, 3)},
                                            text::argument("product", roofs.source)});
  }
  roofs.tflops = reached;
}

Roofs KernelBench::reached_roofs() const {
  Roofs reached = roofs;
  for (const KernelPoint& point : points) raise_to(reached, point);
  return reached;
}

io::TextTable kernel_table(const KernelBench& bench) {
  io::TextTable table{
      .columns = {"pass", "mask", "T", "d_head", "heads", "flash", "ours", "times as fast",
                  "95 % CI", "of the roof", "flash of the roof"},
      .right = {false, false, true, true, true, true, true, true, true, true, true}};
  const Roofs roofs = bench.reached_roofs();
  for (const KernelPoint& point : bench.points) {
    table.rows.push_back(
        {to_string(point.spec.pass), point.spec.causal ? "causal" : "full",
         text::grouped(point.spec.seq_len), std::to_string(point.spec.d_head),
         std::to_string(point.spec.heads), text::duration_ms(point.theirs_ms).joined(),
         text::duration_ms(point.ours_ms).joined(), text::decimal(point.speed(), 2),
         interval(point), share_of(roofs, point, point.ours_ms),
         share_of(roofs, point, point.theirs_ms)});
  }
  return table;
}

io::TextTable operator_table(const KernelBench& bench) {
  io::TextTable table;
  table.columns = {"operator", "rows",          "width",   "type",          "pass",    "LibTorch",
                   "ours",     "times as fast", "95 % CI", "LibTorch peak", "our peak"};
  table.right = {false, true, true, false, false, true, true, true, true, true, true};
  for (const KernelPoint& point : bench.operators) {
    const spec::WorkloadSpec& spec = point.spec;
    table.rows.push_back(
        {operator_of(spec), text::grouped(spec.batch * spec.seq_len), text::grouped(spec.d_model),
         to_string(spec.dtype), to_string(spec.pass), text::duration_ms(point.theirs_ms).joined(),
         text::duration_ms(point.ours_ms).joined(), text::decimal(point.speed(), 2),
         interval(point), text::bytes(point.theirs_peak).joined(),
         text::bytes(point.ours_peak).joined()});
  }
  return table;
}

std::string kernel_sentence(const KernelBench& bench) {
  if (bench.points.empty()) return {};
  return text::decimal(mean_speed(bench.points, any), 2) +
         " times as fast as flash in the geometric mean (causal " +
         text::decimal(mean_speed(bench.points, causal), 2) + "), at least " +
         text::decimal(least_speed(bench.points), 2);
}

std::string operator_sentence(const KernelBench& bench) {
  if (bench.operators.empty()) return {};
  return "Operators: " + text::decimal(mean_speed(bench.operators, any), 2) +
         " times as fast as LibTorch's in the geometric mean, at least " +
         text::decimal(least_speed(bench.operators), 2);
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
    auto curve = std::ranges::find(curves, name, &run::ResultCurve::name);
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
  return {.x = "length", .y = "speed"};
}

base::Message cut_short_sentence(const CutShort& cut) {
  return text::message("bench_error.cut_short", {{"done", std::to_string(cut.done)},
                                                 {"all", std::to_string(cut.all)},
                                                 text::argument("reason", cut.reason)});
}

nlohmann::json to_json(const std::optional<CutShort>& cut) {
  if (!cut) return nullptr;
  return {{"done", cut->done}, {"of", cut->all}, {"reason", cut->reason.sentence}};
}

nlohmann::json to_json(const KernelPoint& point, const char* theirs) {
  nlohmann::json ci95 = nullptr;
  if (point.ratio.ci95) ci95 = {1 / point.ratio.ci95->high, 1 / point.ratio.ci95->low};
  return {{"spec", to_json(point.spec)}, {"ours_ms", point.ours_ms}, {theirs, point.theirs_ms},
          {"speed", point.speed()},      {"speed_ci95", ci95},       {"pairs", point.ratio.pairs}};
}

base::Result<KernelPoint> kernel_point_from_json(const nlohmann::json& json, const char* theirs) {
  try {
    TS_TRY(const auto spec, spec::spec_from_json(json.at("spec")));
    KernelPoint point{.spec = spec,
                      .ours_ms = json.at("ours_ms").get<double>(),
                      .theirs_ms = json.at(theirs).get<double>(),
                      .ratio = {.pairs = json.at("pairs").get<std::int32_t>(),
                                .median = 1 / json.at("speed").get<double>()}};
    const nlohmann::json& ci95 = json.at("speed_ci95");
    if (!ci95.is_null()) point.ratio.ci95 = {1 / ci95[1].get<double>(), 1 / ci95[0].get<double>()};
    return point;
  } catch (const nlohmann::json::exception& error) {
    return base::fail(error.what());
  }
}

nlohmann::json to_json(const KernelBench& bench, const nlohmann::json& environment) {
  nlohmann::json points = nlohmann::json::array(), operators = nlohmann::json::array();
  for (const KernelPoint& point : bench.points) {
    nlohmann::json json = to_json(point, "flash_ms");
    json["tflops"] = tflops_of(point, point.ours_ms);
    json["flash_tflops"] = tflops_of(point, point.theirs_ms);
    points.push_back(std::move(json));
  }
  for (const KernelPoint& point : bench.operators) {
    nlohmann::json json = to_json(point, "torch_ms");
    json["peak_bytes"] = point.ours_peak;
    json["torch_peak_bytes"] = point.theirs_peak;
    operators.push_back(std::move(json));
  }
  return {{"sentence", kernel_sentence(bench)},
          {"geometric_mean", mean_speed(bench.points, any)},
          {"geometric_mean_causal", mean_speed(bench.points, causal)},
          {"roof", to_json(bench.roofs)},
          {"points", std::move(points)},
          {"operators_sentence", operator_sentence(bench)},
          {"operators_geometric_mean", mean_speed(bench.operators, any)},
          {"operators", std::move(operators)},
          {"environment", environment}};
}

}  // namespace ts::report
