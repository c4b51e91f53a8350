#include <algorithm>
#include <cctype>
#include <set>

#include "core/lessons/lesson_json.h"
#include "core/lessons/lesson_names.h"
#include "core/lessons/lesson_plan.h"
#include "core/text/message.h"
#include "core/text/typed_numbers.h"

namespace ts::lessons {
namespace {

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
    reader.wrong(text::message("lesson_file.bad_id", {{"id", id}}));
  }
  if (!seen.insert(id).second) reader.wrong(text::message("lesson_file.two_ids"));
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
  reader.wrong(text::message("lesson_file.bad_expression",
                             {{"text", text}, text::argument("reason", parsed.error())}));
  return std::nullopt;
}

// A card is not here, so what measures has no place in its sizes.
bool runs_here(const StepPlan& plan) {
  return plan.gpu.empty() && (plan.kind == StepKind::load || !has_no_workload(plan.kind));
}

void read_steps_of(ObjectReader& reader, const spec::GpuCatalogue& gpus, Lesson& lesson) {
  std::set<std::string> seen;
  for (ObjectReader& one : reader.objects("steps")) {
    one.allow({"id", "title", "laptop", "8gb", "80gb"});
    Step step;
    step.id = read_id(one, seen);
    step.title = one.words("title");
    bool any = false;
    for (std::size_t tier = 0; tier < std::size_t{kTierCount}; ++tier) {
      auto plan = one.object(to_string(static_cast<Tier>(tier)));
      if (!plan || !one.good()) continue;
      any = true;
      step.plans[tier] = read_plan(*plan, gpus);
      if (step.plans[tier] && tier > 0 && runs_here(*step.plans[tier])) {
        plan->wrong(text::message("lesson_file.no_card"));
      }
    }
    if (!any) one.wrong(text::message("lesson_file.no_tier"));
    lesson.steps.push_back(std::move(step));
  }
  if (lesson.steps.empty()) reader.wrong(text::message("lesson_file.no_steps"));
}

std::optional<Published> read_published(ObjectReader& reader) {
  auto object = reader.object("published");
  if (!object) return std::nullopt;
  object->allow({"value", "unit", "source"});
  Published published;
  const auto value = object->number("value");
  if (!value) object->wrong(text::message("lesson_file.missing", {{"key", "value"}}));
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
                                       {"FLOP", 1, Unit::flops},
                                       {"TFLOP", 1e12, Unit::flops},
                                       {"TFLOP/s", 1, Unit::tflops_per_s},
                                       {"count", 1, Unit::count}};
  const std::string unit = object->text_or("unit", "");
  const auto* const scale = std::ranges::find(kScales, unit, &PublishedUnit::name);
  if (scale == std::end(kScales)) {
    object->wrong(text::message(
        "lesson_file.no_unit",
        {{"unit", unit},
         {"all", "B, MiB, GiB, MB, GB, ms, s, x, %, tokens/s, FLOP, TFLOP, TFLOP/s, count"}}));
    return std::nullopt;
  }
  published.value *= scale->factor;
  published.unit = scale->unit;
  return published;
}

void read_values_of(ObjectReader& reader, Lesson& lesson) {
  std::set<std::string> seen;
  for (ObjectReader& one : reader.objects("values")) {
    one.allow({"id", "label", "of", "measured", "predicted", "theory", "simulated", "published",
               "unit", "in", "decimals"});
    Value value;
    value.id = read_id(one, seen);
    value.label = one.words("label");
    if (one.has("of")) {
      // The tier determines the column: a run measures, a dry run predicts.
      value.either = true;
      value.columns[0] = value.columns[1] = read_expression(one, "of");
      if (one.has("measured") || one.has("predicted")) {
        one.wrong(text::message("lesson_file.of_and_column"));
      }
    }
    for (std::size_t i = 0; i < kExpressionCount; ++i) {
      if (auto expression = read_expression(one, to_string(static_cast<Column>(i)))) {
        value.columns[i] = std::move(expression);
      }
    }
    value.published = read_published(one);
    const std::string unit = one.text_or("unit", "");
    if (!unit.empty()) value.unit = unit_from(unit);
    if (!unit.empty() && !value.unit) {
      one.wrong(text::message(
          "lesson_file.no_unit",
          {{"unit", unit},
           {"all", "number, count, bytes, ms, ratio, percent, tokens/s, TFLOP/s, FLOP"}}));
    }
    value.shown_in = one.text_or("in", "");
    constexpr std::string_view kUnits[] = {"", "MiB", "GiB", "MB", "GB"};
    if (std::ranges::find(kUnits, value.shown_in) == std::end(kUnits)) {
      one.wrong(text::message("lesson_file.shown_in", {{"unit", value.shown_in}}));
    }
    if (const auto decimals = one.whole("decimals", 0, 12)) {
      value.decimals = static_cast<int>(*decimals);
    }
    lesson.values.push_back(std::move(value));
  }
}

