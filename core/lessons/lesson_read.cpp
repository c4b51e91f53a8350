#include <algorithm>
#include <cctype>
#include <set>

#include "core/lessons/lesson_json.h"
#include "core/lessons/lesson_plan.h"
#include "core/spec/nearest.h"

namespace ts::lessons {
namespace {

constexpr std::array<const char*, kTierCount> kTierNames = {"laptop", "8gb", "80gb"};
constexpr std::array<const char*, kColumnCount> kColumnNames = {"measured", "predicted", "theory",
                                                                "published"};

// A small letter, then small letters, digits and underscores; the id of a lesson may have hyphens,
// too.
bool good_id(const std::string& id, bool hyphens) {
  if (id.empty() || id.size() > 40 || std::islower(static_cast<unsigned char>(id.front())) == 0) {
    return false;
  }
  return std::ranges::all_of(id, [hyphens](unsigned char letter) {
    return std::islower(letter) != 0 || std::isdigit(letter) != 0 || letter == '_' ||
           (hyphens && letter == '-');
  });
}

std::string read_id(ObjectReader& reader, std::set<std::string>& seen) {
  std::string id = reader.text("id");
  if (!reader.good()) return {};
  if (!good_id(id, false)) {
    reader.wrong("the id \"" + id +
                 "\" must begin with a small letter and hold only small letters, digits and "
                 "underscores");
  }
  if (!seen.insert(id).second) reader.wrong("there are two with this id");
  return id;
}

std::optional<Expression> read_expression(ObjectReader& reader, const char* key) {
  if (!reader.has(key)) return std::nullopt;
  const nlohmann::json& raw = reader.raw(key);
  if (raw.is_number()) {
    Expression constant;
    constant.constant = raw.get<double>();
    constant.text = raw.dump();
    return constant;
  }
  const std::string text = reader.text(key);
  if (!reader.good()) return std::nullopt;
  auto parsed = parse_expression(text);
  if (parsed) return std::move(*parsed);
  reader.wrong("\"" + text + "\" " + parsed.error().sentence);
  return std::nullopt;
}

// The checks after everything is read: references to names that do not exist.
class Names {
 public:
  Names(const Lesson& lesson, std::string name, std::string& problem)
      : lesson_(&lesson), name_(std::move(name)), problem_(&problem) {}

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

  void check_words(const std::string& place, const Words& words) {
    const auto references = references_of(words);
    if (!references) return wrong(place, references.error().sentence);
    for (const Reference& one : *references) check_cell(place, one);
  }

  void check_cell(const std::string& place, const Reference& one) {
    const Value* const value = lesson_->value(one.of);
    if (value == nullptr) return wrong(place, "there is no value \"" + one.of + "\"");
    const auto column = column_from(one.name);
    if (!column) {
      return wrong(
          place, "a value has measured, predicted, theory and published, not \"" + one.name + "\"");
    }
    const auto index = static_cast<std::size_t>(*column);
    const bool there = *column == Column::published ? value->published.has_value()
                                                    : value->columns[index].has_value();
    if (!there) wrong(place, "the value " + one.of + " has nothing " + one.name);
  }

  void wrong(const std::string& place, const std::string& what) {
    if (problem_->empty()) *problem_ = place + ": " + what;
  }

 private:
  // The same expression stands for both columns: a run provides one, a dry run the other.
  void check_either(const std::string& place, const Value& value) {
    std::string why;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      for (int tier = 0; tier < kTierCount; ++tier) {
        const auto column = static_cast<Column>(i);
        if (has_all(column, *value.columns[i], static_cast<Tier>(tier), why)) return;
      }
    }
    wrong(place,
          why.empty() ? "no tier has all numbers of \"" + value.columns[0]->text + "\"" : why);
  }

  // Some tier must have every number of a column, of its nature; else reports the first reason why
  // not.
  void check_column(const std::string& place, Column column, const Expression& expression) {
    std::string why;
    for (int i = 0; i < kTierCount; ++i) {
      if (has_all(column, expression, static_cast<Tier>(i), why)) return;
    }
    wrong(place, !why.empty() ? why
                              : "no tier has all numbers of \"" + expression.text + "\" as " +
                                    to_string(column) + " ones");
  }

