#include "core/lessons/lesson_report.h"

#include "core/lessons/drawn_curve.h"

#include <algorithm>
#include <set>

#include "core/text/joined.h"
#include "core/text/numbers.h"

namespace ts::lessons {
namespace {

using io::Block;

class Writer {
 public:
  Writer(const ReportInput& input, const text::Texts& texts) : in_(input), texts_(texts) {}

  std::vector<Block> blocks() {
    add(Block::Kind::title, words(lesson().title));
    add(Block::Kind::text, words(lesson().summary));
    add(Block::Kind::text, about());
    add(Block::Kind::heading, texts_("lesson.report.task"));
    add(Block::Kind::text, words(lesson().task));
    question();
    add(Block::Kind::heading, texts_("lesson.report.steps"));
    table(steps_table());
    add(Block::Kind::heading, texts_("lesson.report.numbers"));
    add(Block::Kind::text, texts_("lesson.report.natures"));
    table(values_table(in_, texts_));
    if (!in_.findings->checks.empty()) {
      add(Block::Kind::heading, texts_("lesson.report.checks"));
      table(checks_table(in_, texts_));
    }
    sentences();
    pictures();
    answers();
    handed_in();
    again();
    return std::move(blocks_);
  }

 private:
  [[nodiscard]] const Lesson& lesson() const { return *in_.lesson; }
  [[nodiscard]] const std::string& words(const Words& of) const { return of.in(texts_.language()); }
  void add(Block::Kind kind, std::string text) {
    if (!text.empty()) blocks_.push_back({kind, std::move(text)});
  }
  void table(io::TextTable made) {
    if (!made.rows.empty()) blocks_.push_back({Block::Kind::table, {}, std::move(made)});
  }

  std::string named(const char* name, const std::string& value) {
    return texts_("lesson.named", {{"name", texts_(name)}, {"value", value}});
  }

  std::string about() {
    const std::string rows = text::joined(lesson().rows, ", ");
    return texts_("lesson.report.about",
                  {{"rows", rows.empty() ? text::kNoNumber : rows},
                   {"tier", texts_(std::string("lesson.tier.") + to_string(in_.tier))}});
  }

  void question() {
    if (!lesson().question) return;
    const Question& asked = *lesson().question;
    add(Block::Kind::heading, texts_("lesson.report.question"));
    add(Block::Kind::text, words(asked.text));
    for (const Choice& one : asked.choices) add(Block::Kind::item, words(one.text));
    add(Block::Kind::text,
        named("lesson.report.guess",
              in_.guess ? text_of(lesson(), *in_.guess, texts_.language()) : text::kNoNumber));
    const auto& answer = in_.findings->answer;
    if (!answer) return;
    std::string found =
        texts_("lesson.named", {{"name", answer_name(lesson(), *in_.findings, texts_)},
                                {"value", text_of(*answer, lesson().value(asked.value))}});
    if (const auto choice = true_choice(lesson(), *in_.findings)) {
      found += " (" + words(asked.choices[*choice].text) + ")";
    }
    add(Block::Kind::text, found);
    if (in_.guess) {
      add(Block::Kind::text, verdict_text(lesson(), *in_.findings, *in_.guess, texts_));
      const std::string error =
          curve_summary(lesson(), in_.tier, *in_.findings, *in_.guess, texts_);
      if (!error.empty()) add(Block::Kind::text, error);
    }
    add(Block::Kind::text, filled(lesson(), *in_.findings, words(asked.after)));
  }

  io::TextTable steps_table() {
    io::TextTable made;
    made.columns = {texts_("lesson.report.step"), texts_("lesson.report.kind"),
                    texts_("lesson.report.state"), texts_("lesson.report.command")};
    for (const Step& one : lesson().steps) {
      const auto& plan = one.plans[static_cast<std::size_t>(in_.tier)];
      if (!plan) continue;
      const bool done = std::ranges::find(in_.finished, one.id) != in_.finished.end();
      made.rows.push_back({words(one.title),
                           texts_(std::string("lesson.kind.") + to_string(plan->kind)),
                           texts_(done ? "lesson.state.done" : "lesson.state.open"),
                           "tensorscope " + plan->command});
    }
    return made;
  }

  void sentences() {
    if (in_.findings->sentences.empty()) return;
    add(Block::Kind::heading, texts_("lesson.report.sentences"));
    for (const std::size_t index : in_.findings->sentences) {
      add(Block::Kind::item,
          filled(lesson(), *in_.findings, words(lesson().sentences[index].text)));
    }
  }

  void pictures() {
    if (in_.pictures.empty()) return;
    add(Block::Kind::heading, texts_("lesson.report.pictures"));
    for (const std::string& file : in_.pictures) add(Block::Kind::picture, file);
  }

  void answers() {
    if (lesson().answers.empty()) return;
    add(Block::Kind::heading, texts_("lesson.report.answers"));
    for (const FreeAnswer& one : lesson().answers) {
      add(Block::Kind::text, words(one.text));
      const auto given = in_.answers.find(one.id);
      const bool empty = given == in_.answers.end() || given->second.empty();
      add(Block::Kind::text, empty ? texts_("lesson.report.no_answer") : given->second);
    }
  }

  void handed_in() {
    add(Block::Kind::heading, texts_("lesson.report.files"));
    for (const Deliverable& one : lesson().deliverables) {
      const std::string path = "step-" + one.step + "/" + one.file;
      if (std::ranges::find(in_.files, path) == in_.files.end()) continue;
      add(Block::Kind::item, words(one.text) + ": " + path);
    }
    add(Block::Kind::text, texts_("lesson.report.all_files"));
  }

