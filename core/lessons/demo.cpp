#include "core/lessons/demo.h"

#include <set>

#include "core/lessons/lesson_json.h"
#include "core/lessons/lesson_plan.h"
#include "core/run/compare.h"
#include "core/text/message.h"

namespace ts::lessons {
namespace {

Demo read_demo(ObjectReader& reader, const spec::GpuCatalogue& gpus) {
  reader.allow({"id", "title", "question", "task", "answer", "plan"});
  Demo demo;
  demo.id = reader.text("id");
  demo.title = reader.words("title");
  demo.question = reader.words("question");
  demo.task = reader.words("task");
  demo.answer = reader.words("answer");
  auto plan = reader.object("plan");
  if (!plan) {
    reader.wrong(text::message("lesson_file.missing", {{"key", "plan"}}));
    return demo;
  }
  if (auto read = read_plan(*plan, gpus)) demo.plan = std::move(*read);
  if (has_no_workload(demo.plan.kind) || demo.plan.kind == StepKind::advise) {
    plan->wrong({.sentence = "a demo runs, predicts, sweeps, hunts or compares"});
  }
  // More than the forms of the pages have.
  const auto& series = demo.plan.sweep.series;
  if (series.size() > 1 || (!series.empty() && !series.front().field)) {
    plan->wrong({.sentence = "a demo's sweep has at most one setting as series"});
  }
  if (demo.plan.kind == StepKind::ab &&
      run::differences(demo.plan.spec, demo.plan.other).size() != 1) {
    plan->wrong({.sentence = "B of a demo differs in one setting"});
  }
  return demo;
}

}  // namespace

base::Result<std::vector<Demo>> read_demos(std::string_view json, const spec::GpuCatalogue& gpus) {
  std::vector<Demo> demos;
  const auto read = read_object(json, "The list of demos", [&](ObjectReader& reader) {
    reader.allow({"demos"});
    std::set<std::string> seen;
    for (ObjectReader& one : reader.objects("demos")) {
      demos.push_back(read_demo(one, gpus));
      if (!seen.insert(demos.back().id).second) one.wrong(text::message("lesson_file.two_ids"));
      if (demos.size() > kMostDemos) one.wrong({.sentence = "there are no keys for more than ten"});
    }
  });
  if (!read) return tl::unexpected(read.error());
  return demos;
}

}  // namespace ts::lessons
