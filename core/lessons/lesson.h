#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/calculate/calculator.h"
#include "core/lessons/expression.h"
#include "core/lessons/quantities.h"
#include "core/predict/hunt.h"
#include "core/run/protocol.h"
#include "core/simulate/experiment.h"
#include "core/spec/gpu_catalogue.h"
#include "core/spec/workload_spec.h"
#include "core/stepper/exercise.h"
#include "core/sweep/sweep_results.h"
#include "core/sweep/sweep_spec.h"
#include "core/text/text.h"

// An exercise as data: the question, the runs, the checks and the conclusions. docs/lessons.md
// describes the file. Plain data: nothing here runs anything.
namespace ts::lessons {

// A text in every language; a user's own lesson may have only one of them.
struct Words {
  std::array<std::string, text::kLanguageCount> of;
  // The text in that language, else in the first one that exists.
  [[nodiscard]] const std::string& in(text::Language language) const;
  [[nodiscard]] bool empty() const;
  [[nodiscard]] bool complete() const;  // in all languages
};

// A text that other entries of a file name by its id.
struct NamedText {
  std::string id;
  Words text;
};

// The scale at which a lesson is done: runs on this machine, or predictions for a card.
enum class Tier : std::uint8_t { laptop, gb8, gb80 };
inline constexpr int kTierCount = 3;
const char* to_string(Tier tier);  // laptop 8gb 80gb
std::optional<Tier> tier_from(std::string_view name);

// The corpus that a lesson brings, in the folder of its step.
inline constexpr const char* kTextName = "text.txt";

// The plan of a step in one tier.
struct StepPlan {
  StepKind kind = StepKind::run;
  spec::WorkloadSpec spec;   // of A in an A/B, the base of a sweep
  spec::WorkloadSpec other;  // B
  std::string gpu;           // the card of the prediction; empty: this machine
  run::Protocol protocol;    // run, ab
  std::string text;          // run: the corpus, a file of the step's folder; empty: none
  sweep::SweepSpec sweep;    // sweep
  sweep::FitRange fit;       // sweep
  predict::HuntAxis axis;    // hunt
  std::optional<calculate::Values> calculation;    // calculate
  std::optional<simulate::Experiment> experiment;  // simulate, load
  std::optional<stepper::Exercise> stepping;       // step
  std::size_t step_shown = 0;                      // step: in its picture; 0: the last
  std::string command;                             // the equivalent command, without "tensorscope"
};

struct Step {
  std::string id;
  Words title;
  std::array<std::optional<StepPlan>, kTierCount> plans;
};

// The result that the material states, and its source.
struct Published {
  double value = 0;
  Unit unit = Unit::number;
  std::string source;
};

// One row of the comparison: a number as it was measured, predicted, computed by a formula or by a
// simulation, and published.
enum class Column : std::uint8_t { measured, predicted, theory, simulated, published };
inline constexpr int kColumnCount = 5;
inline constexpr std::size_t kExpressionCount = 4;  // all but published
const char* to_string(Column column);
std::optional<Column> column_from(std::string_view name);

struct Value {
  std::string id;
  Words label;
  std::array<std::optional<Expression>, kExpressionCount> columns;
  bool either = false;  // measured and predicted are the same expression; a tier has one of them
  std::optional<Published> published;
  std::optional<Unit> unit;     // of the columns, if it does not follow from their expressions
  std::string shown_in;         // "MiB", "GiB", "MB", "GB": a fixed unit of bytes; empty: any
  std::optional<int> decimals;  // empty: a suitable number
};

struct Choice {
  Words text;
  std::optional<double> from, below;  // the range of the answer for which this choice is right
};
// An answer that is drawn: a quantity of a sweep over one axis, of one of its series.
struct CurveQuestion {
  std::string step;
  std::string series;    // empty: the sweep has one
  std::string quantity;  // of a sweep at a point: "peak_bytes"
  // The range of the values on which it is drawn, in the unit of the quantity.
  std::array<std::optional<std::pair<double, double>>, kTierCount> ranges = {};
};
struct Question {
  Words text;
  std::string value;                   // its measured number is the answer, else its predicted one
  double within_percent = 20;          // a guess within this distance is right
  std::vector<Choice> choices;         // empty: a number is asked for
  std::optional<CurveQuestion> curve;  // how it grows is the guess; the answer is an exponent
  Words after;                         // shown after the answer
};

struct Check {
  Words text;
  Words why;
  Expression number;  // over columns of values
  std::optional<double> at_least, at_most;
  std::optional<Expression> equals;
  double within = 0;                     // for equals
  std::optional<double> within_percent;  // for equals, instead
};

// "... grows {growth.measured} times": shown if all its numbers are known.
struct Sentence {
  Words text;
};

struct FreeAnswer {
  std::string id;
  Words text;
  Words expected;  // in the teacher's key; may be empty
  int lines = 3;
};

struct Deliverable {
  std::string step;
  std::string file;
  Words text;
};

struct Lesson {
  std::string id;
  std::vector<std::string> rows;  // of the catalogue of labs
  int minutes = 10;
  Words title, summary, task;
  std::optional<Question> question;
  std::vector<Step> steps;
  std::vector<Value> values;
  std::vector<Check> checks;
  std::vector<Sentence> sentences;
  std::vector<FreeAnswer> answers;
  std::vector<Deliverable> deliverables;

  [[nodiscard]] bool has(Tier tier) const;  // a step is planned for it
  [[nodiscard]] Tier first_tier() const;
  [[nodiscard]] std::size_t steps_in(Tier tier) const;
  [[nodiscard]] const Step* step(std::string_view step_id) const;
  [[nodiscard]] const Value* value(std::string_view value_id) const;
  [[nodiscard]] bool translated() const;  // every text exists in every language
};

// The error is one sentence that begins with `name` (the name of the lesson or of its file) and the
// place in it.
base::Result<Lesson> read_lesson(std::string_view json, const std::string& name,
                                 const spec::GpuCatalogue& gpus);

// The names of placeholders "{growth.measured}" as references; an error for an invalid one.
base::Result<std::vector<Reference>> references_of(const Words& words);

// The files that a step of that kind may write, besides its pictures of the window.
std::vector<std::string> files_of(StepKind kind);

}  // namespace ts::lessons
