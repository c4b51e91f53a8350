#include "core/lessons/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/calculate/calculation_table.h"
#include "core/lessons/drawn_curve.h"
#include "core/lessons/lesson_plan.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "core/text/typed_numbers.h"

namespace ts::lessons {
namespace {

const StepPlan* plan_of(const Lesson& lesson, Tier tier, const Reference& one) {
  const Step* const step = lesson.step(one.of);
  if (step == nullptr) return nullptr;
  const auto& plan = step->plans[static_cast<std::size_t>(tier)];
  return plan ? &*plan : nullptr;
}

// The row of a quantity, if the step provides it in that column.
const QuantityRow* row_of(const Lesson& lesson, Tier tier, Column column, const Reference& one) {
  const StepPlan* const plan = plan_of(lesson, tier, one);
  if (plan == nullptr) return nullptr;
  const auto row = find_quantity(plan->kind, one.name);
  if (!row || !gives(*plan, **row, column)) return nullptr;
  return check_argument(**row, one.argument, *plan) ? *row : nullptr;
}

std::optional<Number> cell(const Lesson& lesson, Tier tier, const Documents& documents,
                           Column column, const Expression& expression) {
  auto number = evaluate(expression, [&](const Reference& one) -> std::optional<Number> {
    const QuantityRow* const row = row_of(lesson, tier, column, one);
    const auto document = documents.find(one.of);
    if (row == nullptr || document == documents.end()) return std::nullopt;
    const auto value = read_quantity(*row, document->second, one.argument);
    if (!value) return std::nullopt;
    const StepPlan& plan = *plan_of(lesson, tier, one);
    return Number{*value, lessons::unit_of(*row, one.argument, plan), row->nature};
  });
  if (number && column == Column::theory) number->nature = Nature::theory;
  return number;
}

// The unit that a column will have, before anything has run.
std::optional<Unit> unit_of(const Lesson& lesson, Tier tier, Column column,
                            const Expression& expression) {
  // Different numbers, so that no difference of two of them is 0.
  double next = 1;
  const auto number = evaluate(expression, [&](const Reference& one) -> std::optional<Number> {
    const QuantityRow* const row = row_of(lesson, tier, column, one);
    if (row == nullptr) return std::nullopt;
    next *= 1.7;
    const StepPlan& plan = *plan_of(lesson, tier, one);
    return Number{next, lessons::unit_of(*row, one.argument, plan), row->nature};
  });
  if (!number) return std::nullopt;
  return number->unit;
}

std::optional<Number> of_cells(const Lesson& lesson, const std::vector<Cells>& values,
                               const Expression& expression) {
  return evaluate(expression, [&](const Reference& one) -> std::optional<Number> {
    const Value* const value = lesson.value(one.of);
    const auto column = column_from(one.name);
    if (value == nullptr || !column) return std::nullopt;
    return values[static_cast<std::size_t>(value - lesson.values.data())].in(*column);
  });
}

// True if the tier will have all numbers of an expression of columns.
bool answers(const Lesson& lesson, Tier tier, const Expression& expression) {
  bool all = true;
  visit_references(expression, [&](const Reference& one) {
    const Value* const value = lesson.value(one.of);
    const auto column = column_from(one.name);
    if (value == nullptr || !column) {
      all = false;
    } else if (*column != Column::published) {
      const auto& of = value->columns[static_cast<std::size_t>(*column)];
      all = all && of && available(lesson, tier, *column, *of);
    }
  });
  return all;
}

double tolerance_of(const Check& check, const Number& expected) {
  if (check.within_percent) return std::abs(expected.value) * *check.within_percent / 100;
  return check.within;
}

void judge(const Check& check, CheckFinding& finding) {
  if (!finding.number || (check.equals && !finding.expected)) return;
  const double value = finding.number->value;
  bool good = true;
  if (check.at_least) good = good && value >= *check.at_least;
  if (check.at_most) good = good && value <= *check.at_most;
  if (check.equals) {
    good = std::abs(value - finding.expected->value) <= tolerance_of(check, *finding.expected);
  }
  finding.state = good ? CheckState::passed : CheckState::failed;
}

std::string plain_number(double value) {
  const double size = std::abs(value);
  if (size < 1e15 && value == std::round(value)) {
    return text::grouped(static_cast<std::int64_t>(value));
  }
  if (size < 1e-3) return fmt::format("{:.2e}", value);
  return text::decimal(value, size < 10 ? 3 : size < 100 ? 2 : 1);
}

std::string bytes_text(double bytes, const Value* value) {
  if (value == nullptr || value->shown_in.empty()) {
    const bool negative = bytes < 0;
    const auto whole = static_cast<std::int64_t>(std::llround(std::abs(bytes)));
    return (negative ? "\xe2\x88\x92" : "") + text::bytes(whole).joined();
  }
  const auto unit = static_cast<double>(*text::parse_bytes("1 " + value->shown_in));
  return text::decimal(bytes / unit, value->decimals.value_or(2)) + " " + value->shown_in;
}

bool complete(const Lesson& lesson, const Findings& findings, const Words& words) {
  const auto references = references_of(words);
  if (!references) return false;
  return std::ranges::all_of(*references, [&](const Reference& one) {
    Expression expression;
    expression.kind = Expression::Kind::reference;
    expression.reference = one;
    return of_cells(lesson, findings.values, expression).has_value();
  });
}

struct Scale {
  const char* suffix;
  double factor;
};

// "3 ms", "1.5 s": a number with one of these behind it, or alone.
std::optional<double> scaled(std::string text, std::initializer_list<Scale> scales) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  double factor = 1;
  for (const Scale& one : scales) {
    if (!text.ends_with(one.suffix)) continue;
    factor = one.factor;
    text.resize(text.size() - std::string_view(one.suffix).size());
    break;
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  std::erase(text, ',');
  const auto number = text::parse_real(text);
  if (number) return *number * factor;
  const auto count = text::parse_count(text);
  if (!count) return std::nullopt;
  return static_cast<double>(*count) * factor;
}

std::optional<double> guessed_number(const std::string& text, Unit unit, const Value& value) {
  switch (unit) {
    case Unit::bytes: {
      const std::string with_unit =
          text.find_first_not_of("0123456789., ") == text.npos ? text + " " + value.shown_in : text;
      const auto bytes = text::parse_bytes(with_unit);
      if (!bytes) return std::nullopt;
      return static_cast<double>(*bytes);
    }
    case Unit::ms:
      return scaled(text, {{"ms", 1}, {"\xc2\xb5s", 1e-3}, {"us", 1e-3}, {"s", 1e3}});
    case Unit::percent:
      return scaled(text, {{"%", 1}});
    case Unit::ratio:
      return scaled(text, {{"x", 1}, {"\xc3\x97", 1}});
    default:
      return scaled(text, {});
  }
}

}  // namespace

const char* to_string(CheckState state) {
  constexpr const char* kNames[] = {"waiting", "passed", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

std::size_t Findings::passed() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      checks, [](const CheckFinding& one) { return one.state == CheckState::passed; }));
}

