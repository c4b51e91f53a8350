#include "core/lessons/lesson_names.h"

#include <algorithm>

#include "core/lessons/lesson_plan.h"
#include "core/spec/spec_fields.h"
#include "core/text/message.h"

namespace ts::lessons {
namespace {

// The checks after everything is read: references to names that do not exist.
class Names {
 public:
  Names(const Lesson& lesson, std::string name) : lesson_(&lesson), name_(std::move(name)) {}

  void check_value(const Value& value) {
    const std::string place = name_ + ", values " + value.id;
    if (value.either) return check_either(place, value);
    for (std::size_t i = 0; i < value.columns.size(); ++i) {
      if (value.columns[i]) check_column(place, static_cast<Column>(i), *value.columns[i]);
    }
  }

  void check_cells(const std::string& place, const Expression& expression) {
    visit_references(expression, [&](const Reference& one) { check_cell(place, one); });
  }

  void check_text(const std::string& place, const Words& words) {
    const auto references = references_of(words);
    if (!references) return wrong(place, references.error());
    for (const Reference& one : *references) check_cell(place, one);
  }

  // The curve of a question: a quantity at the points of a sweep over one axis, in every tier.
  void check_curve(const std::string& place) {
    const CurveQuestion& curve = *lesson_->question->curve;
    const Step* const step = lesson_->step(curve.step);
    if (step == nullptr)
      return wrong(place, text::message("lesson_file.no_step", {{"step", curve.step}}));
    for (std::size_t i = 0; i < step->plans.size(); ++i) {
      const auto& plan = step->plans[i];
      if (!plan) continue;
      if (plan->kind != StepKind::sweep || plan->sweep.axes.size() != 1)
        return wrong(place, text::message("lesson_file.curve_axis", {{"step", curve.step}}));
      const auto row = find_quantity(plan->kind, curve.quantity);
      if (!row) return wrong(place, row.error());
      const sweep::SweepAxis& axis = plan->sweep.axes.front();
      std::string argument = curve.series.empty() ? "" : curve.series + ", ";
      argument +=
          std::string(spec::field_name(axis.field)) + " = " + std::to_string(axis.values.front());
      if (auto good = check_argument(**row, argument, *plan); !good)
        return wrong(place, good.error());
      if (!curve.ranges[i]) {
        const char* const tier = to_string(static_cast<Tier>(i));
        return wrong(place, text::message("lesson_file.no_range", {{"tier", tier}}));
      }
    }
  }

  void check_cell(const std::string& place, const Reference& one) {
    const Value* const value = lesson_->value(one.of);
    if (value == nullptr) return wrong(place, no_value(one.of));
    const auto column = column_from(one.name);
    if (!column) {
      return wrong(place, text::message("lesson_file.no_column", {{"name", one.name}}));
    }
    const auto index = static_cast<std::size_t>(*column);
    const bool there = *column == Column::published ? value->published.has_value()
                                                    : value->columns[index].has_value();
    if (!there) {
      wrong(place,
            text::message("lesson_file.empty_column", {{"value", one.of}, {"name", one.name}}));
    }
  }

  void wrong(const std::string& place, base::Message what) {
    if (problem_.empty()) problem_ = at_place(place, std::move(what));
  }

  [[nodiscard]] const base::Message& problem() const { return problem_; }

  static base::Message no_value(const std::string& id) {
    return text::message("lesson_file.no_value", {{"value", id}});
  }

 private:
  // The same expression stands for both columns: a run provides one, a dry run the other.
  void check_either(const std::string& place, const Value& value) {
    base::Message why;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      for (int tier = 0; tier < kTierCount; ++tier) {
        const auto column = static_cast<Column>(i);
        if (has_all(column, *value.columns[i], static_cast<Tier>(tier), why)) return;
      }
    }
    wrong(place, why.empty()
                     ? text::message("lesson_file.no_tier_of", {{"text", value.columns[0]->text}})
                     : why);
  }

  // Some tier must have every number of a column, of its nature; else reports the first reason why
  // not.
  void check_column(const std::string& place, Column column, const Expression& expression) {
    base::Message why;
    for (int i = 0; i < kTierCount; ++i) {
      if (has_all(column, expression, static_cast<Tier>(i), why)) return;
    }
    wrong(place, why.empty()
                     ? text::message("lesson_file.no_tier_column",
                                     {{"text", expression.text}, {"column", to_string(column)}})
                     : why);
  }

  bool has_all(Column column, const Expression& expression, Tier tier, base::Message& why) {
    bool all = lesson_->has(tier);
    visit_references(expression, [&](const Reference& one) {
      const Step* const step = lesson_->step(one.of);
      const auto fail = [&](base::Message reason) {
        if (why.empty()) why = std::move(reason);
        all = false;
      };
      if (step == nullptr) return fail(text::message("lesson_file.no_step", {{"step", one.of}}));
      const auto& plan = step->plans[static_cast<std::size_t>(tier)];
      if (!plan) {
        all = false;
        return;
      }
      const auto row = find_quantity(plan->kind, one.name);
      if (!row) return fail(row.error());
      if (auto good = check_argument(**row, one.argument, *plan); !good) {
        return fail(at_place(one.of + "." + one.name, good.error()));
      }
      all = all && gives(*plan, **row, column);
    });
    return all;
  }

  const Lesson* lesson_;
  std::string name_;
  base::Message problem_;
};

}  // namespace

base::Result<void> check_names(const Lesson& lesson, const std::string& name) {
  Names names(lesson, name);
  for (const Value& value : lesson.values) names.check_value(value);
  if (lesson.question) {
    const std::string place = name + ", question";
    const Value* const value = lesson.value(lesson.question->value);
    if (value == nullptr) {
      names.wrong(place, Names::no_value(lesson.question->value));
    } else if (std::ranges::none_of(value->columns,
                                    [](const auto& one) { return one.has_value(); })) {
      names.wrong(place, text::message("lesson_file.answer_nature"));
    }
    if (lesson.question->curve) names.check_curve(place);
    names.check_text(place, lesson.question->after);
  }
  for (std::size_t i = 0; i < lesson.checks.size(); ++i) {
    const std::string place = name + ", checks " + std::to_string(i + 1);
    names.check_cells(place, lesson.checks[i].number);
    if (lesson.checks[i].equals) names.check_cells(place, *lesson.checks[i].equals);
    names.check_text(place, lesson.checks[i].why);
  }
  for (std::size_t i = 0; i < lesson.sentences.size(); ++i) {
    names.check_text(name + ", sentences " + std::to_string(i + 1), lesson.sentences[i].text);
  }
  if (!names.problem().empty()) return tl::unexpected(names.problem());
  return {};
}

}  // namespace ts::lessons
