#include "views/sweep/sweep_controls.h"

#include <imgui.h>

#include <algorithm>

#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/typed_numbers.h"
#include "views/common/backend_marks.h"
#include "views/common/edit_field.h"
#include "views/common/imgui_sink.h"
#include "views/common/power_select.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"
#include "views/sweep/sweep_figure.h"

namespace ts::views {
namespace {

using spec::AttentionBackend;
using spec::Field;

// The first range of each axis, and the limits of its lists; powers of two.
struct Reach {
  std::int64_t low, high, least, most;
};
Reach reach_of(Field field) {
  switch (field) {
    case Field::B:
      return {1, 16, 1, 1024};
    case Field::layers:
      return {1, 8, 1, 128};
    case Field::heads:
      return {1, 16, 1, 64};
    case Field::d_head:
      return {16, 128, 8, 512};
    case Field::d_model:
      return {128, 1024, 64, 16384};
    case Field::tile_q:
    case Field::tile_k:
      return {16, 128, 8, 512};
    case Field::memory_limit:
      return {std::int64_t{1} << 30, std::int64_t{8} << 30, std::int64_t{1} << 26,
              std::int64_t{1} << 40};
    case Field::threads:
    case Field::checkpoint_every:
    case Field::accumulate:
    case Field::kv_heads:
    case Field::warmups:
      return {1, field == Field::warmups ? 2 : 8, 1, field == Field::warmups ? 2 : 128};
    default:
      return {64, 1024, 16, 65536};
  }
}

// The reason why a backend cannot run here; empty when it can.
std::string backend_problem(const Ui& ui, const spec::CheckedSpec& base, AttentionBackend backend) {
  const auto* problem =
      spec::problem_of(base.with(Field::backend, to_string(backend)).problems, Field::backend);
  return problem != nullptr ? message_text(ui.texts, *problem) : std::string();
}

void draw_backend_toggles(const Ui& ui, SweepEdit& edit, const spec::CheckedSpec& base,
                          float width) {
  for (int i = 0; i < spec::kBackendCount; ++i) {
    const auto backend = static_cast<AttentionBackend>(i);
    if (backend == AttentionBackend::automatic) continue;  // it runs as one of the others
    const auto found = std::ranges::find(edit.backends, backend);
    bool on = found != edit.backends.end();
    const std::string id = std::string("###sweep_") + to_string(backend);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string reason = on ? std::string() : backend_problem(ui, base, backend);
    const char* const name = ui.texts(std::string("controls.choice.") + to_string(backend));
    if (toggle(ui, id.c_str(), name, on, width, reason)) {
      if (on) {
        edit.backends.push_back(backend);
        std::ranges::sort(edit.backends);
      } else if (edit.backends.size() > 1) {
        edit.backends.erase(found);
      }
    }
    ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    draw_mark(sink,
              {with_alpha(backend_color(ui.theme.kind, backend), reason.empty() ? 1 : 0.4F),
               backend_shape(backend)},
              {at.x + width - ui.px(12), at.y + ui.px(12)}, ui.px(5));
  }
}

// A list of settings; if `none` has text, the first row is "none". True when another was chosen.
bool field_select(const Ui& ui, const char* id, std::optional<Field>& chosen,
                  const std::vector<Field>& fields, const char* none, float width) {
  bool changed = false;
  const auto words = [&](std::optional<Field> field) {
    return field ? field_label(ui.texts, *field) : std::string(ui.texts(none));
  };
  select(ui, id, words(chosen), chosen ? spec::field_name(*chosen) : "", width, [&] {
    const auto row = [&](std::optional<Field> field) {
      const std::string name = field ? spec::field_name(*field) : "none";
      const std::string row_id = std::string(id) + "_" + name;
      if (!list_row(ui, row_id.c_str(), words(field), field ? name : "", chosen == field)) {
        return false;
      }
      changed = chosen != field;
      chosen = field;
      return true;
    };
    if (none != nullptr && row(std::nullopt)) return true;
    return std::ranges::any_of(fields, row);
  });
  return changed;
}

// A field for values in the form of --axis and --series.
void values_field(const Ui& ui, const char* name, std::string& values, const char* example,
                  float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  EditSettings look;
  look.edited = values;
  look.shown = values.empty() ? std::string(example) : values;
  look.fade = values.empty() ? 0.5F : 1;
  if (const auto typed = edit_field(ui, name, look, {at.x, at.y, at.x + width, at.y + ui.px(28)})) {
    values = *typed;
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({width, ui.px(32)});
}

// The first values of a field that was just chosen.
std::string first_values(Field field, const spec::WorkloadSpec& base) {
  const auto choices = spec::field_choices(field);
  std::string all;
  for (const char* const choice : choices) {
    if (spec::has_numbers(field) && !text::parse_count(choice)) continue;  // "auto"
    all += (all.empty() ? "" : ",") + std::string(choice);
  }
  if (!choices.empty()) return all;
  return std::to_string(std::max<std::int64_t>(spec::number_of(base, field), 1));
}

// True when an exercise was chosen.
bool draw_presets(const Ui& ui, SweepEdit& edit, const sweep::SweepPresets& presets, float width) {
  bool taken = false;
  section(ui, ui.texts("sweep.exercise"));
  const auto title = [&](const std::string& id) {
    return id.empty() ? std::string(ui.texts("sweep.own")) : ui.texts("sweep.preset." + id);
  };
  const sweep::SweepPreset* const chosen = presets.find(edit.preset);
  select(ui, "###sweep_preset", title(edit.preset), chosen == nullptr ? "" : chosen->source, width,
         [&] {
           if (list_row(ui, "###preset_own", title(""), "", chosen == nullptr)) {
             edit.preset.clear();
             return true;
           }
           for (const sweep::SweepPreset& preset : presets.all()) {
             const std::string id = "###preset_" + preset.id;
             if (list_row(ui, id.c_str(), title(preset.id), preset.source, &preset == chosen)) {
               edit.preset = preset.id;
               taken = true;
               return true;
             }
           }
           return false;
         });
  return taken;
}

void draw_first_axis(const Ui& ui, SweepEdit& edit, const spec::WorkloadSpec& base, float width) {
  section(ui, ui.texts("sweep.axis"));
  const auto fields = axis_fields(base);
  // Another workload may not have this size.
  const bool lost = std::ranges::find(fields, edit.axis) == fields.end();
  std::optional<Field> axis = lost ? fields.front() : edit.axis;
  if (field_select(ui, "###sweep_axis", axis, fields, nullptr, width) || lost) {
    edit.axis = *axis;
    edit.low = reach_of(edit.axis).low;
    edit.high = reach_of(edit.axis).high;
    edit.values.clear();
  }
  ImGui::Dummy({0, ui.px(4)});
  if (edit.values.empty()) {
    const Reach reach = reach_of(edit.axis);
    const float half = (width - ui.px(8)) / 2;
    if (power_select(ui, "###sweep_low", edit.low, reach.least, reach.most, half)) {
      edit.high = std::max(edit.high, edit.low);
    }
    ImGui::SameLine(0, ui.px(8));
    if (power_select(ui, "###sweep_high", edit.high, reach.least, reach.most, half)) {
      edit.low = std::min(edit.low, edit.high);
    }
    ImGui::Dummy({0, ui.px(2)});
  }
  values_field(ui, "sweep_values", edit.values, ui.texts("sweep.values_hint"), width);
}

void draw_own_sweep(const Ui& ui, SweepEdit& edit, const spec::CheckedSpec& checked, float width) {
  const spec::WorkloadSpec& base = checked.spec();
  draw_first_axis(ui, edit, base, width);
  section(ui, ui.texts("sweep.second_axis"));
  const auto fields = axis_fields(base);
  if (field_select(ui, "###sweep_second", edit.second, fields, "sweep.none_chosen", width) &&
      edit.second) {
    edit.second_values = first_values(*edit.second, base);
  }
  ImGui::Dummy({0, ui.px(4)});
  if (edit.second) {
    values_field(ui, "sweep_second_values", edit.second_values, ui.texts("sweep.values_hint"),
                 width);
  }
  section(ui, ui.texts("sweep.series"));
  // Without attention the backend is no series; with attention it is one again.
  std::optional<Field> series = edit.series;
  if (series == Field::backend && !spec::field_applies(base, Field::backend)) series.reset();
  if (field_select(ui, "###sweep_series", series, series_fields(base), "sweep.none_chosen",
                   width)) {
    edit.series = series;
    if (series && series != Field::backend) edit.series_values = first_values(*series, base);
  }
  ImGui::Dummy({0, ui.px(4)});
  if (series == Field::backend) {
    draw_backend_toggles(ui, edit, checked, width);
  } else if (series) {
    values_field(ui, "sweep_series_values", edit.series_values, "", width);
  }
}

// Says how the settings differ from the exercise's. True when those are wanted.
bool draw_changes(const Ui& ui, const sweep::SweepPreset& preset, const spec::WorkloadSpec& base,
                  float width) {
  const std::string changed = changed_from_exercise(ui.texts, preset, base);
  if (changed.empty() && base.workload == preset.workload) return false;
  if (!changed.empty()) {
    wrapped_text(ui, TextStyle::small, ui.theme.warn,
                 ui.texts("sweep.changed", {{"settings", changed}}), ui.px(8));
  }
  ImGui::Dummy({0, ui.px(2)});
  const bool wanted = button(ui, "###sweep_exercise", "", ui.texts("sweep.as_exercise"), "",
                             ButtonKind::plain, width);
  ImGui::Dummy({0, ui.px(4)});
  return wanted;
}

}  // namespace

const base::Result<sweep::SweepSpec>& OfferedSweep::of(const SweepEdit& edit,
                                                       const spec::WorkloadSpec& base,
                                                       const sweep::SweepPresets& presets) {
  if (!made_ || made_->edit != edit || made_->base != base) {
    made_.emplace(Made{edit, base, sweep_of(edit, base, presets)});
  }
  return made_->sweep;
}

SweepAsk draw_sweep_controls(const Ui& ui, SweepEdit& edit, OfferedSweep& offered,
                             const spec::CheckedSpec& base, const sweep::SweepPresets& presets,
                             const sweep::Sweep* sweep, bool running) {
  const float width = ImGui::GetContentRegionAvail().x;
  SweepAsk ask = draw_presets(ui, edit, presets, width) ? SweepAsk::exercise : SweepAsk::nothing;
  const sweep::SweepPreset* const preset = presets.find(edit.preset);
  if (preset == nullptr) draw_own_sweep(ui, edit, base, width);
  const auto& spec = offered.of(edit, base.spec(), presets);
  std::string about = spec ? std::string() : message_text(ui.texts, spec.error());
  if (spec) {
    const std::string count =
        std::to_string(sweep::places_of(*spec).size() * sweep::series_of(*spec).size());
    about = preset == nullptr ? ui.texts("sweep.points", {{"count", count}})
                              : sweep::text_of(*preset) + ". " +
                                    ui.texts("sweep.preset_points", {{"count", count}});
  }
  wrapped_text(ui, TextStyle::small, spec ? ui.theme.text3 : ui.theme.bad, about, ui.px(8));
  ImGui::Dummy({0, ui.px(4)});
  if (preset != nullptr && draw_changes(ui, *preset, base.spec(), width)) ask = SweepAsk::exercise;
  ImGui::BeginDisabled(running || !spec);
  if (button(ui, "###sweep_start", "\xef\x81\x8b", ui.texts("sweep.start"), "", ButtonKind::primary,
             width)) {
    ask = SweepAsk::start;
  }
  ImGui::EndDisabled();
  if (sweep != nullptr && spec) {
    ImGui::Dummy({0, ui.px(4)});
    const auto wider = sweep::widened(sweep->spec(), *spec);
    ImGui::BeginDisabled(!wider);
    if (button(ui, "###sweep_add", "\xef\x81\xa7", ui.texts("sweep.add"), "", ButtonKind::plain,
               width)) {
      ask = SweepAsk::add;
    }
    ImGui::EndDisabled();
  }
  ImGui::Dummy({0, ui.px(8)});
  return ask;
}

}  // namespace ts::views
