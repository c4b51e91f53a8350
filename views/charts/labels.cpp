#include "views/charts/labels.h"

#include <charconv>
#include <cmath>

#include "core/trace/slice_class.h"

namespace ts::views {

using base::Phase;
using trace::SliceClass;

namespace {

std::string step_label(std::string_view name, const text::Texts& texts) {
  const std::size_t space = name.rfind(' ');
  const std::string_view digits = space == std::string_view::npos ? "" : name.substr(space + 1);
  std::int64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::string(name);
  return texts("timeline.step", {{"number", text::grouped(number + 1)}});
}

}  // namespace

std::string slice_label(std::string_view name, SliceClass slice_class, const text::Texts& texts) {
  if (slice_class == SliceClass::step) return step_label(name, texts);
  if (const auto phase = trace::phase_of(slice_class)) return texts(phase_key(*phase));
  constexpr std::string_view kOperator = "aten::";
  if (name.starts_with(kOperator)) {
    name.remove_prefix(kOperator.size());
    // ATen's mark for operators that users should not call directly.
    while (name.size() > 1 && name.front() == '_') name.remove_prefix(1);
  }
  return std::string(name);
}

std::string_view short_label(std::string_view label, SliceClass slice_class) {
  if (slice_class != SliceClass::module) return {};
  const std::size_t dot = label.rfind('.');
  if (dot == std::string_view::npos) return {};
  // The "3" of "blocks.3" alone has no meaning.
  const std::string_view last = label.substr(dot + 1);
  const bool number = last.find_first_not_of("0123456789") == std::string_view::npos;
  return number ? std::string_view{} : last;
}

std::string category_key(memory::Category category) {
  return "memory.category." + std::string(memory::category_name(category));
}

std::string phase_key(Phase phase) {
  return "timeline.phase." + std::string(base::phase_name(phase));
}

std::string class_key(SliceClass slice_class) {
  const bool of_work = slice_class >= SliceClass::matmul;
  return std::string("timeline.class.") +
         (of_work ? trace::kSliceClassNames[static_cast<std::size_t>(slice_class)] : "other");
}

std::string prediction_error(std::int64_t predicted, std::int64_t measured) {
  if (predicted == measured) return "0 %";
  if (measured == 0) return text::kNoNumber;
  const double part =
      static_cast<double>(predicted - measured) / static_cast<double>(measured) * 100.0;
  return text::percent(part, std::abs(part) < 0.1 ? 3 : 1) + " %";
}

text::Quantity recording_cost_text(const run::RecordingCost& cost, const text::Texts& texts) {
  if (!cost.ci95) {
    return {texts("inspector.overhead_few", {{"count", text::grouped(cost.probes)}}), ""};
  }
  const std::string low = text::percent(cost.ci95->low, 1);
  const std::string high = text::percent(cost.ci95->high, 1);
  if (!cost.clear()) {
    return {texts("inspector.overhead_unclear", {{"low", low}, {"high", high}}), "%"};
  }
  return {texts("inspector.overhead_clear",
                {{"cost", text::percent(cost.percent, 1)}, {"low", low}, {"high", high}}),
          "%"};
}

}  // namespace ts::views
