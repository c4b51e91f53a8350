#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "assets/assets.h"
#include "core/lessons/lesson.h"
#include "core/spec/gpu_catalogue.h"

namespace ts::lessons::testing {

inline const spec::GpuCatalogue& gpus() {
  static const spec::GpuCatalogue all = *spec::GpuCatalogue::parse(assets::gpus());
  return all;
}

inline std::string page() {
  std::ifstream file(TENSORSCOPE_LESSONS_PAGE);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The whole lesson of docs/lessons.md.
inline std::string example() {
  const std::string text = page();
  const std::string open = "```json\n";
  const std::size_t begin = text.find(open) + open.size();
  return text.substr(begin, text.find("```", begin) - begin);
}

inline Lesson example_lesson() {
  auto lesson = read_lesson(example(), "example", gpus());
  return lesson ? std::move(*lesson) : Lesson{};
}

}  // namespace ts::lessons::testing