  bool has_all(Column column, const Expression& expression, Tier tier, std::string& why) {
    bool all = lesson_->has(tier);
    visit_references(expression, [&](const Reference& one) {
      const Step* const step = lesson_->step(one.of);
      const auto fail = [&](const std::string& reason) {
        if (why.empty()) why = reason;
        all = false;
      };
      if (step == nullptr) return fail("there is no step \"" + one.of + "\"");
      const auto& plan = step->plans[static_cast<std::size_t>(tier)];
      if (!plan) {
        all = false;
        return;
      }
      const auto row = find_quantity(plan->kind, one.name);
      if (!row) return fail(row.error().sentence);
      if (auto good = check_argument(**row, one.argument, *plan); !good) {
        return fail(one.of + "." + one.name + ": " + good.error().sentence);
      }
      all = all && gives(*plan, **row, column);
    });
    return all;
  }

  const Lesson* lesson_;
  std::string name_;
  std::string* problem_;
};

void read_steps_of(ObjectReader& reader, const spec::GpuCatalogue& gpus, Lesson& lesson) {
  std::set<std::string> seen;
  for (ObjectReader& one : reader.objects("steps")) {
    one.allow({"id", "title", "laptop", "8gb", "80gb"});
    Step step;
    step.id = read_id(one, seen);
    step.title = one.words("title");
    bool any = false;
    for (std::size_t tier = 0; tier < kTierNames.size(); ++tier) {
      auto plan = one.object(kTierNames[tier]);
      if (!plan || !one.good()) continue;
      any = true;
      step.plans[tier] = read_plan(*plan, gpus);
      if (step.plans[tier] && tier > 0 && step.plans[tier]->gpu.empty()) {
        plan->wrong("a tier of a card predicts for it: \"gpu\" is missing");
      }
    }
    if (!any) one.wrong("no tier says what it does: laptop, 8gb or 80gb");
    lesson.steps.push_back(std::move(step));
  }
  if (lesson.steps.empty()) reader.wrong("\"steps\" is missing or empty");
}

std::optional<Published> read_published(ObjectReader& reader) {
  auto object = reader.object("published");
  if (!object) return std::nullopt;
  object->allow({"value", "unit", "source"});
  Published published;
  const auto value = object->number("value");
  if (!value) object->wrong("\"value\" is missing");
  published.value = value.value_or(0);
  published.source = object->text("source");
  struct PublishedUnit {
    const char* name;
    double factor;
    Unit unit;
  };
  constexpr PublishedUnit kScales[] = {{"", 1, Unit::number},
                                       {"B", 1, Unit::bytes},
                                       {"MiB", 1048576, Unit::bytes},
                                       {"GiB", 1073741824, Unit::bytes},
                                       {"MB", 1e6, Unit::bytes},
                                       {"GB", 1e9, Unit::bytes},
                                       {"ms", 1, Unit::ms},
                                       {"s", 1000, Unit::ms},
                                       {"x", 1, Unit::ratio},
                                       {"%", 1, Unit::percent},
                                       {"tokens/s", 1, Unit::tokens_per_s},
                                       {"count", 1, Unit::count}};
  const std::string unit = object->text_or("unit", "");
  const auto* const scale =
      std::ranges::find_if(kScales, [&](const PublishedUnit& one) { return one.name == unit; });
  if (scale == std::end(kScales)) {
    object->wrong("there is no unit \"" + unit +
                  "\"; there are B, MiB, GiB, MB, GB, ms, s, x, %, tokens/s, count");
    return std::nullopt;
  }
  published.value *= scale->factor;
  published.unit = scale->unit;
  return published;
}

void read_values_of(ObjectReader& reader, Lesson& lesson) {
  std::set<std::string> seen;
  for (ObjectReader& one : reader.objects("values")) {
    one.allow({"id", "label", "of", "measured", "predicted", "theory", "published", "unit", "in",
               "decimals"});
    Value value;
    value.id = read_id(one, seen);
    value.label = one.words("label");
    if (one.has("of")) {
      // The tier determines the column: a run measures, a dry run predicts.
      value.either = true;
      value.columns[0] = value.columns[1] = read_expression(one, "of");
      if (one.has("measured") || one.has("predicted")) {
        one.wrong("\"of\" stands for measured and predicted: give one or the other");
      }
    }
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
      if (auto expression = read_expression(one, kColumnNames[i])) {
        value.columns[i] = std::move(expression);
      }
    }
    value.published = read_published(one);
    const std::string unit = one.text_or("unit", "");
    if (!unit.empty()) value.unit = unit_from(unit);
    if (!unit.empty() && !value.unit) {
      one.wrong("there is no unit \"" + unit +
                "\"; there are number, count, bytes, ms, ratio, percent, tokens/s, TFLOP/s");
    }
    value.shown_in = one.text_or("in", "");
    if (!value.shown_in.empty() && value.shown_in != "MiB" && value.shown_in != "GiB") {
      one.wrong("\"in\" takes MiB or GiB, not \"" + value.shown_in + "\"");
    }
    if (const auto decimals = one.whole("decimals", 0, 12)) {
      value.decimals = static_cast<int>(*decimals);
    }
    lesson.values.push_back(std::move(value));
  }
}