bool available(const Lesson& lesson, Tier tier, Column column, const Expression& expression) {
  bool all = lesson.has(tier);
  visit_references(expression, [&](const Reference& one) {
    all = all && row_of(lesson, tier, column, one) != nullptr;
  });
  return all;
}

bool in_tier(const Lesson& lesson, Tier tier, const Value& value) {
  for (std::size_t i = 0; i < value.columns.size(); ++i) {
    const auto& of = value.columns[i];
    if (of && available(lesson, tier, static_cast<Column>(i), *of)) return true;
  }
  return false;
}

std::vector<Column> columns_of(const Lesson& lesson, Tier tier) {
  std::vector<Column> found;
  for (int i = 0; i < kColumnCount; ++i) {
    const auto column = static_cast<Column>(i);
    const bool some = std::ranges::any_of(lesson.values, [&](const Value& value) {
      if (!in_tier(lesson, tier, value)) return false;
      if (column == Column::published) return value.published.has_value();
      const auto& of = value.columns[static_cast<std::size_t>(i)];
      return of && available(lesson, tier, column, *of);
    });
    if (some) found.push_back(column);
  }
  return found;
}

Column asked_column(const Value& value, const Cells& cells) {
  if (cells.in(Column::measured)) return Column::measured;
  const auto has = [&](Column column) {
    return value.columns[static_cast<std::size_t>(column)].has_value();
  };
  if (has(Column::measured) || has(Column::predicted)) return Column::predicted;
  return has(Column::simulated) ? Column::simulated : Column::theory;
}

