#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/run/run.h"

namespace ts::report {

// The utilisation of the device by a run: model FLOPs, by the formula of a source, against a peak.
// Both are named, because sources disagree on formulas and peaks.

// FLOPs that the model needs; repeated computation is not counted.
struct ModelFlops {
  std::string formula;  // with the terms that are counted for the spec: "... 2 d ff ..." with GELU
  const char* source;
  double per_token = 0;
  double per_step = 0;
};
// For passes with a backward.
//   lm    6 N + 12 L H Q T a token, as estimate_mfu of nanoGPT: N parameters without the table of
//         positions (a tied head counts once), L layers, H heads, Q = d_model / H; full attention,
//         also when causal
//   all   3 x the forward of workload_math.h (F-2 for lm), with full attention
std::vector<ModelFlops> model_flops(const spec::WorkloadSpec& spec);

// The dense peak by the catalogue; nothing if the card has no units for the type.
std::optional<double> peak_tflops(const spec::Gpu& card, spec::DataType type);

// A peak of the device, in TFLOP/s.
struct Peak {
  enum class Kind : std::uint8_t { measured, card, nanogpt } kind = Kind::measured;
  base::Message source;  // "2,048 x 2,048 product in fp32, measured", "H100 SXM, bf16, dense"
  double tflops = 0;
};
// The roof measured on the device; on cuda also the catalogue's figure of the card, and the A100's
// 312 by which nanoGPT divides on every card. Unknown peaks are left out.
std::vector<Peak> peaks(const run::Run& run);

// Model FLOPs over the median time over peak.
struct Utilisation {
  ModelFlops flops;
  Peak peak;
  double share = 0;
  base::Message over = {};  // why the share is over 1; empty where it is not
};
// Every formula against every peak; empty until steps are timed.
std::vector<Utilisation> utilisations(const run::Run& run);

// [{formula, source, flops_per_token, flops_per_step, peak, peak_tflops, mfu, over_one (why, or
// null)}, ...]
nlohmann::json utilisations_json(const run::Run& run);

}  // namespace ts::report
