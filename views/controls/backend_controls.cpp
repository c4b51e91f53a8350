// The attention backends: the list of the panel, and the field of projector mode.
#include <imgui.h>

#include <algorithm>

#include "core/spec/backend_traits.h"
#include "core/text/numbers.h"
#include "views/charts/icons.h"
#include "views/common/backend_marks.h"
#include "views/common/exact_bytes.h"
#include "views/common/glossary.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"
#include "views/controls/controls_view.h"
#include "views/controls/field_controls.h"

namespace ts::views {
namespace {

using spec::Field;

constexpr const char* kHoldsIcon = "\xef\x80\x8c";  // check mark

// The memory that the target card would need with this backend, at the right end of its row.
void draw_backend_need(const ControlsContext& context, spec::AttentionBackend backend,
                       const Rect& row) {
  if (context.outlook == nullptr) return;
  const auto& needs = context.outlook->backends;
  const auto need =
      std::ranges::find_if(needs, [backend](const auto& one) { return one.backend == backend; });
  if (need == needs.end()) return;
  const Ui& ui = context.ui;
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  if (!need->unavailable.sentence.empty()) {
    tooltip(ui, message_text(ui.texts, need->unavailable));
    sink.text({row.x1 - ui.px(30), row.y0 + ui.px(4)}, TextStyle::body, ui.theme.text3,
              text::kNoNumber);
    return;
  }
  exact_bytes_tip(ui, need->needed);
  const bool over = need->fit == predict::Fit::oom;
  // Fainter while the number is of earlier settings.
  const Color whole = over ? ui.theme.bad : ui.theme.text;
  const Color color = need->current ? whole : with_alpha(whole, 0.45F);
  const text::Quantity size = text::bytes(need->needed);
  const float y = (row.y0 + row.y1 - sink.text_height(TextStyle::body)) / 2;
  const float unit_x = row.x1 - ui.px(30);
  sink.text({unit_x, y + ui.px(1)}, TextStyle::small, over ? color : ui.theme.text3, size.unit);
  const float value_x = unit_x - ui.px(6) - sink.text_width(TextStyle::body_medium, size.value);
  sink.text({value_x, y}, TextStyle::body_medium, color, size.value);
  if (over) {
    const char* word = ui.texts("controls.backend.oom");
    sink.text({unit_x - ui.px(58) - sink.text_width(TextStyle::small, word), y + ui.px(1)},
              TextStyle::small, color, word);
  }
}

void draw_backend_row(const ControlsContext& context, const Choice& choice,
                      spec::AttentionBackend backend, float width) {
  const Ui& ui = context.ui;
  spec::WorkloadSpec spec = context.history.spec();
  const bool chosen = spec.backend == backend;
  const bool possible = choice.reason.empty();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::BeginDisabled(!possible);
  if (press_area(("###backend_" + choice.id).c_str(), width, ui.px(24))) {
    spec.backend = backend;
    context.history.set(spec);
  }
  ImGui::EndDisabled();
  const Rect row{at.x, at.y, at.x + width, at.y + ui.px(24)};
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const float fade = possible || chosen ? 1.0F : 0.4F;
  // The chosen backend is highlighted even if this machine cannot run it: the card may be able to.
  if (chosen) {
    sink.fill(row, ui.theme.surface3, ui.px(3));
  } else if (ImGui::IsItemHovered()) {
    sink.fill(row, with_alpha(ui.theme.surface3, 0.5F), ui.px(3));
  }
  focus_ring(ui);
  tooltip(ui, choice.reason);
  draw_mark(sink, {with_alpha(backend_color(ui.theme.kind, backend), fade), backend_shape(backend)},
            {at.x + ui.px(12), (row.y0 + row.y1) / 2}, ui.px(5));
  sink.text({at.x + ui.px(28), (row.y0 + row.y1 - sink.text_height(TextStyle::body)) / 2},
            chosen ? TextStyle::body_medium : TextStyle::body, label_color(ui.theme, possible),
            choice.label);
  if (possible || chosen) draw_backend_need(context, backend, row);
}

// The conditions of flash attention on the card and settings, each with its value: a fold, with the
// first that does not hold beside its title.
void draw_flash_conditions(const ControlsContext& context) {
  const Ui& ui = context.ui;
  const spec::WorkloadSpec& spec = context.history.spec();
  const spec::Gpu* const card = context.gpus.find(spec.target_gpu);
  if (card == nullptr) return;
  const auto conditions = spec::flash_conditions(spec, *card);
  if (conditions.empty()) return;
  const auto held = std::ranges::count(conditions, true, &spec::FlashCondition::holds);
  const auto all = static_cast<std::ptrdiff_t>(conditions.size());
  const std::string title = ui.texts("flash.title", {{"card", card->name}});
  const std::string remark = std::to_string(held) + " / " + std::to_string(all);
  if (all == 0 || !folded_section(ui, "###flash_conditions", title, remark)) return;
  for (const spec::FlashCondition& one : conditions) {
    const float left = ImGui::GetCursorPosX();
    text(ui, TextStyle::small, one.holds ? ui.theme.ok : ui.theme.bad,
         one.holds ? kHoldsIcon : icon::kWarning);
    ImGui::SameLine(left + ui.px(20));
    wrapped_text(ui, TextStyle::small, one.holds ? ui.theme.text2 : ui.theme.text,
                 message_text(ui.texts, one.words));
  }
}

}  // namespace

void draw_backends(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  const std::string reason = reason_text(context, Field::backend);
  const bool needs = context.outlook != nullptr && !context.outlook->backends.empty();
  section(ui, ui.texts("controls.backend"),
          reason.empty() && needs ? ui.texts("controls.backend.needs") : reason);
  tooltip(ui, meaning(ui.texts, "backend"));
  const int chosen = static_cast<int>(context.history.spec().backend);
  const std::vector<Choice> choices = field_choices_of(context, Field::backend);
  const auto draw_row = [&](std::size_t i) {
    draw_backend_row(context, choices[i], static_cast<spec::AttentionBackend>(i), width);
  };
  const SortedChoices sorted = sorted_choices(choices, chosen);
  for (const std::size_t i : sorted.possible) draw_row(i);
  if (draw_refused_fold(ui, "###backend_refused", sorted)) {
    for (const std::size_t i : sorted.refused) draw_row(i);
  }
  if (reason.empty()) draw_flash_conditions(context);
}

void draw_backend_select(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  spec::WorkloadSpec spec = context.history.spec();
  const std::vector<Choice> choices = field_choices_of(context, Field::backend);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const auto choose = [&] {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const auto backend = static_cast<spec::AttentionBackend>(i);
      const std::string id = "###backend_" + choices[i].id;
      if (list_row(ui, id.c_str(), choices[i].label, "", backend == spec.backend,
                   choices[i].reason)) {
        spec.backend = backend;
        context.history.set(spec);
        return true;
      }
    }
    return false;
  };
  select(ui, "###backend", choices[static_cast<std::size_t>(spec.backend)].label, "", width, choose,
         ui.px(18));
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  draw_mark(sink, {backend_color(ui.theme.kind, spec.backend), backend_shape(spec.backend)},
            {at.x + ui.px(16), at.y + ui.px(14)}, ui.px(5));
}

}  // namespace ts::views