Findings find(const Lesson& lesson, Tier tier, const Documents& documents) {
  Findings findings;
  for (const Value& value : lesson.values) {
    Cells cells;
    for (std::size_t i = 0; i < value.columns.size(); ++i) {
      if (!value.columns[i]) continue;
      cells.of[i] = cell(lesson, tier, documents, static_cast<Column>(i), *value.columns[i]);
      if (cells.of[i] && value.unit) cells.of[i]->unit = *value.unit;
    }
    if (value.published) {
      cells.of.back() = Number{value.published->value, value.published->unit, Nature::published};
    }
    findings.values.push_back(cells);
  }
  for (std::size_t i = 0; i < lesson.checks.size(); ++i) {
    const Check& check = lesson.checks[i];
    if (!answers(lesson, tier, check.number)) continue;
    if (check.equals && !answers(lesson, tier, *check.equals)) continue;
    CheckFinding finding;
    finding.check = i;
    finding.number = of_cells(lesson, findings.values, check.number);
    if (check.equals) finding.expected = of_cells(lesson, findings.values, *check.equals);
    judge(check, finding);
    findings.checks.push_back(finding);
  }
  for (std::size_t i = 0; i < lesson.sentences.size(); ++i) {
    if (complete(lesson, findings, lesson.sentences[i].text)) findings.sentences.push_back(i);
  }
  findings.curve = find_curve(lesson, tier, documents);
  if (lesson.question) {
    if (const Value* const value = lesson.value(lesson.question->value)) {
      const Cells& cells = findings.values[static_cast<std::size_t>(value - lesson.values.data())];
      findings.answer = cells.in(asked_column(*value, cells));
    }
  }
  return findings;
}

std::string text_of(const Number& number, const Value* value) {
  const std::optional<int> decimals = value == nullptr ? std::nullopt : value->decimals;
  const auto with = [&](int otherwise) {
    return text::decimal(number.value, decimals.value_or(otherwise));
  };
  switch (number.unit) {
    case Unit::bytes:
      return bytes_text(number.value, value);
    case Unit::ms:
      return decimals ? with(0) + " ms" : text::duration_ns(number.value * 1e6).joined();
    case Unit::ratio:
      return with(2) + " \xc3\x97";
    case Unit::percent:
      return with(2) + " %";
    case Unit::tokens_per_s:
      return text::rate(number.value, "tokens").joined();
    case Unit::tflops_per_s:
      return text::rate(number.value * 1e12, "FLOP").joined();
    case Unit::flops:
      return calculate::value_text(number.value, calculate::Unit::flops);
    default:
      return decimals ? with(0) : plain_number(number.value);
  }
}

std::string filled(const Lesson& lesson, const Findings& findings, const std::string& text) {
  // The arguments point to these names, which must live as long.
  const auto names = text::placeholders(text);
  std::vector<text::Argument> arguments;
  for (const std::string& name : names) {
    const std::size_t dot = name.find('.');
    const Value* const value = lesson.value(name.substr(0, dot));
    const auto column =
        dot == name.npos ? std::nullopt : column_from(std::string_view(name).substr(dot + 1));
    if (value == nullptr || !column) continue;
    const auto index = static_cast<std::size_t>(value - lesson.values.data());
    const auto& number = findings.values[index].in(*column);
    arguments.push_back({name, number ? text_of(*number, value) : text::kNoNumber});
  }
  return text::fill(text, arguments);
}

std::string bound_of(const Lesson& lesson, const CheckFinding& finding) {
  const Check& check = lesson.checks[finding.check];
  const Unit unit = finding.number ? finding.number->unit : Unit::number;
  // Formatted as the checked value if the check is of one value alone.
  const Value* const value = check.number.kind == Expression::Kind::reference
                                 ? lesson.value(check.number.reference.of)
                                 : nullptr;
  const auto words = [&](double number) { return text_of({number, unit}, value); };
  if (check.equals) {
    if (!finding.expected) return text::kNoNumber;
    const double tolerance = tolerance_of(check, *finding.expected);
    std::string expected = words(finding.expected->value);
    if (tolerance > 0) {
      expected += check.within_percent
                      ? " \xc2\xb1 " + text::plain(*check.within_percent) + " %"
                      : " \xc2\xb1 " + (unit == Unit::number ? text::plain(tolerance)
                                                             : text_of({tolerance, unit}));
    }
    return "= " + expected;
  }
  if (check.at_least && check.at_most) {
    return words(*check.at_least) + " \xe2\x80\xa6 " + words(*check.at_most);
  }
  return check.at_least ? "\xe2\x89\xa5 " + words(*check.at_least)
                        : "\xe2\x89\xa4 " + words(*check.at_most);
}

