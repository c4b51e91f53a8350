#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/calculate/figure.h"
#include "core/calculate/inputs.h"
#include "core/stepper/adamw.h"
#include "core/stepper/cached_cycles.h"
#include "core/stepper/checkpoints.h"
#include "core/stepper/low_precision_sum.h"
#include "core/stepper/online_softmax.h"
#include "core/stepper/tiled_attention.h"

// Small computations that are shown step by step. They compute with real numbers on small inputs;
// nothing is measured.
namespace ts::stepper {

// How the numbers of a column are written.
enum class Digits : std::uint8_t { whole, value, small, bytes };

// A number of a step. The text of its heading is "stepper.column.NAME".
struct Column {
  const char* name;
  Digits digits = Digits::value;
};

// Each has
//   std::size_t steps() const            at least 2; step 0 is the beginning
//   std::vector<double> row(step)        one number for each column; NaN where there is none
//   base::Message said(step)             what the step does
//   std::vector<calculate::Figure> figures()   of the whole
// and its own state of a step for the picture. Not const where the last state is kept.
using Walk =
    std::variant<TiledAttention, OnlineSoftmax, LowPrecisionSum, AdamW, Checkpoints, CachedCycles>;

// The texts of its title and of what it computes are "stepper.title.ID" and "stepper.about.ID".
struct Stepper {
  const char* id;
  const char* source;  // where the algorithm stands; names of papers, in no language
  std::vector<calculate::Input> inputs;
  std::vector<Column> columns;
  Walk (*begin)(const calculate::Chosen& chosen);
};

std::span<const Stepper> steppers();
// An error lists the known ones.
base::Result<const Stepper*> stepper_from(std::string_view id);

std::size_t steps_of(const Walk& walk);
std::vector<double> row_of(Walk& walk, std::size_t step);
base::Message said_at(Walk& walk, std::size_t step);
std::vector<calculate::Figure> figures_of(Walk& walk);

}  // namespace ts::stepper
