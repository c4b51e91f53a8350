#include "core/report/recording_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/memory/left_over.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "core/stats/module_tree.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::report {
namespace {

// The thresholds of the course.
constexpr double kGoodBusy = 85;  // percent
constexpr double kPoorBusy = 70;
constexpr double kShortKernelNs = 5000;
constexpr double kMostShortKernels = 20;  // of a layer
constexpr double kMostSoftmax = 15;       // percent of attention
constexpr double kMostFragmented = 20;    // percent

std::string percent_of(double part, double whole) {
  return text::decimal(100 * part / whole, 1);
}

bool sixteen_bits(const spec::WorkloadSpec& spec) {
  const spec::DataType type = spec::compute_type(spec);
  return type == spec::DataType::fp16 || type == spec::DataType::bf16;
}

// Operators of softmax, and all operators, of the modules that are attention. Nanoseconds.
struct AttentionTime {
  std::int64_t softmax = 0;
  std::int64_t all = 0;
};
AttentionTime attention_time(const Recorded& recorded) {
  const stats::ModuleTree tree =
      stats::module_tree(recorded.run.trace, recorded.run.memory, recorded.strings);
  std::vector<bool> attends(tree.nodes.size(), false);
  AttentionTime time;
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const stats::ModuleNode& node = tree.nodes[i];
    attends[i] = attends[node.parent] ||
                 (!node.is_operator && (node.name == "attention" || node.name == "attn"));
    if (!attends[i] || !node.is_operator) continue;
    time.all += node.total_ns();
    if (trace::classify_operator(node.name) == trace::SliceClass::softmax)
      time.softmax += node.total_ns();
  }
  return time;
}

// The thresholds of the course; tf32 has as many bits as fp16.
double most_value_error(spec::DataType type) {
  switch (type) {
    case spec::DataType::fp32:
      return 1e-5;
    case spec::DataType::bf16:
      return 2e-2;
    default:
      return 2e-3;
  }
}

}  // namespace

Recorded recorded_of(const run::Run& run, const base::StringTable& strings) {
  return {run, strings, stats::operator_table(run.trace, run.memory, strings, stats::GroupBy::op),
          stats::kernel_table(run.trace, run.launches, strings)};
}

std::optional<double> operators_percent(const Recorded& recorded) {
  std::int64_t steps_ns = 0;
  for (const run::StepTimes& step : recorded.run.recorded_steps) steps_ns += step.total_ns;
  if (recorded.run.spec.device != spec::DeviceKind::cpu || steps_ns <= 0) return std::nullopt;
  return 100 * static_cast<double>(recorded.operators.operators_ns) / static_cast<double>(steps_ns);
}

std::optional<double> attention_percent(const Recorded& recorded) {
  const std::int64_t all = recorded.operators.operators_ns;
  const bool there = recorded.run.spec.device == spec::DeviceKind::cpu &&
                     !recorded.run.facts.backend_ran.empty() && all > 0;
  if (!there) return std::nullopt;
  return 100 * static_cast<double>(attention_time(recorded).all) / static_cast<double>(all);
}

Finding gpu_busy(const Recorded& recorded) {
  std::int64_t busy = 0;
  std::int64_t span = 0;
  for (const stats::DeviceUse& device : recorded.kernels.devices) {
    busy += device.busy_ns;
    span += device.span_ns;
  }
  if (span <= 0) return std::nullopt;
  const double percent = 100 * static_cast<double>(busy) / static_cast<double>(span);
  return {{passed_if(percent >= kGoodBusy,
                     percent >= kPoorBusy ? CheckState::noted : CheckState::failed),
           text::message("check.busy", {{"percent", text::decimal(percent, 1)},
                                        {"least", text::decimal(kGoodBusy, 0)}})}};
}

Finding tensor_cores(const Recorded& recorded) {
  if (!sixteen_bits(recorded.run.spec)) return std::nullopt;
  std::int64_t on = 0;
  std::int64_t all = 0;
  for (const stats::KernelRow& row : recorded.kernels.rows) {
    if (row.slice_class != trace::SliceClass::matmul) continue;
    if (row.tensor_cores == trace::TensorCores::unknown) continue;
    all += row.total_ns;
    if (row.tensor_cores == trace::TensorCores::yes) on += row.total_ns;
  }
  if (all == 0) return std::nullopt;
  return {{passed_if(on == all),
           text::message(
               "check.tensor_cores",
               {{"percent", percent_of(static_cast<double>(on), static_cast<double>(all))}})}};
}

