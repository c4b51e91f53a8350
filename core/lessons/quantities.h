#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/calculate/inputs.h"

namespace ts::lessons {

// The action of a step of a lesson: each is a command of the program.
enum class StepKind : std::uint8_t {
  run,
  predict,
  sweep,
  hunt,
  ab,
  calculate,
  simulate,
  step,
  advise,
  load
};
inline constexpr int kStepKindCount = 10;
const char* to_string(StepKind kind);
std::optional<StepKind> step_kind_from(std::string_view name);
// True for a calculator, a simulation, a stepper and a load: they have numbers, no workload.
constexpr bool has_no_workload(StepKind kind) {
  return kind == StepKind::calculate || kind == StepKind::simulate || kind == StepKind::step ||
         kind == StepKind::load;
}

enum class Unit : std::uint8_t {
  number,
  count,  // whole
  bytes,
  ms,
  ratio,  // of two numbers of the same unit
  percent,
  tokens_per_s,
  tflops_per_s,
  flops,
};
const char* to_string(Unit unit);
std::optional<Unit> unit_from(std::string_view name);

// The source of a number. Numbers of different natures are in separate columns.
enum class Nature : std::uint8_t {
  stated,     // a constant or a setting
  measured,   // by a run on this machine
  predicted,  // by dry runs
  theory,     // by a formula of settings
  simulated,  // by a simulation from stated constants, or step by step
  published,  // by the material
  compared,   // of numbers of two natures, such as the error of a prediction
};
const char* to_string(Nature nature);

struct Number {
  double value = 0;
  Unit unit = Unit::number;
  Nature nature = Nature::stated;
};

// The argument that a quantity takes in parentheses.
enum class Takes : std::uint8_t {
  nothing,
  index,     // from 1: samples of a run
  name,      // any words: a result of a run, a category of memory
  point,     // of a sweep: "naive, T = 2048"; the series may be left out where there is one
  series,    // of a sweep: "naive"
  setting,   // a setting by its name of --set
  type,      // "norm, fp16": a component and a type
  position,  // "fp16 += fp16, 500": a curve of a run and its x
  term,      // of a calculator: "weights"
  figure,    // of a simulation, a load or a stepper: "step_time", over an input "step_time, ranks =
             // 8"
  input,     // a number that is chosen of those, or of a calculator: "ranks"
};

// One number of the result of a step, the document that the command prints with --json.
struct QuantityRow {
  const char* name;
  StepKind kind;
  Unit unit;  // of a term, figure or input it is its own: unit_of() in lesson_plan.h
  Nature nature;
  Takes takes;
  const char* meaning;  // one line, English, for docs/lessons.md
  // A pointer into the document (into the point that is named there, where it takes one), or a
  // function of it and of the argument in parentheses.
  const char* pointer = nullptr;
  std::optional<double> (*read)(const nlohmann::json& document,
                                const std::string& argument) = nullptr;
};
std::span<const QuantityRow> quantity_rows();
// The error names the nearest quantity of that kind of step.
base::Result<const QuantityRow*> find_quantity(StepKind kind, const std::string& name);

// Unset where the document has no such number.
std::optional<double> read_quantity(const QuantityRow& row, const nlohmann::json& document,
                                    const std::string& argument);

// A unit of a calculator or a simulation: numbers in it times `factor` are in a unit of lessons.
struct UnitHere {
  Unit unit = Unit::number;
  double factor = 1;
};
UnitHere unit_here(calculate::Unit unit);

}  // namespace ts::lessons
