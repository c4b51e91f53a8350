#include "views/controls/field_controls.h"

#include <imgui.h>

#include <algorithm>

#include "core/text/numbers.h"
#include "views/common/edit_field.h"
#include "views/common/glossary.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"

namespace ts::views {
namespace {

using spec::Field;

constexpr float kLabelWidth = 112;
constexpr float kRowHeight = 28;

// Draws the label of a row at the left. Returns the space right of it.
Rect draw_label(const ControlsContext& context, Field field, float width, float fade) {
  const Ui& ui = context.ui;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  sink.text({at.x, at.y + (ui.px(kRowHeight) - sink.text_height(TextStyle::body)) / 2},
            TextStyle::body, label_color(ui.theme, fade >= 1), field_label(ui.texts, field));
  ImGui::Dummy({ui.px(kLabelWidth), ui.px(kRowHeight)});
  tooltip(ui, meaning(ui.texts, spec::field_name(field)));
  ImGui::SetCursorScreenPos(at);
  return {at.x + ui.px(kLabelWidth), at.y, at.x + width, at.y + ui.px(kRowHeight)};
}

void end_row(const Ui& ui, const Rect& rest, float width) {
  ImGui::SetCursorScreenPos({rest.x1 - width, rest.y0});
  ImGui::Dummy({width, ui.px(kRowHeight + 1)});
}

bool fits_in_a_row(const Ui& ui, const std::vector<Choice>& choices, float width) {
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const float each = width / static_cast<float>(choices.size());
  return std::ranges::all_of(choices, [&](const Choice& choice) {
    return sink.text_width(TextStyle::body_medium, choice.label) + ui.px(8) <= each;
  });
}

void draw_choice(const ControlsContext& context, Field field, const spec::ChoiceField& kind,
                 float width) {
  const Ui& ui = context.ui;
  const std::string reason = reason_text(context, field);
  const Rect rest = draw_label(context, field, width, reason.empty() ? 1.0F : 0.4F);
  const std::vector<Choice> choices = field_choices_of(context, field);
  spec::WorkloadSpec spec = context.history.spec();
  int chosen = kind.get(spec);
  const std::string id = std::string("###") + spec::field_name(field);
  ImGui::SetCursorScreenPos({rest.x0, rest.y0});
  bool changed = false;
  if (fits_in_a_row(ui, choices, rest.width())) {
    changed = segmented(ui, id.c_str(), choices, chosen, rest.width());
  } else {
    const auto& current = choices[static_cast<std::size_t>(chosen)];
    select(ui, id.c_str(), current.label, "", rest.width(), [&] {
      for (std::size_t i = 0; i < choices.size(); ++i) {
        const std::string row = id + "_" + choices[i].id;
        if (list_row(ui, row.c_str(), choices[i].label, "", static_cast<int>(i) == chosen,
                     choices[i].reason)) {
          chosen = static_cast<int>(i);
          return changed = true;
        }
      }
      return false;
    });
  }
  if (changed) {
    kind.set(spec, chosen);
    context.history.set(spec);
  }
  end_row(ui, rest, width);
}

// The text, or its longest suffix that fits, after an ellipsis.
std::string shown_from_its_end(const DrawSink& sink, const std::string& text, float width) {
  std::string shown = text;
  for (std::size_t cut = 1; cut < text.size() && sink.text_width(TextStyle::mono, shown) > width;
       ++cut) {
    // Never cuts inside a character.
    while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) ++cut;
    shown = "\xe2\x80\xa6" + text.substr(cut);
  }
  return shown;
}

// A path or a name. If it does not fit, its end is shown.
void draw_text(const ControlsContext& context, Field field, const spec::TextField& kind,
               float width) {
  const Ui& ui = context.ui;
  const std::string reason = reason_text(context, field);
  const float fade = reason.empty() ? 1.0F : 0.4F;
  const Rect rest = draw_label(context, field, width, fade);
  spec::WorkloadSpec spec = context.history.spec();
  const std::string problem = problem_text(context, field);
  EditSettings look;
  look.edited = spec.*kind.member;
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  look.shown = shown_from_its_end(sink, look.edited, rest.width() - ui.px(16));
  if (reason.empty()) look.problem = problem;
  look.fade = fade;
  ImGui::BeginDisabled(!reason.empty());
  const auto typed = edit_field(ui, spec::field_name(field), look, rest);
  ImGui::EndDisabled();
  tooltip(ui, reason.empty() ? std::string_view(look.edited) : std::string_view(reason));
  if (typed && spec::set_field(spec, spec::field_name(field), *typed)) context.history.set(spec);
  end_row(ui, rest, width);
  if (!look.problem.empty()) wrapped_text(ui, TextStyle::small, ui.theme.bad, look.problem);
}

// A size such as 600MiB, or auto. Invalid input changes nothing and is reported.
void draw_bytes(const ControlsContext& context, Field field, const spec::BytesField& kind,
                float width) {
  const Ui& ui = context.ui;
  const Rect rest = draw_label(context, field, width, 1);
  spec::WorkloadSpec spec = context.history.spec();
  const std::int64_t bytes = spec.*kind.member;
  const std::string problem = problem_text(context, field);
  EditSettings look;
  look.shown =
      bytes == 0 ? std::string(ui.texts("controls.automatic")) : text::bytes(bytes).joined();
  look.edited = bytes == 0 ? "auto" : std::to_string(bytes);
  look.problem = problem;
  const auto typed = edit_field(ui, spec::field_name(field), look, rest);
  if (typed && set_typed(context, field, *typed, spec)) context.history.set(spec);
  end_row(ui, rest, width);
  if (!draw_refusal(context, field) && !problem.empty()) {
    wrapped_text(ui, TextStyle::small, ui.theme.bad, problem);
  }
}

void draw_real(const ControlsContext& context, Field field, const spec::RealField& kind,
               float width) {
  const Ui& ui = context.ui;
  const std::string reason = reason_text(context, field);
  const std::string problem = reason.empty() ? problem_text(context, field) : std::string();
  const float fade = reason.empty() ? 1.0F : 0.4F;
  const Rect rest = draw_label(context, field, width, fade);
  spec::WorkloadSpec spec = context.history.spec();
  EditSettings look;
  look.shown = look.edited = text::plain(spec.*kind.member);
  look.problem = problem.empty() ? reason : problem;
  if (problem.empty()) look.problem = {};
  look.fade = fade;
  ImGui::BeginDisabled(!reason.empty());
  const auto typed = edit_field(ui, spec::field_name(field), look,
                                {rest.x1 - ui.px(82), rest.y0, rest.x1, rest.y1});
  ImGui::EndDisabled();
  tooltip(ui, reason);
  if (typed && set_typed(context, field, *typed, spec)) context.history.set(spec);
  end_row(ui, rest, width);
  draw_refusal(context, field);
}

// The number of settings that have an effect here and are not at their default.
int changed_fields(const spec::WorkloadSpec& spec, std::span<const Field> fields) {
  const spec::WorkloadSpec defaults;
  return static_cast<int>(std::ranges::count_if(fields, [&](Field field) {
    if (!spec::field_applies(spec, field)) return false;
    return spec::field_text(spec, field) != spec::field_text(defaults, field);
  }));
}

}  // namespace

