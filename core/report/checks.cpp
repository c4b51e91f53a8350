#include "core/report/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "core/report/efficiency.h"
#include "core/report/recording_checks.h"
#include "core/report/recording_notes.h"
#include "core/report/roofs.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "core/text/typed_numbers.h"

namespace ts::report {
namespace {

// The thresholds of the course.
constexpr double kMostFirstStep = 1.2;  // times the median
constexpr double kMostSpread = 5;       // percent
constexpr double kMostTail = 1.5;       // P99 over P50
constexpr double kMostFirstLossError = 0.1;
constexpr std::int64_t kShortForFlash = 512;
constexpr std::int64_t kLongForCheckpoint = 1024;
constexpr std::int64_t kTensorCoreMultiple = 8;
constexpr double kFirstWithBf16 = 8.0;  // compute capability
constexpr double kGoodBandwidth = 60;   // percent

std::string number(double value, int decimals) {
  return text::decimal(value, decimals);
}

bool trains(const spec::WorkloadSpec& spec) {
  return spec.pass == spec::Pass::full_step;
}
bool half(spec::DataType type) {
  return type == spec::DataType::fp16 || type == spec::DataType::bf16;
}

Finding reproducible(const run::Run& run) {
  return {{CheckState::passed,
           text::message(
               "check.reproducible",
               {{"seed", std::to_string(run.spec.seed)},
                {"device", run.device_name.empty() ? to_string(run.spec.device) : run.device_name},
                {"dtype", to_string(spec::compute_type(run.spec))}})}};
}

// The engine waits for the device, unless a habit of the spec forbids it; `early` is the time of a
// clock that does not wait.
Finding waited(const run::Run& run) {
  if (spec::habit(run.spec) == spec::Habit::no_sync) {
    const double device_ms = run.timing_of(&run::StepTimes::device_ns).median_ms;
    return {{CheckState::failed,
             text::message(device_ms > 0 ? "check.not_waited" : "check.not_waited_alone",
                           {{"early", number(run.timing().median_ms, 3)},
                            {"device", number(device_ms, 3)}})}};
  }
  const auto early = run.unsynchronised_ms();
  if (!early) return std::nullopt;
  return {{CheckState::passed,
           text::message("check.waited", {{"waited", number(run.timing().median_ms, 3)},
                                          {"early", number(*early, 3)}})}};
}

Finding first_step(const run::Run& run) {
  const run::TimingSummary timing = run.timing();
  if (timing.n < run::Protocol().min_samples) return std::nullopt;
  const double times =
      static_cast<double>(run.timed_steps.front().total_ns) * 1e-6 / timing.median_ms;
  return {{passed_if(times <= kMostFirstStep),
           text::message("check.first_step",
                         {{"times", number(times, 2)}, {"most", number(kMostFirstStep, 1)}})}};
}

Finding spread(const run::Run& run) {
  const run::TimingSummary timing = run.timing();
  if (timing.n < run::Protocol().min_samples || timing.mean_ms <= 0) return std::nullopt;
  const double percent = 100 * timing.std_ms / timing.mean_ms;
  return {{passed_if(percent < kMostSpread),
           text::message("check.spread",
                         {{"percent", number(percent, 1)}, {"most", number(kMostSpread, 0)}})}};
}

Finding tail(const run::Run& run) {
  const run::TimingSummary timing = run.timing();
  if (timing.p99_ms < 0) return std::nullopt;
  const double times = timing.p99_ms / timing.median_ms;
  return {
      {passed_if(times < kMostTail),
       text::message("check.tail", {{"times", number(times, 2)}, {"most", number(kMostTail, 1)}})}};
}

Finding complete_recording(const run::Run& run) {
  return {{passed_if(run.dropped == 0),
           text::message("check.recording", {{"count", text::grouped(run.dropped)}})}};
}

Finding short_flash(const run::Run& run) {
  const spec::WorkloadSpec& spec = run.spec;
  if (run.facts.backend_ran != to_string(spec::AttentionBackend::flash)) return std::nullopt;
  const std::int64_t length = spec::sequence_length(spec);
  return {{passed_if(length > kShortForFlash, CheckState::noted),
           text::message("check.short_flash", {{"T", text::grouped(length)},
                                               {"above", text::grouped(kShortForFlash)}})}};
}

Finding fused_qkv(const run::Run& run) {
  if (!spec::field_applies(run.spec, spec::Field::fused_qkv)) return std::nullopt;
  const bool fused = run.spec.fused_qkv;
  return {{passed_if(fused, CheckState::noted),
           text::message(fused ? "check.qkv_one" : "check.qkv_three")}};
}

Finding recorded_window(const run::Run& run) {
  if (run.recorded_steps.empty()) return std::nullopt;
  return {{CheckState::passed,
           text::message("check.window", {{"steps", std::to_string(run.recorded_steps.size())}})}};
}

Finding monitored(const run::Run& run) {
  if (run.spec.device == spec::DeviceKind::cpu || run.timed_steps.empty()) return std::nullopt;
  const auto watched = std::ranges::count_if(
      run.timed_steps, [](const run::StepTimes& step) { return step.gpu.has_value(); });
  return {{passed_if(watched > 0, CheckState::noted),
           text::message("check.monitored", {{"steps", std::to_string(watched)},
                                             {"count", std::to_string(run.timed_steps.size())}})}};
}

// Packages are made before the run; libraries are loaded by the first steps of a process.
Finding first_uses(const run::Run& run) {
  if (run.timed_steps.empty()) return std::nullopt;
  const bool cold = run::fixed_warmups(run.spec) == 0 && run.earlier_runs == 0;
  return {{passed_if(!cold),
           text::message(cold ? "check.first_uses_timed" : "check.first_uses_before")}};
}

// For a workload whose numbers take longer to move than to compute, by formula.
Finding bandwidth(const run::Run& run) {
  const auto limits = step_limits(run);
  if (!limits || !limits->moves_longer()) return std::nullopt;
  const double peak = roofs_of_run(run).gb_s;
  return {{passed_if(limits->bandwidth_percent > kGoodBandwidth, CheckState::noted),
           text::message("check.bandwidth",
                         {{"reached", number(limits->bandwidth_percent / 100 * peak, 2)},
                          {"peak", number(peak, 1)},
                          {"percent", number(limits->bandwidth_percent, 1)},
                          {"least", number(kGoodBandwidth, 0)}})}};
}

// Sizes of matrix products that 16-bit units take eight at a time.
Finding multiples(const run::Run& run) {
  const spec::WorkloadSpec& spec = run.spec;
  if (!half(spec::compute_type(spec))) return std::nullopt;
  std::string odd;
  for (const spec::Field field :
       {spec::Field::d_model, spec::Field::d_head, spec::Field::d_ff, spec::Field::vocab}) {
    if (!spec::field_applies(spec, field)) continue;
    const std::int64_t size = spec::number_of(spec, field);
    if (size % kTensorCoreMultiple == 0) continue;
    odd += (odd.empty() ? "" : ", ") + fmt::format("{} = {}", spec::field_name(field), size);
  }
  if (odd.empty()) return {{CheckState::passed, text::message("check.multiples")}};
  return {{CheckState::failed, text::message("check.multiples_odd", {{"sizes", odd}})}};
}

Finding backend(const run::Run& run) {
  const spec::AttentionBackend asked = run.spec.backend;
  if (run.facts.backend_ran.empty() || asked == spec::AttentionBackend::automatic)
    return std::nullopt;
  return {{passed_if(run.facts.backend_ran == to_string(asked)),
           text::message("check.backend",
                         {{"asked", to_string(asked)}, {"ran", run.facts.backend_ran}})}};
}

// For an untrained model: all tokens are about equally likely.
Finding first_loss(const run::Run& run) {
  const spec::WorkloadSpec& spec = run.spec;
  const auto& steps = run::fixed_warmups(spec) && !run.warmup_steps.empty() ? run.warmup_steps
                      : run::fixed_warmups(spec)                            ? run.timed_steps
                                                                            : run.recorded_steps;
  const bool random = spec.workload == spec::WorkloadKind::lm && spec.corpus.empty();
  if (!random || !trains(spec) || steps.empty()) return std::nullopt;
  const double expected = std::log(static_cast<double>(spec.vocab));
  const double error = std::abs(steps.front().loss - expected);
  return {{passed_if(error <= kMostFirstLossError, CheckState::noted),
           text::message("check.first_loss", {{"loss", number(steps.front().loss, 3)},
                                              {"expected", number(expected, 3)},
                                              {"most", number(kMostFirstLossError, 1)}})}};
}

Finding utilisation(const run::Run& run) {
  const auto all = utilisations(run);
  if (all.empty()) return std::nullopt;
  const auto highest = std::ranges::max_element(all, {}, &Utilisation::share);
  return {{passed_if(highest->share <= 1),
           text::message("check.utilisation", {{"percent", number(100 * highest->share, 1)},
                                               text::argument("peak", highest->peak.source)})}};
}

Finding traced(const run::Run& run) {
  const auto cost = run.recording_cost();
  if (!cost) return std::nullopt;
  const std::string percent = number(cost->percent, 1);
  const std::string most = number(kLeastCostShown, 0);
  if (recording_is_costly(run)) {
    return {{CheckState::failed,
             text::message("check.traced", {{"percent", percent}, {"most", most}})}};
  }
  // An interval that reaches over the threshold proves neither.
  const bool under = cost->ci95 && cost->ci95->high < kLeastCostShown;
  return {{passed_if(under, CheckState::noted),
           text::message(under ? "check.traced" : "check.traced_unclear",
                         {{"percent", percent}, {"most", most}})}};
}

Finding bf16(const run::Run& run) {
  const spec::DataType type = spec::compute_type(run.spec);
  if (!run.card || !half(type)) return std::nullopt;
  const std::string& capability = run.card->compute_capability;
  const auto number = text::parse_real(capability);
  if (!number) return std::nullopt;
  const bool has = *number >= kFirstWithBf16;
  const bool is = type == spec::DataType::bf16;
  return {{has == is ? CheckState::passed
           : is      ? CheckState::failed
                     : CheckState::noted,
           text::message("check.bf16", {{"type", to_string(type)}, {"capability", capability}})}};
}

Finding scaler(const run::Run& run) {
  if (!trains(run.spec)) return std::nullopt;
  const spec::DataType type = spec::compute_type(run.spec);
  const bool scales = spec::scales_loss(run.spec);
  return {{passed_if(scales == (type == spec::DataType::fp16)),
           text::message(scales ? "check.scaler_on" : "check.scaler_off",
                         {{"type", to_string(type)}})}};
}

Finding checkpoint(const run::Run& run) {
  const spec::WorkloadSpec& spec = run.spec;
  if (!spec::field_applies(spec, spec::Field::checkpoint)) return std::nullopt;
  const bool on = spec::checkpointing(spec) != spec::Checkpoint::off;
  const std::int64_t length = spec::sequence_length(spec);
  const bool good = on || length <= kLongForCheckpoint;
  return {{passed_if(good, CheckState::noted),
           text::message(
               on ? "check.checkpoint_on" : "check.checkpoint_off",
               {{"T", text::grouped(length)}, {"above", text::grouped(kLongForCheckpoint)}})}};
}

// The engine keeps the order unless a habit of the spec changes it; then the numbers show the
// effect.
Finding order(const run::Run& run) {
  const auto failed = [](const char* key, std::vector<base::Argument> arguments = {}) {
    return Finding{{CheckState::failed, text::message(key, std::move(arguments))}};
  };
  const auto norm = [&]() -> std::string {
    if (run.timed_steps.empty() || !run.timed_steps.back().gradient_norm) return "?";
    return fmt::format("{:.4g}", *run.timed_steps.back().gradient_norm);
  };
  switch (spec::habit(run.spec)) {
    case spec::Habit::no_zero_grad:
      return failed("check.order_no_zero");
    case spec::Habit::clip_after_step:
      return failed("check.order_clip_after",
                    {{"norm", norm()}, {"clip", text::plain(run.spec.clip)}});
    case spec::Habit::clip_scaled:
      return failed("check.order_clip_scaled",
                    {{"norm", norm()}, {"clip", text::plain(run.spec.clip)}});
    case spec::Habit::rebuild:
      return failed("check.order_rebuild");
    default:
      break;
  }
  if (!trains(run.spec)) return std::nullopt;
  return {{CheckState::passed, text::message("check.order")}};
}

struct Row {
  const char* id;
  const char* why;  // key of the text
  Finding (*look)(const run::Run&) = nullptr;
  Finding (*look_into)(const Recorded&) = nullptr;  // instead
};
constexpr std::array kRows = {
    Row{"C-1", "check.why.reproducible", reproducible},
    Row{"C-2", "check.why.waited", waited},
    Row{"C-3", "check.why.first_step", first_step},
    Row{"C-4", "check.why.spread", spread},
    Row{"C-5", "check.why.tail", tail},
    Row{"C-7", "check.why.busy", nullptr, gpu_busy},
    Row{"C-8", "check.why.recording", complete_recording},
    Row{"C-11", "check.why.short_flash", short_flash},
    Row{"C-12", "check.why.multiples", multiples},
    Row{"C-12", "check.why.tensor_cores", nullptr, tensor_cores},
    Row{"C-13", "check.why.short_kernels", nullptr, short_kernels},
    Row{"C-14", "check.why.softmax", nullptr, softmax_share},
    Row{"C-15", "check.why.qkv", fused_qkv},
    Row{"C-16", "check.why.host_reads", nullptr, host_reads},
    Row{"C-18", "check.why.window", recorded_window},
    Row{"C-19", "check.why.monitored", monitored},
    Row{"C-20", "check.why.fragmentation", nullptr, fragmentation},
    Row{"C-25", "check.why.backend", backend},
    Row{"C-26", "check.why.values", value_errors},
    Row{"C-28", "check.why.first_uses", first_uses},
    Row{"C-29", "check.why.left", nullptr, left_over},
    Row{"C-30", "check.why.first_loss", first_loss},
    Row{"C-31", "check.why.utilisation", utilisation},
    Row{"C-32", "check.why.traced", traced},
    Row{"C-33", "check.why.bf16", bf16},
    Row{"C-33", "check.why.scaler", scaler},
    Row{"C-33", "check.why.checkpoint", checkpoint},
    Row{"C-34", "check.why.order", order},
    Row{"C-35", "check.why.bandwidth", bandwidth},
};

}  // namespace

const char* to_string(CheckState state) {
  constexpr std::array kNames = {"passed", "noted", "failed", "unknown"};
  return kNames[static_cast<std::size_t>(state)];
}

base::Message title_of_check(const char* id) {
  return text::message("check.title." + std::string(id));
}

std::vector<CheckResult> checks_of(const run::Run& run, const base::StringTable& strings) {
  std::vector<CheckResult> found;
  if (!run.finished || run.verdict != run::Verdict::ok) return found;
  const Recorded recorded = recorded_of(run, strings);
  for (const Row& row : kRows) {
    auto one = row.look != nullptr ? row.look(run) : row.look_into(recorded);
    if (!one) continue;
    const bool told = one->first != CheckState::unknown;
    base::Message title = title_of_check(row.id);
    base::Message why = told ? text::message(row.why) : title;
    found.push_back({.id = row.id,
                     .state = one->first,
                     .found = std::move(one->second),
                     .why = std::move(why),
                     .title = std::move(title)});
  }
  return found;
}

nlohmann::json to_json(std::span<const CheckResult> checks) {
  auto list = nlohmann::json::array();
  for (const CheckResult& one : checks) {
    list.push_back({{"check", one.id},
                    {"title", one.title.sentence},
                    {"state", to_string(one.state)},
                    {"found", one.found.sentence},
                    {"found_text", text::text_json(one.found)},
                    {"why", one.why.sentence},
                    {"why_text", text::text_json(one.why)}});
  }
  return list;
}

io::TextTable checks_table(const std::vector<CheckResult>& checks) {
  io::TextTable table{.columns = {"check", "state", "found", "why"},
                      .right = {false, false, false, false}};
  for (const CheckResult& one : checks)
    table.rows.push_back({one.id, to_string(one.state), one.found.sentence, one.why.sentence});
  return table;
}

}  // namespace ts::report
