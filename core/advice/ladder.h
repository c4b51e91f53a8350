#pragma once

#include <optional>
#include <vector>

#include "core/advice/advice.h"
#include "core/io/text_table.h"
#include "core/run/run.h"
#include "core/text/text.h"

namespace ts::advice {

// The ladder of optimisations (NANO-10): from a plain start every rung changes one thing more and
// keeps what the ones below changed. All rungs do the same work: the sequences of a step of the
// settings.
struct Rung {
  enum class Kind : std::uint8_t {
    plain,  // fp32, stored scores, AdamW operator by operator, a quarter of the sequences at once
    tf32,   // products of fp32 with ten bits of mantissa
    autocast,  // bf16; fp16 with a loss scale where the card has no units for bf16
    flash,
    fused,    // AdamW
    batch,    // the most sequences at once that fit
    compiled  // by Inductor; only on the CPU
  };
  Kind kind = Kind::plain;
  Asked asked;
  std::optional<double> measured_s;  // median of a step on this machine
  // The measured time, else the bound; unset: unknown.
  [[nodiscard]] std::optional<double> seconds() const;
};
const char* to_string(Rung::Kind kind);
// This machine can run the rung's settings.
bool can_run_here(const Rung& rung);
// Takes the median step of an ended run of the rung's settings, or why it failed as the problem.
void take_run(const run::Run& run, Rung& rung);

// A request and its rungs so far.
struct Ladder {
  AdviceRequest request;
  std::vector<Rung> rungs = {};  // all that there will be, once it does not run any more
  base::Message problem = {};    // why there are none; else empty
  bool running = true;
};

// Dry-runs every rung on the target. Rungs that change nothing there (TF32 on a CPU, attention
// where there is none) are left out; one that the target cannot run has its reason as problem.
std::vector<Rung> ladder(const AdviceRequest& request, predict::DryRunner& runner,
                         const base::CancelToken& cancel);

io::TextTable ladder_table(const std::vector<Rung>& rungs, const predict::PredictionTarget& target,
                           const text::Texts& texts);
nlohmann::json to_json(const std::vector<Rung>& rungs, const spec::WorkloadSpec& settings,
                       const predict::PredictionTarget& target);

}  // namespace ts::advice
