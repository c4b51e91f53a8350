#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/base/result.h"
#include "core/io/text_table.h"
#include "core/report/roofs.h"
#include "core/run/compare.h"
#include "core/spec/workload_traits.h"

// Our kernels timed against PyTorch's operators, by turns: attention against flash over sizes, and
// the operators that the setting `kernels` changes, each alone.
namespace ts::report {

// One size. `ratio` is that of the step times, ours / theirs.
struct KernelPoint {
  spec::WorkloadSpec spec;  // with our kernel
  double ours_ms = 0;       // medians
  double theirs_ms = 0;
  std::int64_t ours_peak = 0;  // bytes, over all steps
  std::int64_t theirs_peak = 0;
  stats::PairedRatio ratio;
  [[nodiscard]] double speed() const { return 1 / ratio.median; }  // times as fast as theirs
};

// Why a benchmark ended before all of its sizes were measured.
struct CutShort {
  std::size_t done = 0, all = 0;  // sizes
  base::Message reason;
};

struct KernelBench {
  std::vector<KernelPoint> points;     // of attention
  std::vector<KernelPoint> operators;  // of the other kernels
  Roofs roofs;                         // of the machine
  // These, raised to the rates of attention.
  [[nodiscard]] Roofs reached_roofs() const;
};

// The sizes of the benchmark: T and d_head, causal or not, forward, and forward with backward.
// `base` gives all other settings; with its `heads`, or fewer where the step would take
// minutes.
std::vector<spec::WorkloadSpec> kernel_bench_specs(const spec::WorkloadSpec& base,
                                                   const std::vector<std::int64_t>& lengths);
// Each operator at the sizes of its first preset, in fp32 and bf16, forward, and forward with
// backward; with our kernels. `base` gives all other settings.
std::vector<spec::WorkloadSpec> operator_bench_specs(const spec::WorkloadSpec& base);
// How long one size may take: on a busy machine no warm-up settles and no interval gets as narrow
// as `comparison_protocol` has it, and there are up to 50 sizes. Every ratio has its interval.
run::Protocol bench_protocol();
// The rate of a step that takes so long, by the FLOPs of its formula.
double tflops_of(const KernelPoint& point, double ms);
// The roof of a machine is the best matrix product of the library, which may have no use for the
// widest vectors of the processor, or ran while others had it: where the step ran faster with one
// of the two kernels this is the roof, and `source` says so.
void raise_to(Roofs& roofs, const KernelPoint& point);
// A comparison of PyTorch's (A) with ours (B) as a point.
KernelPoint kernel_point(const run::Comparison& comparison);

// The geometric mean of the speeds of some points; 0 without points.
double mean_speed(const std::vector<KernelPoint>& points, bool (*counts)(const KernelPoint&));

// "norm rmsnorm, bf16, forward" or "T 512, d_head 64, causal, forward"
std::string size_text(const spec::WorkloadSpec& spec);
io::TextTable kernel_table(const KernelBench& bench);
// Time and peak memory of each operator, PyTorch's and ours.
io::TextTable operator_table(const KernelBench& bench);
// "1.42 times as fast as flash in the geometric mean (causal 1.61), at least 1.08"
std::string kernel_sentence(const KernelBench& bench);
// "Operators: 1.80 times as fast as LibTorch's in the geometric mean, at least 1.02"
std::string operator_sentence(const KernelBench& bench);
// Speed over T: a line for each pass, d_head and mask.
std::vector<run::ResultCurve> kernel_curves(const KernelBench& bench);
spec::CurveAxes kernel_axes();
// "Cut short after 3 of 50 sizes: Cancelled"
base::Message cut_short_sentence(const CutShort& cut);
// {done, of, reason}; null where nothing was cut.
nlohmann::json to_json(const std::optional<CutShort>& cut);

// {spec, ours_ms, THEIRS, speed, speed_ci95, pairs}. Reading: the error says why it is none.
nlohmann::json to_json(const KernelPoint& point, const char* theirs);
base::Result<KernelPoint> kernel_point_from_json(const nlohmann::json& json, const char* theirs);
nlohmann::json to_json(const KernelBench& bench, const nlohmann::json& environment);

}  // namespace ts::report
