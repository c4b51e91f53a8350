#include "views/controls/card_numbers.h"

#include <imgui.h>

#include <functional>
#include <string>
#include <vector>

#include "core/spec/typed_card.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "views/common/edit_field.h"
#include "views/common/imgui_sink.h"
#include "views/controls/field_controls.h"

namespace ts::views {
namespace {

constexpr float kNumberLabelWidth = 152;
constexpr float kNumberRowHeight = 28;

// One number of a card. The typed text becomes a word of a card's line, so the same rules parse it.
// `take` copies the number.
struct Number {
  const char* id;
  std::string label;
  std::string shown;   // empty: not known
  std::string edited;  // text in the field when typing begins
  std::function<std::string(const std::string&)> line;
  void (*take)(spec::Gpu& into, const spec::Gpu& from);
  void (*leave_out)(spec::Gpu& into);  // called if nothing is typed; null: the number is required
};

std::string plain(double value) {
  std::string words = text::decimal(value, 3);
  while (words.find('.') != std::string::npos && (words.back() == '0' || words.back() == '.')) {
    const bool dot = words.back() == '.';
    words.pop_back();
    if (dot) break;
  }
  return words;
}

template <std::optional<double> spec::Gpu::*kPlace>
Number peak_of(const Ui& ui, const spec::Gpu& gpu, const char* dtype) {
  const std::optional<double>& value = gpu.*kPlace;
  const std::string number = value ? plain(*value) : std::string();
  return {dtype,
          ui.texts("controls.card.peak", {{"dtype", dtype}}),
          number,
          number,
          [dtype](const std::string& typed) {
            return std::string("custom 1GiB ") + dtype + "=" + typed;
          },
          [](spec::Gpu& into, const spec::Gpu& from) { into.*kPlace = from.*kPlace; },
          [](spec::Gpu& into) { (into.*kPlace).reset(); }};
}

std::vector<Number> numbers_of(const Ui& ui, const spec::Gpu& gpu) {
  const std::string bandwidth = gpu.bandwidth_gb_s > 0 ? plain(gpu.bandwidth_gb_s) : "";
  return {
      {.id = "memory",
       .label = ui.texts("controls.card.memory"),
       .shown = text::bytes(gpu.memory_bytes).joined(),
       .edited = std::to_string(gpu.memory_bytes),
       .line =
           [](const std::string& typed) {
             // A plain number is in GiB, unless it is so large that it must be bytes.
             const bool gibibytes =
                 typed.size() < 6 && typed.find_first_not_of("0123456789.") == std::string::npos;
             return "custom " + typed + (gibibytes ? "GiB" : "");
           },
       .take =
           [](spec::Gpu& into, const spec::Gpu& from) {
             into.memory_bytes = from.memory_bytes;
             into.box_bytes = 0;
           },
       .leave_out = nullptr},
      {.id = "bandwidth",
       .label = ui.texts("controls.card.bandwidth"),
       .shown = bandwidth,
       .edited = bandwidth,
       .line = [](const std::string& typed) { return "custom 1GiB " + typed + "GB/s"; },
       .take = [](spec::Gpu& into,
                  const spec::Gpu& from) { into.bandwidth_gb_s = from.bandwidth_gb_s; },
       .leave_out = [](spec::Gpu& into) { into.bandwidth_gb_s = 0; }},
      peak_of<&spec::Gpu::fp32_tflops>(ui, gpu, "fp32"),
      peak_of<&spec::Gpu::tf32_tflops>(ui, gpu, "tf32"),
      peak_of<&spec::Gpu::bf16_tflops>(ui, gpu, "bf16"),
      peak_of<&spec::Gpu::fp16_tflops>(ui, gpu, "fp16"),
      {.id = "cc",
       .label = ui.texts("controls.card.compute"),
       .shown = gpu.compute_capability,
       .edited = gpu.compute_capability,
       .line = [](const std::string& typed) { return "custom 1GiB cc=" + typed; },
       .take = [](spec::Gpu& into,
                  const spec::Gpu& from) { into.compute_capability = from.compute_capability; },
       .leave_out = nullptr},
  };
}

// Returns false if the text cannot be parsed.
bool apply(const Number& number, std::string typed, spec::Gpu& gpu) {
  std::erase(typed, ' ');
  if (typed.empty()) {
    if (number.leave_out != nullptr) number.leave_out(gpu);
    return number.leave_out != nullptr;
  }
  const auto read = spec::read_typed_card(number.line(typed));
  if (read) number.take(gpu, *read);
  return read.has_value();
}

}  // namespace

void draw_card_numbers(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  spec::WorkloadSpec spec = context.history.spec();
  const spec::Gpu* const found =
      spec::is_typed_card(spec.target_gpu) ? context.gpus.find(spec.target_gpu) : nullptr;
  if (found == nullptr) return;
  spec::Gpu gpu = *found;
  for (const Number& number : numbers_of(ui, gpu)) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    sink.text({at.x, at.y + (ui.px(kNumberRowHeight) - sink.text_height(TextStyle::body)) / 2},
              TextStyle::body, ui.theme.text, number.label);
    const EditSettings look{
        number.shown.empty() ? std::string(text::kNoNumber) : number.shown, number.edited, {}};
    const Rect rest{at.x + ui.px(kNumberLabelWidth), at.y, at.x + width,
                    at.y + ui.px(kNumberRowHeight)};
    const auto typed = edit_field(ui, std::string("card_") + number.id, look, rest);
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({width, ui.px(kNumberRowHeight + 1)});
    if (!typed) continue;
    if (apply(number, *typed, gpu)) {
      spec.target_gpu = spec::typed_card_name(gpu);
      if (spec != context.history.spec()) context.history.set(spec);
    } else {
      context.history.refuse(spec::Field::target_gpu,
                             text::message("controls.unread", {{"typed", *typed}}));
    }
  }
  draw_refusal(context, spec::Field::target_gpu);
}

}  // namespace ts::views
