#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/lessons/expression.h"
#include "core/lessons/quantities.h"
#include "core/predict/hunt.h"
#include "core/run/protocol.h"
#include "core/spec/gpu_catalogue.h"
#include "core/spec/workload_spec.h"
#include "core/sweep/sweep_results.h"
#include "core/sweep/sweep_spec.h"
#include "core/text/text.h"

// An exercise as data: what is asked, what is run, what is looked at and concluded. docs/lessons.md
// describes the file. Plain data: nothing here runs anything.
namespace ts::lessons {

// A text in every language; a lesson of one's own may have one of them alone.
struct Words {
  std::array<std::string, text::kLanguageCount> of;
  // In that language, else in the first that there is.
  [[nodiscard]] const std::string& in(text::Language language) const;
  [[nodiscard]] bool empty() const;
  [[nodiscard]] bool complete() const;  // in all languages
};

// The size in which a lesson is done: runs on this machine, or predictions for a card.
enum class Tier : std::uint8_t { laptop, gb8, gb80 };
inline constexpr int kTierCount = 3;
const char* to_string(Tier tier);  // laptop 8gb 80gb
std::optional<Tier> tier_from(std::string_view name);

// What a step does in one tier.
struct StepPlan {
  StepKind kind = StepKind::run;
  spec::WorkloadSpec spec;   // of A in an A/B, the base of a sweep
  spec::WorkloadSpec other;  // B
  std::string gpu;           // the card that is predicted for; empty: this machine
  run::Protocol protocol;    // run, ab
  sweep::SweepSpec sweep;    // sweep
  sweep::FitRange fit;       // sweep
  predict::HuntAxis axis;    // hunt
  std::string command;       // the words after "tensorscope" that do the same
};

struct Step {
  std::string id;
  Words title;
  std::array<std::optional<StepPlan>, kTierCount> plans;
};

// What the material says, and where.
struct Published {
  double value = 0;
  Unit unit = Unit::number;
  std::string source;
};

// One row of what is compared: a number by what was measured, predicted, computed and published.
enum class Column : std::uint8_t { measured, predicted, theory, published };
inline constexpr int kColumnCount = 4;
const char* to_string(Column column);
std::optional<Column> column_from(std::string_view name);

struct Value {
  std::string id;
  Words label;
  std::array<std::optional<Expression>, 3> columns;  // measured, predicted, theory
  bool either = false;  // measured and predicted are the same expression, of which a tier has one
  std::optional<Published> published;
  std::optional<Unit> unit;     // of the columns, where it does not follow from what they compute
  std::string shown_in;         // "MiB", "GiB": a fixed unit of bytes; empty: what suits
  std::optional<int> decimals;  // empty: what suits
};

struct Choice {
  Words text;
  std::optional<double> from, below;  // the numbers of which it is the answer
};
struct Question {
  Words text;
  std::string value;            // whose measured number is the answer, else the predicted one
  double within_percent = 20;   // a guess so near is right
  std::vector<Choice> choices;  // empty: a number is asked for
  Words after;                  // said once the answer is shown
};

struct Check {
  Words text;
  Words why;
  Expression number;  // of columns of values
  std::optional<double> at_least, at_most;
  std::optional<Expression> equals;
  double within = 0;                     // of equals
  std::optional<double> within_percent;  // of equals, instead
};

// "... grows {growth.measured} times": said where all its numbers are there.
struct Sentence {
  Words text;
};

struct FreeAnswer {
  std::string id;
  Words text;
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
  [[nodiscard]] bool translated() const;  // every text is there in every language
};

// The error is one sentence that begins with `name`, that of the lesson or of its file, and the
// place in it.
base::Result<Lesson> read_lesson(std::string_view json, const std::string& name,
                                 const spec::GpuCatalogue& gpus);

// The names of placeholders "{growth.measured}" as references; an error for what is none.
base::Result<std::vector<Reference>> references_of(const Words& words);

// The files a step of that kind may leave, besides its pictures of the window.
std::vector<std::string> files_of(StepKind kind);

}  // namespace ts::lessons
