#pragma once

#include <span>
#include <string>

#include "core/io/text_table.h"
#include "core/simulate/simulation.h"
#include "views/common/ui.h"

namespace ts::views {

// The figures of a simulation or of a measured load: what, its name, and a column for each number.
void draw_figures(const Ui& ui, const char* id, const io::TextTable& table);
// Its lanes over the width of the window.
void draw_outcome_timeline(const Ui& ui, const simulate::Outcome& outcome);

// The input that varies and its numbers as they are typed, for a list of inputs. Keeps both.
struct VariedInput {
  std::string name;     // empty: none does
  std::string numbers;  // "1,2,4"
  // Returns whether one of them changed.
  bool draw(const Ui& ui, std::span<const calculate::Input> inputs);
  // "workers=1,2,4"; empty: nothing varies.
  [[nodiscard]] std::string words() const { return name.empty() ? name : name + "=" + numbers; }
};

}  // namespace ts::views