base::Result<Guess> parse_guess(const Lesson& lesson, Tier tier, const std::string& text) {
  if (!lesson.question) return text::fail("lesson_error.no_question", {{"lesson", lesson.id}});
  const Question& question = *lesson.question;
  Guess guess;
  guess.text = text;
  if (!question.choices.empty()) {
    const auto number = text::parse_count(text);
    const auto most = static_cast<std::int64_t>(question.choices.size());
    if (!number || *number < 1 || *number > most) {
      return text::fail("lesson_error.choice",
                        {{"lesson", lesson.id}, {"most", std::to_string(most)}, {"value", text}});
    }
    guess.choice = static_cast<std::size_t>(*number - 1);
    return guess;
  }
  if (question.curve) {
    TS_TRY(guess.points, parse_curve(lesson, tier, text));
    guess.number = curve_slope(lesson, tier, guess.points);
    return guess;
  }
  const Value& value = *lesson.value(question.value);
  std::optional<Unit> unit = value.unit;
  for (const Column column :
       {Column::measured, Column::predicted, Column::simulated, Column::theory}) {
    const auto& of = value.columns[static_cast<std::size_t>(column)];
    if (of && !unit) unit = unit_of(lesson, tier, column, *of);
  }
  const auto number = guessed_number(text, unit.value_or(Unit::number), value);
  if (!number) {
    return text::fail("lesson_error.guess",
                      {{"example", text_of({2, unit.value_or(Unit::number)})}, {"value", text}});
  }
  guess.number = *number;
  return guess;
}

std::optional<std::size_t> true_choice(const Lesson& lesson, const Findings& findings) {
  if (!lesson.question || !findings.answer) return std::nullopt;
  const auto& choices = lesson.question->choices;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const double number = findings.answer->value;
    const bool above = !choices[i].from || number >= *choices[i].from;
    const bool below = !choices[i].below || number < *choices[i].below;
    if (above && below) return i;
  }
  return std::nullopt;
}

std::optional<bool> is_right(const Lesson& lesson, const Findings& findings, const Guess& guess) {
  if (!lesson.question || !findings.answer) return std::nullopt;
  if (guess.choice) return true_choice(lesson, findings) == guess.choice;
  const double answer = findings.answer->value;
  return std::abs(guess.number - answer) <=
         std::abs(answer) * lesson.question->within_percent / 100;
}

nlohmann::json to_json(const std::optional<Number>& number, const Value* value) {
  if (!number) return nullptr;
  return {{"value", number->value},
          {"unit", to_string(number->unit)},
          {"nature", to_string(number->nature)},
          {"words", text_of(*number, value)}};
}

nlohmann::json to_json(const Lesson& lesson, Tier tier, const Findings& findings,
                       text::Language language) {
  auto values = nlohmann::json::array();
  for (std::size_t i = 0; i < lesson.values.size(); ++i) {
    const Value& value = lesson.values[i];
    nlohmann::json row = {{"id", value.id}, {"label", value.label.in(language)}};
    for (int column = 0; column < kColumnCount; ++column) {
      row[to_string(static_cast<Column>(column))] =
          to_json(findings.values[i].in(static_cast<Column>(column)), &value);
    }
    values.push_back(std::move(row));
  }
  auto checks = nlohmann::json::array();
  for (const CheckFinding& one : findings.checks) {
    checks.push_back({{"text", lesson.checks[one.check].text.in(language)},
                      {"state", to_string(one.state)},
                      {"number", to_json(one.number, nullptr)},
                      {"bound", bound_of(lesson, one)}});
  }
  auto sentences = nlohmann::json::array();
  for (const std::size_t index : findings.sentences) {
    sentences.push_back(filled(lesson, findings, lesson.sentences[index].text.in(language)));
  }
  const Value* const asked = lesson.question ? lesson.value(lesson.question->value) : nullptr;
  return {{"lesson", lesson.id},
          {"tier", to_string(tier)},
          {"values", std::move(values)},
          {"checks", std::move(checks)},
          {"answer", to_json(findings.answer, asked)},
          {"sentences", std::move(sentences)}};
}

}  // namespace ts::lessons