// "1 MiB" or a number.
std::optional<double> range_end(const std::string& text) {
  if (auto number = text::parse_real(text)) return number;
  const auto bytes = text::parse_bytes(text);
  return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
}

CurveQuestion read_curve(ObjectReader& reader) {
  reader.allow({"step", "series", "of", "laptop", "8gb", "80gb"});
  CurveQuestion curve{.step = reader.text("step"),
                      .series = reader.text_or("series", ""),
                      .quantity = reader.text("of")};
  for (std::size_t i = 0; i < curve.ranges.size(); ++i) {
    const char* const tier = to_string(static_cast<Tier>(i));
    const std::string range = reader.text_or(tier, "");
    if (range.empty()) continue;
    const std::size_t colon = std::min(range.find(':'), range.size() - 1);
    const auto low = range_end(range.substr(0, colon)), high = range_end(range.substr(colon + 1));
    if (low && high && *low > 0 && *low < *high) {
      curve.ranges[i] = {*low, *high};
    } else {
      reader.wrong(text::message("lesson_file.bad_range", {{"text", range}}));
    }
  }
  return curve;
}

std::optional<Question> read_question(ObjectReader& reader) {
  auto object = reader.object("question");
  if (!object) return std::nullopt;
  object->allow({"text", "answer", "within_percent", "choices", "curve", "after"});
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
      one.wrong(text::message("lesson_file.choice_range"));
    }
    question.choices.push_back(std::move(choice));
  }
  if (auto curve = object->object("curve")) question.curve = read_curve(*curve);
  if (question.choices.size() == 1) object->wrong(text::message("lesson_file.one_choice"));
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
      one.wrong(text::message("lesson_file.missing", {{"key", "value"}}));
    }
    check.at_least = one.number("at_least");
    check.at_most = one.number("at_most");
    check.equals = read_expression(one, "equals");
    check.within = one.number("within").value_or(0);
    check.within_percent = one.number("within_percent");
    const bool tolerance = one.has("within") || one.has("within_percent");
    if (!check.at_least && !check.at_most && !check.equals) {
      one.wrong(text::message("lesson_file.check_needs", {{"keys", "at_least, at_most, equals"}}));
    } else if (check.equals && (check.at_least || check.at_most)) {
      one.wrong(text::message("lesson_file.equals_alone", {{"keys", "at_least, at_most"}}));
    } else if (tolerance && !check.equals) {
      one.wrong(text::message("lesson_file.within_equals"));
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
      one.wrong(text::message("lesson_file.no_step", {{"step", deliverable.step}}));
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
      one.wrong(text::message("lesson_file.no_file", {{"file", deliverable.file}, {"all", all}}));
    }
    lesson.deliverables.push_back(std::move(deliverable));
  }
}

void read_whole(ObjectReader& reader, const spec::GpuCatalogue& gpus, Lesson& lesson) {
  reader.allow({"id", "rows", "minutes", "title", "summary", "task", "question", "steps", "values",
                "checks", "sentences", "answers", "deliverables"});
  lesson.id = reader.text("id");
  if (reader.good() && !good_id(lesson.id, true)) {
    reader.wrong(text::message("lesson_file.bad_lesson_id", {{"id", lesson.id}}));
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

base::Result<Lesson> read_lesson(std::string_view json, const std::string& name,
                                 const spec::GpuCatalogue& gpus) {
  Lesson lesson;
  const auto read =
      read_object(json, name, [&](ObjectReader& reader) { read_whole(reader, gpus, lesson); });
  if (!read) return tl::unexpected(read.error());
  TS_TRY_DONE(check_names(lesson, name));
  return lesson;
}

}  // namespace ts::lessons
