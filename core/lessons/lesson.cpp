#include "core/lessons/lesson.h"

#include <algorithm>

#include "core/base/result_files.h"
#include "core/text/message.h"

namespace ts::lessons {
namespace {

constexpr std::array<const char*, kTierCount> kTierNames = {"laptop", "8gb", "80gb"};
constexpr std::array<const char*, kColumnCount> kColumnNames = {"measured", "predicted", "theory",
                                                                "simulated", "published"};

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
  const auto found = std::ranges::find(steps, step_id, &Step::id);
  return found == steps.end() ? nullptr : &*found;
}

const Value* Lesson::value(std::string_view value_id) const {
  const auto found = std::ranges::find(values, value_id, &Value::id);
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
        return text::fail("lesson_file.no_reference",
                          {{"written", "{" + name + "}"}, {"form", "{VALUE.measured}"}});
      }
      found.push_back({name.substr(0, dot), name.substr(dot + 1), {}});
    }
  }
  return found;
}

std::vector<std::string> files_of(StepKind kind) {
  switch (kind) {
    case StepKind::run:
      return {"run.json",     "trace.json",     "snapshot.pickle",     "operators.csv",
              "operators.md", "stacks.txt",     "curves.csv",          "curves.png",
              "curves.svg",   base::kChecksCsv, base::kChecksMarkdown, "workspace.png",
              "timeline.png", "memory.png"};
    case StepKind::predict:
      return {"prediction.json", "predicted_snapshot.pickle",
              "peak.csv",        "peak.md",
              "accounting.csv",  "accounting.md",
              "workspace.png",   "memory.png"};
    case StepKind::sweep:
      return {base::kSweepFiles.begin(), base::kSweepFiles.end()};
    case StepKind::hunt:
      return {base::kHuntDocument, "probes.csv", "probes.md"};
    case StepKind::ab:
      return {"comparison.json", "comparison.csv", "comparison.md"};
    case StepKind::advise:
      return {"advice.json", "advice.csv", "advice.md", "advice.tex", "ladder.csv", "ladder.md"};
    case StepKind::calculate:
      return {"calculation.json", "calculation.csv", "calculation.md", "calculation.tex"};
    case StepKind::simulate:
      return {"simulation.json", "simulation.csv", "simulation.md", "simulation.tex",
              "trace.json",      "curves.csv",     "curves.png",    "curves.svg"};
    case StepKind::load:
      return {"loading.json", "loading.csv", "loading.md", "loading.tex",
              "trace.json",   "curves.csv",  "curves.png", "curves.svg"};
    case StepKind::step:
      return {"steps.json", "steps.csv", "steps.md", "steps.tex", "picture.png", "picture.svg"};
  }
  return {};
}

}  // namespace ts::lessons