std::optional<Question> read_question(ObjectReader& reader) {
  auto object = reader.object("question");
  if (!object) return std::nullopt;
  object->allow({"text", "answer", "within_percent", "choices", "after"});
  Question question;
  question.text = object->words("text");
  question.value = object->text("answer");
  question.within_percent = object->number("within_percent").value_or(question.within_percent);
  question.after = object->words_or_none("after");
  for (ObjectReader& one : object->objects("choices")) {
    one.allow({"text", "from", "below"});
    Choice choice{
        .text = one.words("text"), .from = one.number("from"), .below = one.number("below")};
    if (!choice.from && !choice.below) {
      one.wrong("a choice is the answer for numbers \"from\" one and \"below\" another");
    }
    question.choices.push_back(std::move(choice));
  }
  if (question.choices.size() == 1) object->wrong("one choice is none");
  return question;
}

void read_checks_of(ObjectReader& reader, Lesson& lesson) {
  for (ObjectReader& one : reader.objects("checks")) {
    one.allow(
        {"text", "why", "value", "at_least", "at_most", "equals", "within", "within_percent"});
    Check check;
    check.text = one.words("text");
    check.why = one.words_or_none("why");
    if (auto number = read_expression(one, "value")) {
      check.number = std::move(*number);
    } else {
      one.wrong("\"value\" is missing");
    }
    check.at_least = one.number("at_least");
    check.at_most = one.number("at_most");
    check.equals = read_expression(one, "equals");
    check.within = one.number("within").value_or(0);
    check.within_percent = one.number("within_percent");
    const bool tolerance = one.has("within") || one.has("within_percent");
    if (!check.at_least && !check.at_most && !check.equals) {
      one.wrong("a check needs at_least, at_most or equals");
    } else if (check.equals && (check.at_least || check.at_most)) {
      one.wrong("equals stands alone: at_least and at_most are bounds of their own");
    } else if (tolerance && !check.equals) {
      one.wrong("within belongs to equals");
    }
    lesson.checks.push_back(std::move(check));
  }
}

