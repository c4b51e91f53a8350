#pragma once

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/lessons/lesson.h"

namespace ts::lessons {

// The documents of the finished steps, by step id.
using Documents = std::map<std::string, nlohmann::json, std::less<>>;

// The numbers of one value, each in the column of its nature.
struct Cells {
  std::array<std::optional<Number>, kColumnCount> of;
  [[nodiscard]] const std::optional<Number>& in(Column column) const {
    return of[static_cast<std::size_t>(column)];
  }
};

enum class CheckState : std::uint8_t { waiting, passed, failed };
const char* to_string(CheckState state);

struct CheckFinding {
  std::size_t check = 0;  // index into Lesson::checks
  CheckState state = CheckState::waiting;
  std::optional<Number> number;
  std::optional<Number> expected;  // for equals
};

struct CurvePoint {
  double x = 0;
  double y = 0;
};
// The points of the ended steps, for a question that is answered by a curve.
struct FoundCurve {
  std::vector<CurvePoint> measured, predicted;
  [[nodiscard]] const std::vector<CurvePoint>& truth() const {
    return measured.empty() ? predicted : measured;
  }
};

// The results of the finished steps of a lesson, in one tier.
struct Findings {
  std::vector<Cells> values;           // in the order of Lesson::values
  std::vector<CheckFinding> checks;    // those that the tier has the numbers for
  std::optional<Number> answer;        // to the question: measured, or predicted if not measured
  std::vector<std::size_t> sentences;  // those whose numbers are all known
  FoundCurve curve;

  [[nodiscard]] std::size_t passed() const;
};
Findings find(const Lesson& lesson, Tier tier, const Documents& documents);

// True if a column of a value has a number in that tier after its steps have ended.
bool available(const Lesson& lesson, Tier tier, Column column, const Expression& expression);

// True if the tier computes a number for a value, so that there is one besides the published
// number.
bool in_tier(const Lesson& lesson, Tier tier, const Value& value);

// The columns that some value of the tier has, in their order.
std::vector<Column> columns_of(const Lesson& lesson, Tier tier);

// The column that answers the question of a lesson whose value this is: what is measured, else
// predicted, else simulated, else given by a formula; `findings` may lack it.
Column asked_column(const Value& value, const Cells& cells);

// The number as text: "2,088.256 MiB", "1.96", "4.02 ×".
std::string text_of(const Number& number, const Value* value = nullptr);
// A text with its placeholders replaced by numbers.
std::string filled(const Lesson& lesson, const Findings& findings, const std::string& text);
// The bound of a check as text: "≥ 1.7", "1.7 to 2.2", "10.0021 ± 0.0001".
std::string bound_of(const Lesson& lesson, const CheckFinding& finding);

// The user's guess before the run: a number in the unit of the answer, or a choice counted from 1.
struct Guess {
  std::string text;  // as it was written
  double number = 0;
  std::optional<std::size_t> choice;
  std::vector<CurvePoint> points;  // of a drawn curve; `number` is how it grows
};
base::Result<Guess> parse_guess(const Lesson& lesson, Tier tier, const std::string& text);
// The choice whose range contains the answer; unset while there is no answer.
std::optional<std::size_t> true_choice(const Lesson& lesson, const Findings& findings);
// Unset while the answer is not known.
std::optional<bool> is_right(const Lesson& lesson, const Findings& findings, const Guess& guess);

// {lesson, tier, values [{id, label, measured, predicted, theory, published {value, unit, words}}],
//  checks [{text, state, number, bound}], answer, sentences}. Times in ms, sizes in bytes. A
// missing value is null.
nlohmann::json to_json(const Lesson& lesson, Tier tier, const Findings& findings,
                       text::Language language);
nlohmann::json to_json(const std::optional<Number>& number, const Value* value);

}  // namespace ts::lessons