// By the median of each kernel.
Finding short_kernels(const Recorded& recorded) {
  if (recorded.kernels.rows.empty() || recorded.kernels.steps == 0) return std::nullopt;
  std::int64_t calls = 0;
  for (const stats::KernelRow& row : recorded.kernels.rows) {
    if (row.p50_ns < kShortKernelNs) calls += row.calls;
  }
  const spec::WorkloadSpec& spec = recorded.run.spec;
  const std::int64_t layers = std::max<std::int64_t>(1, spec::attention_count(spec));
  const double of_a_layer =
      static_cast<double>(calls) / static_cast<double>(recorded.kernels.steps * layers);
  return {{passed_if(of_a_layer <= kMostShortKernels, CheckState::noted),
           text::message("check.short_kernels", {{"count", text::decimal(of_a_layer, 1)},
                                                 {"most", text::decimal(kMostShortKernels, 0)}})}};
}

// By operators: on a GPU their times are those of the calls, which say nothing of the kernels.
Finding softmax_share(const Recorded& recorded) {
  if (recorded.run.spec.device != spec::DeviceKind::cpu || recorded.run.facts.backend_ran.empty())
    return std::nullopt;
  const AttentionTime time = attention_time(recorded);
  if (time.all == 0) return std::nullopt;
  const double percent = 100 * static_cast<double>(time.softmax) / static_cast<double>(time.all);
  return {{passed_if(percent <= kMostSoftmax, CheckState::noted),
           text::message("check.softmax", {{"percent", text::decimal(percent, 1)},
                                           {"most", text::decimal(kMostSoftmax, 0)}})}};
}

// item(), and what is built on it. On a CPU nothing waits for it.
Finding host_reads(const Recorded& recorded) {
  const std::int64_t steps = recorded.operators.steps;
  const bool waits = recorded.run.spec.device == spec::DeviceKind::cuda;
  if (!waits || steps == 0 || recorded.operators.rows.empty()) return std::nullopt;
  std::int64_t calls = 0;
  for (const stats::OperatorRow& row : recorded.operators.rows) {
    if (recorded.strings.view(row.name) == "aten::_local_scalar_dense") calls += row.calls;
  }
  return {{passed_if(calls == 0),
           text::message(
               "check.host_reads",
               {{"count",
                 text::decimal(static_cast<double>(calls) / static_cast<double>(steps), 1)}})}};
}

Finding fragmentation(const Recorded& recorded) {
  const std::int64_t reserved = recorded.run.memory.peak_reserved();
  if (recorded.run.spec.device == spec::DeviceKind::cpu || reserved <= 0) return std::nullopt;
  const std::int64_t unused = reserved - recorded.run.peak_allocated();
  const double percent = 100 * static_cast<double>(unused) / static_cast<double>(reserved);
  return {{passed_if(percent < kMostFragmented, CheckState::noted),
           text::message("check.fragmentation", {{"percent", text::decimal(percent, 1)},
                                                 {"most", text::decimal(kMostFragmented, 0)}})}};
}

Finding left_over(const Recorded& recorded) {
  const auto left = memory::left_over(recorded.run.memory);
  if (!left) return std::nullopt;
  if (left->bytes == 0) return {{CheckState::passed, text::message("check.left_none")}};
  return {{CheckState::failed, text::message(left->growth > 0 ? "check.left_grows" : "check.left",
                                             {{"bytes", text::bytes(left->bytes).joined()},
                                              {"growth", text::bytes(left->growth).joined()}})}};
}

Finding value_errors(const run::Run& run) {
  if (!run.values) return std::nullopt;
  const run::ValueErrors& errors = *run.values;
  if (!errors.not_compared.empty()) return {{CheckState::unknown, errors.not_compared}};
  const spec::DataType type = spec::compute_type(run.spec);
  const double most = most_value_error(type);
  const double worst = std::max(errors.values, errors.gradients.value_or(0));
  // The course holds one attention to it. In 16 bits a model of many layers may be further off and
  // yet learn the same; from 1 on a tensor has nothing of what it should be.
  const bool told = std::isfinite(errors.values) && std::isfinite(errors.gradients.value_or(0));
  const bool wrong = !told || worst >= 1 || !sixteen_bits(run.spec);
  const CheckState state =
      passed_if(told && worst <= most, wrong ? CheckState::failed : CheckState::noted);
  const auto words = [](double error) {
    return std::isfinite(error) ? fmt::format("{:.1e}", error) : std::string("inf");
  };
  std::vector<base::Argument> numbers = {{"values", words(errors.values)},
                                         {"type", to_string(type)},
                                         {"most", fmt::format("{:.0e}", most)}};
  if (!errors.gradients) return {{state, text::message("check.values_forward", numbers)}};
  numbers.emplace_back("gradients", words(*errors.gradients));
  numbers.emplace_back("of", errors.worst_gradient);
  return {{state, text::message("check.values", numbers)}};
}

}  // namespace ts::report
