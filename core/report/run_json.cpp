#include "core/report/run_json.h"

#include <nlohmann/json.hpp>

#include "core/io/json_values.h"
#include "core/memory/before_backward.h"
#include "core/memory/first_step.h"
#include "core/report/checks.h"
#include "core/report/efficiency.h"
#include "core/report/kernel_report.h"
#include "core/report/recording_checks.h"
#include "core/report/recording_notes.h"
#include "core/report/result_curves.h"
#include "core/report/roofs.h"
#include "core/report/training_summary.h"
#include "core/run/gpu_state.h"
#include "core/run/protocol_json.h"
#include "core/spec/workload_traits.h"
#include "core/text/message.h"

namespace ts::report {

namespace {

nlohmann::json part_json(const run::Run& run, std::int64_t run::StepTimes::*part) {
  const run::TimingSummary summary = run.timing_of(part);
  if (summary.n == 0) return nullptr;
  return to_json(summary);
}

nlohmann::json compression_json(const run::CompressionFacts& facts) {
  if (facts.elements == 0) return nullptr;
  return {{"elements", facts.elements}, {"sent", facts.sent}, {"left_out", facts.left_out}};
}

nlohmann::json rank_json(const run::RankFacts& rank) {
  if (rank.size == 0) return nullptr;
  return {{"rank", rank.rank},
          {"ranks", rank.size},
          {"clock_offset_ns", rank.clock_offset_ns},
          {"round_trip_ns", rank.round_trip_ns},
          {"buckets", rank.buckets},
          {"compression", compression_json(rank.compression)}};
}

nlohmann::json generated_json(const run::Run& run) {
  if (run.facts.generated.empty()) return nullptr;
  return {{"tokens", run.facts.generated}, {"text", io::text_or_null(run.facts.generated_text)}};
}

nlohmann::json results_json(const run::Run& run) {
  if (run.facts.results.empty()) return nullptr;
  auto list = nlohmann::json::array();
  for (const run::NamedNumber& one : run.facts.results) {
    list.push_back(
        {{"name", one.name},
         {"value", one.value},
         {"exact", one.exact},
         {"error_percent",
          one.exact != 0 ? nlohmann::json((one.value / one.exact - 1) * 100) : nlohmann::json()}});
  }
  return list;
}

nlohmann::json curves_json(const run::Run& run) {
  if (run.facts.curves.empty()) return nullptr;
  const spec::CurveAxes& axes = spec::traits_of(run.spec.workload).curves;
  auto list = nlohmann::json::array();
  for (const run::ResultCurve& one : run.facts.curves) {
    list.push_back({{"name", one.name},
                    {"x", one.x},
                    {"y", one.y},
                    {"largest", io::known(largest_of(run.facts, one.name))}});
  }
  return {{"x", axes.x}, {"y", axes.y}, {"of", std::move(list)}};
}

nlohmann::json roof_json(const std::optional<run::Roof>& roof) {
  if (!roof) return nullptr;
  return {{"dtype", to_string(roof->dtype)},
          {"size", roof->size},
          {"tflops", roof->tflops},
          {"gb_s", roof->gb_s > 0 ? nlohmann::json(roof->gb_s) : nlohmann::json()}};
}

nlohmann::json value_errors_json(const std::optional<run::ValueErrors>& errors) {
  if (!errors) return nullptr;
  const bool compared = errors->not_compared.empty();
  return {{"reference", compared ? nlohmann::json("fp64") : nlohmann::json()},
          {"not_compared", io::text_or_null(errors->not_compared.sentence)},
          {"error", compared ? io::known(errors->values) : nlohmann::json()},
          {"gradient_error", io::known(errors->gradients)},
          {"worst_gradient", io::text_or_null(errors->worst_gradient)}};
}

nlohmann::json recording_json(const run::Run& run) {
  const auto cost = run.recording_cost();
  if (!cost) return nullptr;
  nlohmann::json ci95 = nullptr;
  if (cost->ci95) ci95 = {cost->ci95->low, cost->ci95->high};
  return {{"percent", cost->percent}, {"ci95", std::move(ci95)}, {"clear", cost->clear()}};
}

nlohmann::json notes_json(const run::Run& run) {
  auto list = nlohmann::json::array();
  for (const base::Message& note : recording_notes(run)) list.push_back(note.sentence);
  return list;
}

// The driver's values of the GPU after the timed steps.
nlohmann::json states_json(const run::Run& run) {
  auto list = nlohmann::json::array();
  for (const run::StepTimes& step : run.timed_steps) {
    if (!step.gpu) continue;
    list.push_back({{"sm_clock_mhz", step.gpu->sm_clock_mhz},
                    {"memory_clock_mhz", step.gpu->memory_clock_mhz},
                    {"temperature_c", step.gpu->temperature_c},
                    {"power_w", step.gpu->power_w},
                    {"throttle", run::throttle_reasons(step.gpu->throttle)},
                    {"used_bytes", step.gpu->used_bytes}});
  }
  return list;
}

nlohmann::json memory_json(const run::Run& run) {
  auto by_category = nlohmann::json::object();
  const memory::EventIndex peak = run.memory.peak_event();
  if (peak != memory::kNone) by_category = category_json(run.memory.by_category_after(peak));
  const auto before = memory::before_backward(run.memory);
  const auto first = memory::first_step(run.memory);
  return {
      {"peak_allocated", run.peak_allocated()},
      {"peak_first_step", first ? nlohmann::json(first->bytes) : nlohmann::json()},
      {"before_backward", before ? nlohmann::json(before->bytes) : nlohmann::json()},
      {"peak_reserved", run.memory.reserved().empty() ? nlohmann::json()
                                                      : nlohmann::json(run.memory.peak_reserved())},
      {"peak_of_records", run.memory.peak_bytes()},
      {"by_category", std::move(by_category)},
      {"events", run.memory.events().size()},
      {"unmatched_frees", run.memory.unmatched_frees()},
      {"limit", run.limit},
      {"limit_source", run.limit_source}};
}

nlohmann::json failure_json(const run::Run& run) {
  if (!run.finished || run.verdict != run::Verdict::oom) return nullptr;
  return {{"bytes_asked", run.failure.bytes_asked},
          {"bytes_free", run.failure.bytes_free},
          {"bytes_limit", run.failure.bytes_limit},
          {"op", io::text_or_null(run.failure.op)},
          {"module", io::text_or_null(run.failure.module)}};
}

nlohmann::json training_json(const run::Run& run) {
  const TrainingSummary summary = training_summary(run);
  if (!summary.loss) return nullptr;
  auto steps = nlohmann::json::array();
  for (const auto& [kind, step] : steps_in_order(run)) {
    steps.push_back({{"kind", kind},
                     {"loss", io::known(step.loss)},
                     {"learning_rate", step.learning_rate},
                     {"gradient_norm", io::known(step.gradient_norm)},
                     {"loss_scale", io::known(step.loss_scale)},
                     {"skipped", step.skipped}});
  }
  return {{"steps", std::move(steps)},
          {"clean_steps",
           summary.clean_steps ? nlohmann::json(*summary.clean_steps) : nlohmann::json()},
          {"learning_rate", io::known(summary.learning_rate)},
          {"gradient_norm", io::known(summary.gradient_norm)},
          {"loss_scale", io::known(summary.loss_scale)},
          {"skipped_steps", summary.skipped_steps},
          {"bad_loss",
           summary.bad_loss ? nlohmann::json(summary.bad_loss->sentence) : nlohmann::json()}};
}

nlohmann::json last_loss(const run::Run& run) {
  return spec::traits_of(run.spec.workload).has_vocabulary ? io::known(training_summary(run).loss)
                                                           : nlohmann::json();
}

}  // namespace

nlohmann::json types_json(std::span<const run::NamedType> types) {
  auto list = nlohmann::json::array();
  for (const run::NamedType& type : types)
    list.push_back({{"name", type.name}, {"type", type.type}});
  return list;
}

nlohmann::json category_json(const memory::CategoryBytes& bytes) {
  auto by_category = nlohmann::json::object();
  for (std::size_t i = 0; i < bytes.size(); ++i) by_category[memory::kCategoryNames[i]] = bytes[i];
  return by_category;
}

nlohmann::json to_json(const run::Run& run, const nlohmann::json& environment) {
  const base::Message said = verdict_sentence(run);
  return {{"spec", to_json(run.spec)},
          {"protocol", to_json(run.protocol)},
          {"verdict", run.finished ? nlohmann::json(to_string(run.verdict)) : nlohmann::json()},
          {"sentence", said.sentence},
          {"text", text::text_json(said)},
          {"reason", io::text_or_null(run.failure.sentence)},
          {"reason_key", io::text_or_null(run.failure.key)},
          {"failure", failure_json(run)},
          {"backend_ran", io::text_or_null(run.facts.backend_ran)},
          {"parameters", run.facts.parameters},
          {"trained_parameters", run.facts.trained},
          {"rank", rank_json(run.facts.rank)},
          {"compile_s", run.facts.compile_s > 0 ? nlohmann::json(run.facts.compile_s) : nullptr},
          {"environment", environment},
          {"step_ms", to_json(run.timing())},
          {"parts_ms",
           {{"forward", part_json(run, &run::StepTimes::forward_ns)},
            {"backward", part_json(run, &run::StepTimes::backward_ns)},
            {"optimizer", part_json(run, &run::StepTimes::optimizer_ns)},
            {"prefill", part_json(run, &run::StepTimes::prefill_ns)},
            {"decode", part_json(run, &run::StepTimes::decode_ns)},
            {"device", part_json(run, &run::StepTimes::device_ns)}}},
          {"gpu_states", states_json(run)},
          {"restart", run.failure.restart},
          {"cache", to_string(run.spec.cache)},
          {"unsynchronised_ms", io::known(run.unsynchronised_ms())},
          {"earlier_runs", run.earlier_runs},
          {"loss", last_loss(run)},
          {"training", training_json(run)},
          {"types", types_json(run.facts.types)},
          {"tokens_per_s", io::known(run.tokens_per_s())},
          {"decode_tokens_per_s", io::known(run.decode_tokens_per_s())},
          {"generated", generated_json(run)},
          {"results", results_json(run)},
          {"curves", curves_json(run)},
          {"flops", run.flops()},
          {"tflops_per_s", io::known(run.tflops_per_s())},
          {"roof", roof_json(run.roof)},
          {"values", value_errors_json(run.values)},
          {"utilisation", utilisations_json(run)},
          {"memory", memory_json(run)},
          {"recording",
           {{"steps", run.recorded_steps.size()},
            {"slices", run.trace.slice_count()},
            {"dropped", run.dropped},
            {"clock_drift_ns", run.spec.device == spec::DeviceKind::cuda
                                   ? nlohmann::json(run.clock_drift_ns)
                                   : nlohmann::json()},
            {"probes", run.probe_steps.size()},
            {"cost", recording_json(run)},
            {"notes", notes_json(run)}}},
          {"samples_ms",
           {{"recorded", run::samples_json(run.recorded_steps)},
            {"warmup", run::samples_json(run.warmup_steps)},
            {"timed", run::samples_json(run.timed_steps)},
            {"probe", run::samples_json(run.probe_steps)}}}};
}

nlohmann::json to_json(const run::Run& run, const nlohmann::json& environment,
                       const base::StringTable& strings) {
  nlohmann::json document = to_json(run, environment);
  document["checks"] = to_json(checks_of(run, strings));
  document["limits"] = to_json(step_limits(run));
  const Recorded recorded = recorded_of(run, strings);
  document["shares"] = {{"operators_percent", io::known(operators_percent(recorded))},
                        {"attention_percent", io::known(attention_percent(recorded))}};
  if (run.spec.device == spec::DeviceKind::cuda) document["gpu"] = kernels_json(run, strings);
  return document;
}

}  // namespace ts::report
