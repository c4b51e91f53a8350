#include "core/run/efficiency.h"

#include <nlohmann/json.hpp>

#include "core/run/workload_math.h"
#include "core/text/numbers.h"

namespace ts::run {

namespace {

// nanoGPT, model.py, estimate_mfu.
constexpr double kNanoGptPeak = 312;

double parameters_without_positions(const WorkloadSpec& spec) {
  std::int64_t count = parameter_count(spec);
  if (spec.positions == Positions::learned) count -= spec.seq_len * spec.d_model;
  return static_cast<double>(count);
}

}  // namespace

std::optional<double> peak_tflops(const Gpu& card, DataType type) {
  switch (type) {
    case DataType::fp32:
      return card.fp32_tflops;
    case DataType::tf32:
      return card.tf32_tflops;
    case DataType::bf16:
      return card.bf16_tflops;
    case DataType::fp16:
      return card.fp16_tflops;
  }
  return std::nullopt;
}

std::vector<ModelFlops> model_flops(const WorkloadSpec& spec) {
  std::vector<ModelFlops> all;
  if (!has_backward(spec.pass)) return all;
  const auto tokens = static_cast<double>(tokens_per_step(spec));
  if (spec.workload == WorkloadKind::lm) {
    const double per_token =
        6 * parameters_without_positions(spec) +
        12 * static_cast<double>(spec.layers) * static_cast<double>(spec.heads) *
            static_cast<double>(head_size(spec)) * static_cast<double>(spec.seq_len);
    all.push_back({"6 N + 12 L H Q T", "nanoGPT", per_token, per_token * tokens});
  }
  WorkloadSpec plain = spec;
  plain.checkpoint = Checkpoint::off;
  // Of math attention: nothing is computed again, no pair is skipped.
  const double counted = step_flops(plain, AttentionBackend::math).total();
  const bool lm = spec.workload == WorkloadKind::lm;
  all.push_back({lm ? "3 x (2 B T [L (4 d^2 + 3 d ff) + V d] + 4 L B T^2 d)" : "3 x forward",
                 lm ? "F-2" : "matrix products", counted / tokens, counted});
  return all;
}

std::vector<Peak> peaks(const Run& run) {
  std::vector<Peak> all;
  if (run.roof) {
    const std::string size = text::grouped(run.roof->size);
    all.push_back({Peak::Kind::measured,
                   size + " x " + size + " product in " + to_string(run.roof->dtype) + ", measured",
                   run.roof->tflops});
  }
  if (run.spec.device != DeviceKind::cuda) return all;
  const DataType type = compute_type(run.spec);
  if (run.card) {
    if (const auto peak = peak_tflops(*run.card, type)) {
      all.push_back({Peak::Kind::card, run.card->name + ", " + to_string(type) + ", dense", *peak});
    }
  }
  all.emplace_back(Peak::Kind::nanogpt, "A100 in bf16, nanoGPT's constant", kNanoGptPeak);
  return all;
}

std::vector<Utilisation> utilisations(const Run& run) {
  std::vector<Utilisation> all;
  // Total work over total time, as the other rates are.
  const auto tokens = run.tokens_per_s();
  if (!tokens) return all;
  for (const ModelFlops& flops : model_flops(run.spec)) {
    for (const Peak& peak : peaks(run)) {
      const double share = flops.per_token * *tokens * 1e-12 / peak.tflops;
      all.push_back({flops, peak, share});
    }
  }
  return all;
}

nlohmann::json utilisations_json(const Run& run) {
  auto list = nlohmann::json::array();
  for (const Utilisation& one : utilisations(run)) {
    list.push_back({{"formula", one.flops.formula},
                    {"source", one.flops.source},
                    {"flops_per_token", one.flops.per_token},
                    {"flops_per_step", one.flops.per_step},
                    {"peak", one.peak.source},
                    {"peak_tflops", one.peak.tflops},
                    {"mfu", one.share}});
  }
  return list;
}

}  // namespace ts::run
