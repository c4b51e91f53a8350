#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/advice/advice.h"
#include "core/io/text_table.h"
#include "core/text/text.h"

namespace ts::advice {

// A line of the advice: the best recipe of a kind, the settings themselves, or the lab's rule.
struct AdviceRow {
  enum class Origin : std::uint8_t { best, kind, as_set, lab_rule };
  Origin origin = Origin::kind;
  spec::WorkloadSpec spec;
  std::optional<StepBound> bound;
  std::optional<double> measured_s;  // median of a step on this machine
  predict::Fit fit = predict::Fit::fits;
  std::int64_t needed = 0;
  bool at_least = false;                      // `needed` is what the tensors alone need
  base::Message problem;                      // why there is no number; else empty
  [[nodiscard]] double tokens_per_s() const;  // by the measured time, else by the bound; 0: unknown
  [[nodiscard]] std::string tokens_words() const;  // "≤ 7,715,919" by the bound; an en dash
};
// Kinds that are decided, the fastest first: by measured time those that were measured, after them
// by the bound; then those of which no recipe fits, with the least that one needs; then the
// settings and the rule.
std::vector<AdviceRow> advice_rows(const Advice& advice);

// "bf16", "fp16 autocast, GradScaler" (of fp32 tensors)
std::string precision_text(const spec::WorkloadSpec& spec);
// The limit of the slowest part, in words.
std::string limit_text(const StepBound& bound, const text::Texts& texts);
// The result in one sentence: the best recipe, or that none fits, or how far the search is.
base::Message advice_sentence(const Advice& advice);
// The advice of the lab's rule, and whether that fits.
base::Message rule_sentence(const Advice& advice);
io::TextTable advice_table(const Advice& advice, const text::Texts& texts);
// With `every_recipe` all of them, each with what is known of it.
nlohmann::json to_json(const Advice& advice, bool every_recipe);

}  // namespace ts::advice
