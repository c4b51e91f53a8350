#include "views/sweep/sweep_controls.h"

#include <imgui.h>

#include <algorithm>
#include <array>

#include "views/common/backend_marks.h"
#include "views/common/imgui_sink.h"
#include "views/common/power_select.h"
#include "views/common/widgets.h"
#include "views/sweep/sweep_figure.h"

namespace ts::views {
namespace {

using run::AttentionBackend;
using run::Field;

// What each axis begins with, and how far its lists go; powers of two.
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
    default:
      return {64, 1024, 16, 65536};
  }
}

void draw_backend_toggles(const Ui& ui, SweepDraft& draft, float width) {
  constexpr std::array kBackends = {AttentionBackend::naive, AttentionBackend::math,
                                    AttentionBackend::flash};
  for (const AttentionBackend backend : kBackends) {
    const auto found = std::find(draft.backends.begin(), draft.backends.end(), backend);
    bool on = found != draft.backends.end();
    const std::string id = std::string("###sweep_") + run::to_string(backend);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (toggle(ui, id.c_str(), run::to_string(backend), on, width)) {
      if (on) {
        draft.backends.push_back(backend);
        std::sort(draft.backends.begin(), draft.backends.end());
      } else if (draft.backends.size() > 1) {
        draft.backends.erase(found);
      }
    }
    ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    draw_backend_mark(sink, backend, {at.x + width - ui.px(12), at.y + ui.px(12)}, ui.px(5),
                      backend_color(ui.theme.kind, backend));
  }
}

}  // namespace

std::vector<Field> axis_fields(const run::WorkloadSpec& base) {
  std::vector<Field> fields;
  for (const Field field : {Field::T, Field::B, Field::d_head, Field::d_model, Field::layers}) {
    if (run::field_applies(base, field)) fields.push_back(field);
  }
  return fields;
}

base::Result<run::SweepSpec> sweep_of(const SweepDraft& draft, const run::WorkloadSpec& base,
                                      const run::SweepPresets& presets) {
  if (const run::SweepPreset* preset = presets.find(draft.preset)) {
    return run::sweep_of_preset(*preset, base);
  }
  run::SweepSpec spec;
  spec.base = base;
  auto axis = run::parse_axis(std::string(run::field_name(draft.axis)) + "=" +
                              std::to_string(draft.low) + ":" + std::to_string(draft.high));
  if (!axis) return tl::unexpected(axis.error());
  spec.axes.push_back(std::move(*axis));
  if (run::field_applies(base, Field::backend) && !draft.backends.empty()) {
    run::SweepSeriesField series;
    for (const AttentionBackend one : draft.backends) series.values.emplace_back(to_string(one));
    spec.series.push_back(std::move(series));
  }
  if (auto good = run::check(spec); !good) return tl::unexpected(good.error());
  return spec;
}

namespace {

void draw_presets(const Ui& ui, SweepDraft& draft, const run::SweepPresets& presets, float width) {
  section(ui, ui.texts("sweep.exercise"));
  const auto title = [&](const std::string& id) {
    return id.empty() ? std::string(ui.texts("sweep.own")) : ui.texts("sweep.preset." + id);
  };
  const run::SweepPreset* const chosen = presets.find(draft.preset);
  select(ui, "###sweep_preset", title(draft.preset), chosen == nullptr ? "" : chosen->source, width,
         [&] {
           if (list_row(ui, "###preset_own", title(""), "", chosen == nullptr)) {
             draft.preset.clear();
             return true;
           }
           for (const run::SweepPreset& preset : presets.all()) {
             const std::string id = "###preset_" + preset.id;
             if (list_row(ui, id.c_str(), title(preset.id), preset.source, &preset == chosen)) {
               draft.preset = preset.id;
               return true;
             }
           }
           return false;
         });
}

void draw_own_sweep(const Ui& ui, SweepDraft& draft, const run::WorkloadSpec& base, float width) {
  section(ui, ui.texts("sweep.axis"));
  const auto fields = axis_fields(base);
  std::vector<Choice> choices;
  int chosen = -1;
  for (const Field field : fields) {
    if (field == draft.axis) chosen = static_cast<int>(choices.size());
    choices.push_back({std::string("axis_") + run::field_name(field),
                       ui.texts(std::string("controls.field.") + run::field_name(field)), ""});
  }
  const bool lost = chosen < 0;  // the workload has no such size
  if (segmented(ui, "###sweep_axis", choices, chosen, width) || lost) {
    draft.axis = fields[static_cast<std::size_t>(std::max(chosen, 0))];
    draft.low = reach_of(draft.axis).low;
    draft.high = reach_of(draft.axis).high;
  }
  ImGui::Dummy({0, ui.px(4)});
  const Reach reach = reach_of(draft.axis);
  const float half = (width - ui.px(8)) / 2;
  if (power_select(ui, "###sweep_low", draft.low, reach.least, reach.most, half)) {
    draft.high = std::max(draft.high, draft.low);
  }
  ImGui::SameLine(0, ui.px(8));
  if (power_select(ui, "###sweep_high", draft.high, reach.least, reach.most, half)) {
    draft.low = std::min(draft.low, draft.high);
  }
  if (run::field_applies(base, Field::backend)) {
    section(ui, ui.texts("controls.backend"));
    draw_backend_toggles(ui, draft, width);
  }
}

}  // namespace

SweepAsk draw_sweep_controls(const Ui& ui, SweepDraft& draft, const run::WorkloadSpec& base,
                             const run::SweepPresets& presets, const run::Sweep* sweep,
                             bool running) {
  const float width = ImGui::GetContentRegionAvail().x;
  draw_presets(ui, draft, presets, width);
  const run::SweepPreset* const preset = presets.find(draft.preset);
  if (preset == nullptr) draw_own_sweep(ui, draft, base, width);
  const auto spec = sweep_of(draft, base, presets);
  std::string about = spec ? std::string() : spec.error().sentence;
  if (spec) {
    const std::string count =
        std::to_string(run::places_of(*spec).size() * run::series_of(*spec).size());
    about = preset == nullptr ? ui.texts("sweep.points", {{"count", count}})
                              : run::words_of(*preset) + ". " +
                                    ui.texts("sweep.preset_points", {{"count", count}});
  }
  wrapped_text(ui, TextStyle::small, spec ? ui.theme.text3 : ui.theme.bad, about, ui.px(8));
  ImGui::Dummy({0, ui.px(4)});
  SweepAsk ask = SweepAsk::nothing;
  ImGui::BeginDisabled(running || !spec);
  if (button(ui, "###sweep_start", "\xef\x81\x8b", ui.texts("sweep.start"), "", ButtonKind::primary,
             width)) {
    ask = SweepAsk::start;
  }
  ImGui::EndDisabled();
  if (sweep != nullptr && spec) {
    ImGui::Dummy({0, ui.px(4)});
    const auto wider = run::widened(sweep->spec(), *spec);
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