  void again() {
    add(Block::Kind::heading, texts_("lesson.report.again"));
    add(Block::Kind::code, in_.again);
    table(commands_table(in_, texts_));
    io::TextTable made;
    made.columns = {texts_("lesson.report.environment"), ""};
    for (const auto& [name, value] : in_.environment) made.rows.push_back({name, value});
    table(std::move(made));
  }

  const ReportInput& in_;
  const text::Texts& texts_;
  std::vector<Block> blocks_;
};

}  // namespace

std::string verdict_text(const Lesson& lesson, const Findings& findings, const Guess& guess,
                         const text::Texts& texts) {
  const bool right = is_right(lesson, findings, guess).value_or(false);
  if (lesson.question && lesson.question->curve) {
    return texts(right ? "lesson.report.right_growth" : "lesson.report.wrong_growth");
  }
  return texts(right ? "lesson.report.right" : "lesson.report.wrong");
}

std::string curve_summary(const Lesson& lesson, Tier tier, const Findings& findings,
                          const Guess& guess, const text::Texts& texts) {
  const auto error = curve_error(lesson, tier, findings, guess);
  if (!error) return {};
  return texts("lesson.curve_error", {{"slope", text::decimal(error->slope, 2)},
                                      {"truth", text::decimal(error->true_slope, 2)},
                                      {"ratio", text::decimal(error->ratio, 2)}});
}

std::string text_of(const Lesson& lesson, const Guess& guess, text::Language language) {
  if (!guess.choice || !lesson.question) return guess.text;
  return lesson.question->choices[*guess.choice].text.in(language);
}

std::string answer_name(const Lesson& lesson, const Findings& findings, const text::Texts& texts) {
  const Value& value = *lesson.value(lesson.question->value);
  const Cells& cells = findings.values[static_cast<std::size_t>(&value - lesson.values.data())];
  return texts(std::string("lesson.report.") + to_string(asked_column(value, cells)));
}

io::TextTable values_table(const ReportInput& input, const text::Texts& texts) {
  const Lesson& lesson = *input.lesson;
  io::TextTable table;
  table.columns = {texts("lesson.report.number"), texts("lesson.report.guess")};
  const auto columns = columns_of(lesson, input.tier);
  table.right = {false, true};
  for (const Column column : columns) {
    table.columns.emplace_back(texts(std::string("lesson.report.") + to_string(column)));
    table.right.push_back(true);
  }
  table.columns.emplace_back(texts("lesson.report.source"));
  table.right.push_back(false);
  for (std::size_t i = 0; i < lesson.values.size(); ++i) {
    const Value& value = lesson.values[i];
    if (!in_tier(lesson, input.tier, value)) continue;
    const bool asked = lesson.question && lesson.question->value == value.id && input.guess;
    std::vector<std::string> row = {value.label.in(texts.language()),
                                    asked ? text_of(lesson, *input.guess, texts.language()) : ""};
    for (const Column column : columns) {
      const auto& number = input.findings->values[i].in(column);
      row.push_back(number ? text_of(*number, &value) : text::kNoNumber);
    }
    row.push_back(value.published ? value.published->source : "");
    table.rows.push_back(std::move(row));
  }
  return table;
}

io::TextTable checks_table(const ReportInput& input, const text::Texts& texts) {
  const Lesson& lesson = *input.lesson;
  io::TextTable table{.columns = {texts("lesson.report.state"), texts("lesson.report.check"),
                                  texts("lesson.report.number"), texts("lesson.report.bound"),
                                  texts("lesson.report.why")},
                      .right = {false, false, true, true, false}};
  for (const CheckFinding& one : input.findings->checks) {
    const Check& check = lesson.checks[one.check];
    const Value* const value = check.number.kind == Expression::Kind::reference
                                   ? lesson.value(check.number.reference.of)
                                   : nullptr;
    table.rows.push_back({texts(std::string("lesson.check.") + to_string(one.state)),
                          check.text.in(texts.language()),
                          one.number ? text_of(*one.number, value) : text::kNoNumber,
                          bound_of(lesson, one),
                          filled(lesson, *input.findings, check.why.in(texts.language()))});
  }
  return table;
}

io::TextTable commands_table(const ReportInput& input, const text::Texts& texts) {
  const Lesson& lesson = *input.lesson;
  io::TextTable table;
  table.columns = {texts("lesson.report.number"), texts("lesson.report.nature"),
                   texts("lesson.report.computed"), texts("lesson.report.command")};
  for (std::size_t i = 0; i < lesson.values.size(); ++i) {
    for (std::size_t column = 0; column < lesson.values[i].columns.size(); ++column) {
      if (!input.findings->values[i].of[column]) continue;
      const Expression& expression = *lesson.values[i].columns[column];
      std::set<std::string> commands;
      visit_references(expression, [&](const Reference& one) {
        const Step* const step = lesson.step(one.of);
        const auto& plan = step->plans[static_cast<std::size_t>(input.tier)];
        if (plan) commands.insert("tensorscope " + plan->command);
      });
      table.rows.push_back(
          {lesson.values[i].label.in(texts.language()),
           texts(std::string("lesson.report.") + to_string(static_cast<Column>(column))),
           expression.text, text::joined(commands, "; ")});
    }
  }
  return table;
}

std::vector<Block> report_blocks(const ReportInput& input, const text::Texts& texts) {
  return Writer(input, texts).blocks();
}

}  // namespace ts::lessons
