#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/stepper/stepper.h"

namespace ts::stepper {

// A stepper with its numbers; of tiled attention also a card whose shared memory its tiles must
// fit.
struct Exercise {
  const Stepper* stepper = nullptr;
  calculate::Chosen chosen;
  std::optional<TileFit> fit = {};
};

// From "tiles" and {"T=64", "causal=0"}.
base::Result<Exercise> exercise_of(std::string_view stepper,
                                   const std::vector<std::string>& settings);
// `limit`: bytes of shared memory that a block of the card can have. An error for another stepper.
base::Result<void> choose_card(Exercise& exercise, const std::string& card,
                               std::optional<std::int64_t> limit);

// Those of the walk, and the limit of the card where one is chosen.
std::vector<calculate::Figure> figures_of(const Exercise& exercise, Walk& walk);
// Names and units of the figures of a stepper, the limit of a card among them; they are the same
// for all numbers. Thread-safe.
const std::vector<calculate::Figure>& figures_of(const Stepper& stepper);

// {stepper, source, inputs {NAME: number}, figures {NAME: value}, units {NAME: unit}, columns
// [NAME],
//  steps [{numbers, said}], shared_memory {fits, limit, sentence} with a card}. Values are in the
// unit that calculate::to_string(Unit) names; one that is not finite is null.
nlohmann::json to_json(const Exercise& exercise, Walk& walk);

}  // namespace ts::stepper
