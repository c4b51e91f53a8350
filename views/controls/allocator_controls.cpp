// Controls for the allocator of the target card, and the effect of expandable segments.
#include <imgui.h>

#include <cstdlib>

#include "core/text/numbers.h"
#include "views/common/widgets.h"
#include "views/controls/controls_view.h"
#include "views/controls/field_controls.h"

namespace ts::views {
namespace {

using predict::Fit;
using spec::Field;

}  // namespace

std::string expandable_text(const predict::Outlook& outlook, const text::Texts& texts) {
  if (!outlook.expandable || outlook.target == nullptr) return {};
  const predict::ExpandableNeed& with = *outlook.expandable;
  const predict::Prediction& now = outlook.target->prediction;
  const std::int64_t saved = now.needed - with.needed;
  const std::vector<base::Argument> arguments = {
      {"needed", text::bytes(with.needed).joined()},
      {"difference", text::bytes(std::abs(saved)).joined()}};
  if (now.fit == Fit::oom && with.fit != Fit::oom)
    return texts("controls.allocator.would_fit", arguments);
  if (saved > 0) return texts("controls.allocator.would_save", arguments);
  return texts(saved < 0 ? "controls.allocator.would_cost" : "controls.allocator.would_not",
               arguments);
}

void draw_allocator(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  spec::WorkloadSpec spec = context.history.spec();
  const std::string problem = problem_text(context, Field::alloc_conf);
  allocator::AllocatorSettings settings = predict::allocator_settings_of(spec);
  if (toggle(ui, "###expandable_segments", ui.texts("controls.allocator.expandable"),
             settings.expandable_segments, width, problem)) {
    spec.alloc_conf = settings.to_string();
    context.history.set(spec);
  }
  if (context.outlook != nullptr && problem.empty()) {
    const std::string words = expandable_text(*context.outlook, ui.texts);
    if (!words.empty()) {
      const bool current = context.outlook->expandable->current;
      wrapped_text(ui, TextStyle::small, current ? ui.theme.text2 : ui.theme.text3, words);
    }
  }
  ImGui::Dummy({0, ui.px(4)});
  draw_field(context, Field::alloc_conf, width);
  if (spec.device == spec::DeviceKind::cuda && !spec.alloc_conf.empty()) {
    wrapped_text(ui, TextStyle::small, ui.theme.text3, ui.texts("controls.allocator.environment"));
  }
}

}  // namespace ts::views
