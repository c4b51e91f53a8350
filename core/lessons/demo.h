#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/lessons/lesson.h"

namespace ts::lessons {

// A demonstration that one key starts: a question, the picture that answers it, and the answer in
// words.
struct Demo {
  std::string id;
  Words title;
  Words question;  // to the class, before anything is shown
  Words task;      // what to do or to look at in the picture
  Words answer;
  // A run, sweep, hunt or A/B on the page of that name. A prediction is the page of runs, where
  // nothing runs.
  StepPlan plan;
};

// Each demo has a digit key.
inline constexpr std::size_t kMostDemos = 10;

// assets/demos.json, in the order of the keys. The error names the demo.
base::Result<std::vector<Demo>> read_demos(std::string_view json, const spec::GpuCatalogue& gpus);

}  // namespace ts::lessons