void read_rest(ObjectReader& reader, Lesson& lesson) {
  for (ObjectReader& one : reader.objects("sentences")) {
    one.allow({"text"});
    lesson.sentences.push_back({one.words("text")});
  }
  std::set<std::string> seen;
  for (ObjectReader& one : reader.objects("answers")) {
    one.allow({"id", "text", "expected", "lines"});
    FreeAnswer answer;
    answer.id = read_id(one, seen);
    answer.text = one.words("text");
    answer.expected = one.words_or_none("expected");
    answer.lines = static_cast<int>(one.whole("lines", 1, 20).value_or(answer.lines));
    lesson.answers.push_back(std::move(answer));
  }
  for (ObjectReader& one : reader.objects("deliverables")) {
    one.allow({"step", "file", "text"});
    Deliverable deliverable{one.text("step"), one.text("file"), one.words("text")};
    const Step* const step = lesson.step(deliverable.step);
    if (one.good() && step == nullptr) {
      one.wrong("there is no step \"" + deliverable.step + "\"");
    }
    bool left = false;
    std::string all;
    for (int tier = 0; step != nullptr && tier < kTierCount; ++tier) {
      const auto& plan = step->plans[static_cast<std::size_t>(tier)];
      if (!plan) continue;
      for (const std::string& file : files_of(plan->kind)) {
        left = left || file == deliverable.file;
        all += (all.empty() ? "" : ", ") + file;
      }
    }
    if (one.good() && !left) {
      one.wrong("the step leaves no file \"" + deliverable.file + "\"; it leaves " + all);
    }
    lesson.deliverables.push_back(std::move(deliverable));
  }
}

void check_names(const Lesson& lesson, const std::string& name, std::string& problem) {
  Names names(lesson, name, problem);
  for (const Value& value : lesson.values) names.check_value(value);
  if (lesson.question) {
    const std::string place = name + ", question";
    const Value* const value = lesson.value(lesson.question->value);
    if (value == nullptr) {
      names.wrong(place, "there is no value \"" + lesson.question->value + "\"");
    } else if (!value->columns[0] && !value->columns[1]) {
      names.wrong(place, "its answer must be measured or predicted");
    }
    names.check_words(place, lesson.question->after);
  }
  for (std::size_t i = 0; i < lesson.checks.size(); ++i) {
    const std::string place = name + ", checks " + std::to_string(i + 1);
    names.check_cells(place, lesson.checks[i].number);
    if (lesson.checks[i].equals) names.check_cells(place, *lesson.checks[i].equals);
    names.check_words(place, lesson.checks[i].why);
  }
  for (std::size_t i = 0; i < lesson.sentences.size(); ++i) {
    names.check_words(name + ", sentences " + std::to_string(i + 1), lesson.sentences[i].text);
  }
}

void read_whole(ObjectReader& reader, const spec::GpuCatalogue& gpus, Lesson& lesson) {
  reader.allow({"id", "rows", "minutes", "title", "summary", "task", "question", "steps", "values",
                "checks", "sentences", "answers", "deliverables"});
  lesson.id = reader.text("id");
  if (reader.good() && !good_id(lesson.id, true)) {
    reader.wrong("the id \"" + lesson.id +
                 "\" must begin with a small letter and hold only small letters, digits, hyphens "
                 "and underscores");
  }
  lesson.rows = reader.texts("rows");
  lesson.minutes = static_cast<int>(reader.whole("minutes", 1, 600).value_or(lesson.minutes));
  lesson.title = reader.words("title");
  lesson.summary = reader.words_or_none("summary");
  lesson.task = reader.words("task");
  lesson.question = read_question(reader);
  read_steps_of(reader, gpus, lesson);
  read_values_of(reader, lesson);
  read_checks_of(reader, lesson);
  read_rest(reader, lesson);
}

}  // namespace

const char* to_string(Tier tier) {
  return kTierNames[static_cast<std::size_t>(tier)];
}

std::optional<Tier> tier_from(std::string_view name) {
  const auto found = std::ranges::find(kTierNames, name);
  if (found == kTierNames.end()) return std::nullopt;
  return static_cast<Tier>(found - kTierNames.begin());
}

const char* to_string(Column column) {
  return kColumnNames[static_cast<std::size_t>(column)];
}

std::optional<Column> column_from(std::string_view name) {
  const auto found = std::ranges::find(kColumnNames, name);
  if (found == kColumnNames.end()) return std::nullopt;
  return static_cast<Column>(found - kColumnNames.begin());
}

const std::string& Words::in(text::Language language) const {
  const std::string& asked = of[static_cast<std::size_t>(language)];
  if (!asked.empty()) return asked;
  const auto first = std::ranges::find_if(of, [](const std::string& one) { return !one.empty(); });
  return first == of.end() ? asked : *first;
}

