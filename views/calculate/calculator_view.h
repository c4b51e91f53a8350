#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/calculate/calculator.h"
#include "views/common/ui.h"

namespace ts::views {

// The calculators: a list to choose one, its numbers with sliders at the left, and each term of the
// derivation with its formula and its value at the right. Keeps the numbers of all. UI thread.
class CalculatorView {
 public:
  // The number that the settings of the window have for an input; nothing: they have none.
  using NumberOf = std::function<std::optional<std::int64_t>(std::string_view name)>;

  CalculatorView();
  void draw(const Ui& ui, const NumberOf& of_settings);
  [[nodiscard]] const calculate::Values& shown() const { return values_[shown_]; }

 private:
  void draw_head(const Ui& ui, const NumberOf& of_settings);
  void draw_terms(const Ui& ui);
  void take(const NumberOf& of_settings);

  std::vector<calculate::Values> values_;  // one for each calculator
  std::size_t shown_ = 0;
  base::Message problem_;  // why the last typed number was not taken; empty: it was
};

}  // namespace ts::views
