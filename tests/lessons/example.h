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

// A lesson of a calculator and a simulation.
inline std::string arithmetic_example() {
  return R"json({
    "id": "shards", "title": "Shards", "task": "Look.",
    "question": {"text": "What is left?", "answer": "held"},
    "steps": [
      {"id": "memory", "title": "Shards", "laptop": {"kind": "calculate", "calculator": "zero",
       "set": ["ranks=8"]}},
      {"id": "bubbles", "title": "Bubbles", "laptop": {"kind": "simulate",
       "simulation": "pipeline", "set": ["micro_batches=4"], "over": "pipeline_stages=2,4"}}],
    "values": [
      {"id": "held", "label": "Held", "theory": "memory.term(zero2)", "in": "GB",
       "published": {"value": 35, "unit": "GB", "source": "x"}},
      {"id": "bubble", "label": "Bubble", "theory": "100 * 3 / 7", "unit": "percent",
       "simulated": "bubbles.figure(bubble, pipeline_stages = 4)"}]})json";
}

}  // namespace ts::lessons::testing