bool Words::empty() const {
  return std::ranges::all_of(of, [](const std::string& one) { return one.empty(); });
}

bool Words::complete() const {
  return std::ranges::none_of(of, [](const std::string& one) { return one.empty(); });
}

bool Lesson::has(Tier tier) const {
  return steps_in(tier) > 0;
}

Tier Lesson::first_tier() const {
  for (int i = 0; i < kTierCount; ++i) {
    if (has(static_cast<Tier>(i))) return static_cast<Tier>(i);
  }
  return Tier::laptop;
}

std::size_t Lesson::steps_in(Tier tier) const {
  return static_cast<std::size_t>(std::ranges::count_if(steps, [&](const Step& one) {
    return one.plans[static_cast<std::size_t>(tier)].has_value();
  }));
}

const Step* Lesson::step(std::string_view step_id) const {
  const auto found =
      std::ranges::find_if(steps, [&](const Step& one) { return one.id == step_id; });
  return found == steps.end() ? nullptr : &*found;
}

const Value* Lesson::value(std::string_view value_id) const {
  const auto found =
      std::ranges::find_if(values, [&](const Value& one) { return one.id == value_id; });
  return found == values.end() ? nullptr : &*found;
}

bool Lesson::translated() const {
  const auto good = [](const Words& words) { return words.empty() || words.complete(); };
  bool all = title.complete() && task.complete() && good(summary);
  if (question) {
    all = all && question->text.complete() && good(question->after);
    for (const Choice& one : question->choices) all = all && one.text.complete();
  }
  for (const Step& one : steps) all = all && one.title.complete();
  for (const Value& one : values) all = all && one.label.complete();
  for (const Check& one : checks) all = all && one.text.complete() && good(one.why);
  for (const Sentence& one : sentences) all = all && one.text.complete();
  for (const FreeAnswer& one : answers) all = all && one.text.complete() && good(one.expected);
  for (const Deliverable& one : deliverables) all = all && one.text.complete();
  return all;
}

base::Result<std::vector<Reference>> references_of(const Words& words) {
  std::vector<Reference> found;
  for (const std::string& text : words.of) {
    for (const std::string& name : text::placeholders(text)) {
      const std::size_t dot = name.find('.');
      if (dot == name.npos) {
        return base::fail("{" + name + "} is not written as {VALUE.measured}");
      }
      found.push_back({name.substr(0, dot), name.substr(dot + 1), {}});
    }
  }
  return found;
}

std::vector<std::string> files_of(StepKind kind) {
  switch (kind) {
    case StepKind::run:
      return {"run.json",   "trace.json",    "snapshot.pickle", "operators.csv", "operators.md",
              "stacks.txt", "curves.csv",    "curves.png",      "curves.svg",    "checks.csv",
              "checks.md",  "workspace.png", "timeline.png",    "memory.png"};
    case StepKind::predict:
      return {"prediction.json", "predicted_snapshot.pickle",
              "peak.csv",        "peak.md",
              "accounting.csv",  "accounting.md",
              "workspace.png",   "memory.png"};
    case StepKind::sweep:
      return {"sweep.json", "sweep.csv", "sweep.md", "sweep.tex", "figure.png", "figure.svg"};
    case StepKind::hunt:
      return {"hunt.json", "probes.csv", "probes.md"};
    case StepKind::ab:
      return {"comparison.json", "comparison.csv", "comparison.md"};
  }
  return {};
}

base::Result<Lesson> read_lesson(std::string_view json, const std::string& name,
                                 const spec::GpuCatalogue& gpus) {
  Lesson lesson;
  const auto read =
      read_object(json, name, [&](ObjectReader& reader) { read_whole(reader, gpus, lesson); });
  if (!read) return tl::unexpected(read.error());
  std::string problem;
  check_names(lesson, name, problem);
  if (!problem.empty()) return base::fail(problem);
  return lesson;
}

}  // namespace ts::lessons
