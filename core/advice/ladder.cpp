#include "core/advice/ladder.h"

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::advice {
namespace {

using RungKind = Rung::Kind;

// Divisors of the sequences of a step, ascending.
std::vector<std::int64_t> divisors(std::int64_t total) {
  std::vector<std::int64_t> all;
  for (std::int64_t one = 1; one <= total; ++one) {
    if (total % one == 0) all.push_back(one);
  }
  return all;
}

void divide(spec::WorkloadSpec& spec, std::int64_t total, std::int64_t batch) {
  spec.batch = batch;
  spec.accumulate = total / batch;
}

spec::WorkloadSpec plain_start(const AdviceRequest& request, std::int64_t total) {
  spec::WorkloadSpec spec = request.settings;
  spec.device = request.target.kind;
  spec.dtype = spec::DataType::fp32;
  spec.autocast = spec::Autocast::off;
  spec.grad_scaler = false;
  spec.checkpoint = spec::Checkpoint::off;
  spec.compile = spec::Compile::eager;
  if (spec::field_applies(spec, spec::Field::backend)) {
    spec.backend = spec::AttentionBackend::naive;
  }
  if (spec::field_applies(spec, spec::Field::optimizer) && spec::is_plain_adamw(spec.optimizer)) {
    spec.optimizer = spec::OptimizerKind::adamw_loop;
  }
  if (spec::field_applies(spec, spec::Field::accumulate)) {
    std::int64_t batch = 1;
    for (const std::int64_t one : divisors(total)) {
      if (one * 4 <= total) batch = one;
    }
    divide(spec, total, batch);
  }
  return spec;
}

// The rungs above the first but the last two, in order.
struct RungChange {
  RungKind kind;
  std::function<void(spec::WorkloadSpec&)> set;
};

std::vector<RungChange> changes_of(const AdviceRequest& request, const spec::WorkloadSpec& plain) {
  std::vector<RungChange> all;
  if (request.target.kind == spec::DeviceKind::cuda &&
      request.roofs(spec::DataType::tf32).tflops > 0) {
    all.push_back({RungKind::tf32, [](auto& spec) { spec.dtype = spec::DataType::tf32; }});
  }
  // A processor without units for bf16 is still faster in it than in fp16.
  const bool bf16 = request.target.kind == spec::DeviceKind::cpu ||
                    request.roofs(spec::DataType::bf16).tflops > 0;
  all.push_back({RungKind::autocast, [bf16](auto& spec) {
                   spec.autocast = bf16 ? spec::Autocast::bf16 : spec::Autocast::fp16;
                   spec.grad_scaler = !bf16;
                 }});
  if (spec::field_applies(plain, spec::Field::backend)) {
    all.push_back(
        {RungKind::flash, [](auto& spec) { spec.backend = spec::AttentionBackend::flash; }});
  }
  if (spec::field_applies(plain, spec::Field::optimizer) && spec::is_plain_adamw(plain.optimizer)) {
    all.push_back(
        {RungKind::fused, [](auto& spec) { spec.optimizer = spec::OptimizerKind::adamw_fused; }});
  }
  return all;
}

Asked ask(const AdviceRequest& request, const spec::WorkloadSpec& spec, predict::DryRunner& runner,
          const base::CancelToken& cancel) {
  Asked asked;
  asked.spec = spec;
  dry_run_of(request, runner, cancel, asked);
  return asked;
}

}  // namespace

const char* to_string(Rung::Kind kind) {
  constexpr std::array kNames = {"plain", "tf32",  "autocast", "flash",
                                 "fused", "batch", "compiled"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool can_run_here(const Rung& rung) {
  if (!spec::validate(rung.asked.spec).empty()) return false;
  // No dry run follows compiled code, which runs all the same.
  const bool compiled = rung.kind == RungKind::compiled && spec::compiles_step(rung.asked.spec);
  return compiled || rung.asked.problem.empty();
}

void take_run(const run::Run& run, Rung& rung) {
  if (run.verdict == run::Verdict::ok) {
    rung.measured_s = run.timing().median_ms * 1e-3;
  } else if (run.verdict != run::Verdict::cancelled) {
    rung.asked.problem = run.failure;
  }
}

std::optional<double> Rung::seconds() const {
  if (measured_s) return measured_s;
  return asked.bound ? std::optional(asked.bound->seconds) : std::nullopt;
}

std::vector<Rung> ladder(const AdviceRequest& given, predict::DryRunner& runner,
                         const base::CancelToken& cancel) {
  AdviceRequest request = given;
  if (!request.roofs) request.roofs = roofs_of_target(request.target);
  const std::int64_t total = request.settings.batch * spec::micro_batches(request.settings);
  spec::WorkloadSpec spec = plain_start(request, total);
  std::vector<Rung> rungs;
  rungs.push_back({RungKind::plain, ask(request, spec, runner, cancel), std::nullopt});
  for (const RungChange& change : changes_of(request, spec)) {
    if (cancel.cancelled()) return rungs;
    spec::WorkloadSpec changed = spec;
    change.set(changed);
    rungs.push_back({change.kind, ask(request, changed, runner, cancel), std::nullopt});
    // The rungs above leave out a change that cannot run there.
    if (rungs.back().asked.problem.empty()) spec = changed;
  }
  if (spec::field_applies(spec, spec::Field::accumulate)) {
    std::vector<std::int64_t> sizes = divisors(total);
    std::ranges::reverse(sizes);
    for (const std::int64_t batch : sizes) {
      if (batch <= spec.batch || cancel.cancelled()) break;
      spec::WorkloadSpec larger = spec;
      divide(larger, total, batch);
      const Asked asked = ask(request, larger, runner, cancel);
      if (!asked.problem.empty() || asked.answer.fit != predict::Fit::fits) continue;
      rungs.push_back({RungKind::batch, asked, std::nullopt});
      spec = larger;
      break;
    }
  }
  // Neither formula nor dry run knows what a compiler makes of a step; it can be measured.
  Rung compiled{RungKind::compiled, {}, std::nullopt};
  compiled.asked.spec = spec;
  compiled.asked.spec.compile = spec::Compile::inductor;
  compiled.asked.done = true;
  const std::string reason = spec::field_reason(spec, spec::Field::compile);
  compiled.asked.problem = text::message(reason.empty() ? "prediction.not_compiled" : reason);
  rungs.push_back(std::move(compiled));
  return rungs;
}

io::TextTable ladder_table(const std::vector<Rung>& rungs, const predict::PredictionTarget& target,
                           const text::Texts& texts) {
  io::TextTable table;
  const bool measured =
      std::ranges::any_of(rungs, [](const Rung& one) { return one.measured_s.has_value(); });
  for (const char* const key :
       {"ladder.column.rung", measured ? "advice.column.measured" : "advice.column.bound",
        "ladder.column.before", "ladder.column.start", "advice.column.needed",
        "advice.column.headroom", "advice.column.verdict"}) {
    table.columns.emplace_back(texts(key));
  }
  table.right = {false, true, true, true, true, true, false};
  std::optional<double> before, start;
  for (const Rung& rung : rungs) {
    const auto seconds = measured ? rung.measured_s : rung.seconds();
    const auto ratio = [&](const std::optional<double>& to) {
      return seconds && to ? text::decimal(*to / *seconds, 2) + " \xc3\x97"
                           : std::string(text::kNoNumber);
    };
    const bool known = rung.asked.problem.empty();
    const base::Message& why = rung.asked.problem;
    table.rows.push_back(
        {texts("ladder.rung." + std::string(to_string(rung.kind))),
         seconds ? text::duration_ns(*seconds * 1e9).joined() : text::kNoNumber, ratio(before),
         ratio(start), known ? text::bytes(rung.asked.answer.needed).joined() : text::kNoNumber,
         known ? text::bytes(target.memory - rung.asked.answer.needed).joined() : text::kNoNumber,
         known ? texts(rung.asked.answer.fit == predict::Fit::oom ? "advice.verdict.oom"
                                                                  : "advice.verdict.fits")
               : texts(why.key, std::span(why.arguments))});
    if (!seconds) continue;
    before = seconds;
    if (!start) start = seconds;
  }
  return table;
}

nlohmann::json to_json(const std::vector<Rung>& rungs, const spec::WorkloadSpec& settings,
                       const predict::PredictionTarget& target) {
  nlohmann::json all = nlohmann::json::array();
  for (const Rung& rung : rungs) {
    nlohmann::json one = {{"rung", to_string(rung.kind)}, {"spec", spec::to_json(rung.asked.spec)}};
    if (rung.asked.bound) one["bound_s"] = rung.asked.bound->seconds;
    if (rung.measured_s) one["measured_s"] = *rung.measured_s;
    if (rung.asked.problem.empty()) {
      one["needed"] = rung.asked.answer.needed;
      one["verdict"] = predict::to_string(rung.asked.answer.fit);
    } else {
      one["problem"] = rung.asked.problem.sentence;
    }
    all.push_back(std::move(one));
  }
  return {{"spec", spec::to_json(settings)},
          {"target", {{"name", target.name}, {"memory", target.memory}}},
          {"ladder", std::move(all)}};
}

}  // namespace ts::advice
