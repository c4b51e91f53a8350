// The controls of projector mode: the settings used in a lecture, in one row.
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "views/charts/icons.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"
#include "views/controls/controls_view.h"

namespace ts::views {
namespace {

constexpr float kMargin = 16;
constexpr float kGap = 24;
constexpr float kRow = 28;
constexpr float kAll = 36;  // the button for all settings

constexpr float kLetter = 16;  // the least width of a slider's label

constexpr std::size_t kMostSizes = 2;

// The first sizes that matter for the workload.
std::vector<spec::Field> sizes_of(const spec::WorkloadSpec& spec) {
  std::vector<spec::Field> sizes = {spec::Field::B, spec::Field::T, spec::Field::image,
                                    spec::Field::d_model};
  std::erase_if(sizes, [&spec](spec::Field field) { return !spec::field_applies(spec, field); });
  if (sizes.size() > kMostSizes) sizes.resize(kMostSizes);
  return sizes;
}

// A label followed by a field of `width`. Returns the x where the next label begins.
template <class Draw>
float labelled(const Ui& ui, const char* words, float x, float y, float width, Draw draw_field) {
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  ImGui::SetCursorPos({x, y + (ui.px(kRow) - sink.text_height(TextStyle::body)) / 2});
  text(ui, TextStyle::body_strong, ui.theme.text, words);
  x += sink.text_width(TextStyle::body_strong, words) + ui.px(8);
  ImGui::SetCursorPos({x, y});
  draw_field(width);
  return x + width + ui.px(kGap);
}

}  // namespace

bool draw_controls_strip(const ControlsContext& context, bool all_shown) {
  const Ui& ui = context.ui;
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const char* backend = ui.texts("controls.strip.backend");
  const char* target = ui.texts("controls.strip.target");
  const float width = ImGui::GetWindowWidth();
  const float y = (ImGui::GetWindowHeight() - ui.px(kRow)) / 2;
  const float backend_width = std::min(ui.px(148), width * 0.13F);
  const float target_width = std::min(ui.px(200), width * 0.2F);
  const auto labelled_width = [&](const char* words, float field) {
    return sink.text_width(TextStyle::body_strong, words) + ui.px(8) + field;
  };
  const spec::WorkloadSpec& spec = context.history.spec();
  const std::vector<spec::Field> sizes = sizes_of(spec);
  const bool attends = spec::field_applies(spec, spec::Field::backend);
  float rest = width - 2 * ui.px(kMargin) - ui.px(kAll) - labelled_width(target, target_width);
  if (attends) rest -= ui.px(kGap) + labelled_width(backend, backend_width);
  const auto count = static_cast<float>(sizes.size());
  const float slider_width = (rest - ui.px(kGap) * (count + 1)) / std::max(count, 1.0F);
  float x = ui.px(kMargin);
  ImGui::SetCursorPos({x, y});
  const bool pressed = button(ui, "###all_settings", icon::kOptions, "", "",
                              all_shown ? ButtonKind::primary : ButtonKind::plain, ui.px(kAll));
  tooltip(ui, ui.texts("action.what.settings") + std::string("  C"));
  x += ui.px(kAll) + ui.px(kGap);
  for (const spec::Field field : sizes) {
    ImGui::SetCursorPos({x, y});
    const float label = sink.text_width(TextStyle::body, size_text(ui.texts, spec, field));
    draw_size_slider(context, field, slider_width, std::max(kLetter, label / ui.metrics.scale));
    x += slider_width + ui.px(kGap);
  }
  if (attends) {
    x = labelled(ui, backend, x, y, backend_width,
                 [&](float field) { draw_backend_select(context, field); });
  }
  labelled(ui, target, x, y, target_width,
           [&](float field) { draw_target_select(context, field); });
  return pressed;
}

}  // namespace ts::views
