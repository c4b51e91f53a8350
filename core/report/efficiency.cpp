#include "core/report/efficiency.h"

#include <nlohmann/json.hpp>

#include "core/io/json_values.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::report {

namespace {

// nanoGPT, model.py, estimate_mfu.
constexpr double kNanoGptPeak = 312;

double parameters_without_positions(const spec::WorkloadSpec& spec) {
  std::int64_t count = spec::parameter_count(spec);
  if (spec.positions == spec::Positions::learned) count -= spec.seq_len * spec.d_model;
  return static_cast<double>(count);
}

// F-2 with the terms of this model: K and V are smaller with grouped queries, GELU has one product
// less than SwiGLU.
std::string f2_of(const spec::WorkloadSpec& spec) {
  const bool grouped = spec::kv_head_count(spec) != spec.heads;
  const char* const feed = spec.ffn == spec::FeedForward::swiglu ? "3 d ff" : "2 d ff";
  return std::string("3 x (2 B T [L (") + (grouped ? "2 d^2 + 2 d d_kv" : "4 d^2") + " + " + feed +
         ") + V d] + 4 L B T^2 d)" + (grouped ? " with d_kv = kv_heads d_head" : "");
}

// A device cannot exceed its peak, so one of the numbers is wrong. Explains which one it may be.
base::Message why_over_one(const run::Run& run, const Utilisation& used) {
  if (used.share <= 1) return {};
  if (used.peak.kind == Peak::Kind::nanogpt) {
    return text::message("mfu.over.nanogpt");
  }
  if (run.flops() > 0 && used.share * run.flops() <= used.flops.per_step) {
    return text::message("mfu.over.formula");
  }
  if (used.peak.kind == Peak::Kind::card) {
    return text::message("mfu.over.card");
  }
  return text::message("mfu.over.measured");
}

}  // namespace

std::optional<double> peak_tflops(const spec::Gpu& card, spec::DataType type) {
  switch (type) {
    case spec::DataType::fp32:
      return card.fp32_tflops;
    case spec::DataType::tf32:
      return card.tf32_tflops;
    case spec::DataType::bf16:
      return card.bf16_tflops;
    case spec::DataType::fp16:
      return card.fp16_tflops;
  }
  return std::nullopt;
}

std::vector<ModelFlops> model_flops(const spec::WorkloadSpec& spec) {
  std::vector<ModelFlops> all;
  if (!spec::has_backward(spec.pass)) return all;
  const auto tokens = static_cast<double>(spec::tokens_per_step(spec));
  const bool adapters = spec::trains_adapters(spec);
  // nanoGPT's formula has a gradient for every weight.
  const bool all_trained = !spec::freezes(spec);
  if (spec.workload == spec::WorkloadKind::lm && all_trained) {
    const double per_token =
        6 * parameters_without_positions(spec) +
        12 * static_cast<double>(spec.layers) * static_cast<double>(spec.heads) *
            static_cast<double>(spec::head_size(spec)) * static_cast<double>(spec.seq_len);
    all.push_back({"6 N + 12 L H Q T", "nanoGPT", per_token, per_token * tokens});
  }
  spec::WorkloadSpec plain = spec;
  plain.checkpoint = spec::Checkpoint::off;
  // With math attention: no scores are computed again, no pair is skipped.
  const double counted = spec::step_flops(plain, spec::AttentionBackend::math).total();
  // A workload whose products nobody counted has no share of a peak.
  if (counted <= 0) return all;
  const bool images = spec::traits_of(spec.workload).sees_images;
  if (adapters && !images) {
    all.push_back(
        {"2 x frozen + 3 x (adapters + attention)", "matrix products", counted / tokens, counted});
    return all;
  }
  if (images || !all_trained) {
    all.push_back({"products of all parts", "matrix products", counted / tokens, counted});
    return all;
  }
  const bool lm = spec.workload == spec::WorkloadKind::lm;
  all.push_back({lm ? f2_of(spec) : "3 x forward", lm ? "F-2" : "matrix products", counted / tokens,
                 counted});
  return all;
}

std::vector<Peak> peaks(const run::Run& run) {
  std::vector<Peak> all;
  if (run.roof) {
    all.push_back({Peak::Kind::measured,
                   text::message("roof.product", {{"size", text::grouped(run.roof->size)},
                                                  {"dtype", to_string(run.roof->dtype)}}),
                   run.roof->tflops});
  }
  if (run.spec.device != spec::DeviceKind::cuda) return all;
  const spec::DataType type = spec::compute_type(run.spec);
  if (run.card) {
    if (const auto peak = peak_tflops(*run.card, type)) {
      all.push_back(
          {Peak::Kind::card,
           text::message("roof.card", {{"card", run.card->name}, {"dtype", to_string(type)}}),
           *peak});
    }
  }
  all.push_back({Peak::Kind::nanogpt, text::message("roof.nanogpt"), kNanoGptPeak});
  return all;
}

std::vector<Utilisation> utilisations(const run::Run& run) {
  std::vector<Utilisation> all;
  const auto tokens = run.tokens_per_s();
  if (!tokens) return all;
  for (const ModelFlops& flops : model_flops(run.spec)) {
    for (const Peak& peak : peaks(run)) {
      const double share = flops.per_token * *tokens * 1e-12 / peak.tflops;
      all.push_back({flops, peak, share});
      all.back().over = why_over_one(run, all.back());
    }
  }
  return all;
}

nlohmann::json utilisations_json(const run::Run& run) {
  auto list = nlohmann::json::array();
  for (const Utilisation& one : utilisations(run)) {
    list.push_back({{"formula", one.flops.formula},
                    {"source", one.flops.source},
                    {"flops_per_token", one.flops.per_token},
                    {"flops_per_step", one.flops.per_step},
                    {"peak", one.peak.source.sentence},
                    {"peak_tflops", one.peak.tflops},
                    {"mfu", one.share},
                    {"over_one", io::text_or_null(one.over.sentence)}});
  }
  return list;
}

}  // namespace ts::report