bool set_typed(const ControlsContext& context, Field field, const std::string& typed,
               spec::WorkloadSpec& spec) {
  const auto set = spec::set_field(spec, spec::field_name(field), typed);
  if (!set) context.history.refuse(field, set.error());
  return set.has_value();
}

bool draw_refusal(const ControlsContext& context, Field field) {
  const auto& refusal = context.history.refusal();
  if (!refusal || refusal->field != field) return false;
  const Ui& ui = context.ui;
  wrapped_text(ui, TextStyle::small, ui.theme.bad, message_text(ui.texts, refusal->why));
  return true;
}

std::string reason_text(const ControlsContext& context, Field field) {
  const std::string key = spec::field_reason(context.history.spec(), field);
  return key.empty() ? std::string() : std::string(context.ui.texts(key));
}

std::string problem_text(const ControlsContext& context, Field field) {
  const auto* problem = spec::problem_of(context.history.checked().problems(), field);
  return problem != nullptr ? message_text(context.ui.texts, *problem) : std::string();
}

std::vector<Choice> field_choices_of(const ControlsContext& context, Field field) {
  const Ui& ui = context.ui;
  const auto* kind = spec::field_as<spec::ChoiceField>(field);
  const spec::CheckedSpec& now = context.history.checked();
  const std::string reason = reason_text(context, field);
  std::vector<Choice> choices;
  for (const char* const name : kind->names) {
    Choice choice;
    choice.id = name;
    std::ranges::replace(choice.id, '+', '_');
    choice.label = ui.texts(choice_key(field, name));
    choice.reason = reason;
    for (const spec::SpecProblem& problem : now.with(field, name).problems) {
      const bool old =
          problem.field != field &&
          std::ranges::any_of(now.problems(), [&](auto& had) { return had.key == problem.key; });
      if (!old && choice.reason.empty()) choice.reason = message_text(ui.texts, problem);
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

SortedChoices sorted_choices(const std::vector<Choice>& choices, int chosen) {
  SortedChoices sorted;
  bool any = false;
  for (const Choice& choice : choices) any = any || choice.reason.empty();
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const bool kept = !any || choices[i].reason.empty() || static_cast<int>(i) == chosen;
    (kept ? sorted.possible : sorted.refused).push_back(i);
  }
  return sorted;
}

bool draw_refused_fold(const Ui& ui, const char* id, const SortedChoices& choices) {
  if (choices.refused.empty()) return false;
  const std::string count = std::to_string(choices.refused.size());
  return folded_section(ui, id, ui.texts("controls.refused", {{"count", count}}), {});
}

void draw_field(const ControlsContext& context, Field field, float width) {
  const Ui& ui = context.ui;
  const spec::FieldRow& row = spec::field_row(field);
  if (std::holds_alternative<spec::NumberField>(row.kind)) {
    draw_size_slider(context, field, width, kLabelWidth - 8);
  } else if (const auto* choice = std::get_if<spec::ChoiceField>(&row.kind)) {
    draw_choice(context, field, *choice, width);
  } else if (const auto* real = std::get_if<spec::RealField>(&row.kind)) {
    draw_real(context, field, *real, width);
  } else if (const auto* bytes = std::get_if<spec::BytesField>(&row.kind)) {
    draw_bytes(context, field, *bytes, width);
  } else if (const auto* words = std::get_if<spec::TextField>(&row.kind)) {
    draw_text(context, field, *words, width);
  } else if (const auto* flag = std::get_if<spec::FlagField>(&row.kind)) {
    spec::WorkloadSpec spec = context.history.spec();
    const std::string id = std::string("###") + row.name;
    if (toggle(ui, id.c_str(), field_label(ui.texts, field), spec.*flag->member, width,
               reason_text(context, field))) {
      context.history.set(spec);
    }
    ImGui::Dummy({0, ui.px(4)});
  }
}

void draw_idle_fields(const Ui& ui, const char* id, std::span<const Field> fields,
                      const std::function<void(Field)>& draw) {
  if (fields.empty()) return;
  const std::string words = ui.texts("controls.idle", {{"count", std::to_string(fields.size())}});
  if (!folded_section(ui, id, words, {})) return;
  for (const Field field : fields) draw(field);
}

void draw_folded_fields(const ControlsContext& context, const char* id, std::string_view title,
                        std::span<const Field> fields, float width) {
  const Ui& ui = context.ui;
  const int changed = changed_fields(context.history.spec(), fields);
  std::vector<Field> used;
  std::vector<Field> idle;
  for (const Field field : fields)
    (reason_text(context, field).empty() ? used : idle).push_back(field);
  std::string remark;
  if (used.empty()) remark = ui.texts("controls.not_used");
  if (changed > 0) remark = ui.texts("controls.changed", {{"count", std::to_string(changed)}});
  if (!folded_section(ui, id, title, remark)) return;
  for (const Field field : used) draw_field(context, field, width);
  const auto draw_one = [&](Field field) { draw_field(context, field, width); };
  if (used.empty()) {
    for (const Field field : idle) draw_one(field);
    return;
  }
  draw_idle_fields(ui, (std::string(id) + "_idle").c_str(), idle, draw_one);
}

}  // namespace ts::views
