#pragma once

#include <cstdint>
#include <string>

#include "core/lessons/demo.h"
#include "views/common/ui.h"

namespace ts::views {

// How far a demo is: the question alone, the picture beside it, the answer as well.
enum class DemoStage : std::uint8_t { question, picture, answer };

// The demo of a lecture in this frame. Keys as they are shown.
struct DemoShown {
  const lessons::Demo& demo;
  std::size_t number = 1;  // from 1
  std::size_t count = 1;
  DemoStage stage = DemoStage::question;
  std::string why_not = {};  // why its picture cannot be shown here; empty: it can
  const char* next_key = "";
  const char* leave_key = "";
};
struct DemoRequests {
  bool next = false;
  bool leave = false;
};

// Pixels for the strip at that width; the same at every stage, so that the page does not move.
float demo_strip_height(const Ui& ui, const DemoShown& shown, float width);
// Number, title and question; below it the task, then the answer. In the current window.
DemoRequests draw_demo_strip(const Ui& ui, const DemoShown& shown);

// The question over the whole of the current window, in large words.
DemoRequests draw_demo_question(const Ui& ui, const DemoShown& shown);

}  // namespace ts::views
