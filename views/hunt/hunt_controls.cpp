#include "views/hunt/hunt_controls.h"

#include <imgui.h>

#include <algorithm>
#include <string>

#include "core/run/spec_fields.h"
#include "core/run/spec_values.h"
#include "views/common/power_select.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

using run::Field;

// What an axis begins with: enough to have an edge in it on most cards.
run::HuntAxis start_of(Field field) {
  switch (field) {
    case Field::T:
      return {field, 128, 8192};
    case Field::B:
      return {field, 1, 64};
    case Field::layers:
      return {field, 1, 64};
    case Field::heads:
      return {field, 1, 64};
    case Field::d_head:
      return {field, 16, 256};
    default:
      return {field, 128, 8192};
  }
}

bool draw_axis(const Ui& ui, const std::string& id, run::HuntAxis& axis,
               const std::vector<Field>& fields, Field other) {
  const float width = ImGui::GetContentRegionAvail().x;
  bool changed = false;
  const auto name = [&ui](Field field) {
    return std::string(ui.texts(std::string("controls.field.") + run::field_name(field)));
  };
  changed |= select(ui, (id + "_field").c_str(), name(axis.field), "", width, [&] {
    for (const Field field : fields) {
      const std::string row = id + "_" + run::field_name(field);
      if (field != other && list_row(ui, row.c_str(), name(field), "", field == axis.field)) {
        axis = start_of(field);
        return true;
      }
    }
    return false;
  });
  ImGui::Dummy({0, ui.px(4)});
  const auto* number = run::field_as<run::NumberField>(axis.field);
  const std::int64_t least = std::max<std::int64_t>(1, number->slider.min);
  const std::int64_t most = number->slider.max;
  const float half = (width - ui.px(8)) / 2;
  if (power_select(ui, (id + "_low").c_str(), axis.low, least, most, half)) {
    axis.high = std::max(axis.high, axis.low);
    changed = true;
  }
  ImGui::SameLine(0, ui.px(8));
  if (power_select(ui, (id + "_high").c_str(), axis.high, least, most, half)) {
    axis.low = std::min(axis.low, axis.high);
    changed = true;
  }
  return changed;
}

}  // namespace

std::vector<Field> hunt_fields(const run::WorkloadSpec& base) {
  std::vector<Field> fields;
  for (const Field field : {Field::T, Field::B, Field::d_model, Field::heads, Field::d_head,
                            Field::layers, Field::d_ff, Field::vocab}) {
    if (run::field_applies(base, field)) fields.push_back(field);
  }
  return fields;
}

void settle(HuntDraft& draft, const run::WorkloadSpec& base) {
  const auto fields = hunt_fields(base);
  const auto possible = [&](Field field) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  };
  if (!possible(draft.x.field)) draft.x = start_of(fields.front());
  if (possible(draft.y.field) && draft.y.field != draft.x.field) return;
  for (const Field field : fields) {
    if (field != draft.x.field) draft.y = start_of(field);
    if (field != draft.x.field) return;
  }
}

std::optional<run::WorkloadSpec> compared_spec(const HuntDraft& draft,
                                               const run::WorkloadSpec& base) {
  if (!draft.compare || *draft.compare == base.backend ||
      !run::field_applies(base, Field::backend)) {
    return std::nullopt;
  }
  run::WorkloadSpec spec = base;
  spec.backend = *draft.compare;
  return spec;
}

void zoom(HuntDraft& draft, const run::WorkloadSpec& base, double factor, std::size_t cells) {
  for (run::HuntAxis* axis : {&draft.x, &draft.y}) {
    const auto* number = run::field_as<run::NumberField>(axis->field);
    *axis = run::zoomed(*axis, run::number_of(base, axis->field), factor, number->slider, cells);
  }
}

namespace {

bool draw_target(const Ui& ui, HuntDraft& draft, const run::WorkloadSpec& base) {
  section(ui, ui.texts("hunt.map_of"));
  const Choice choices[] = {{"card", base.target_gpu, {}},
                            {"here", ui.texts("hunt.this_machine"), {}}};
  int chosen = draft.here ? 1 : 0;
  const float width = ImGui::GetContentRegionAvail().x;
  const bool changed = segmented(ui, "###hunt_target", choices, chosen, width);
  draft.here = chosen == 1;
  ImGui::Dummy({0, ui.px(4)});
  return changed;
}

// Another attention backend, whose frontier is drawn over the map.
bool draw_comparison(const Ui& ui, HuntDraft& draft, const run::WorkloadSpec& base) {
  if (!run::field_applies(base, Field::backend)) return false;
  section(ui, ui.texts("hunt.compare"));
  const auto names = run::field_choices(Field::backend);
  const auto label = [&](std::optional<run::AttentionBackend> backend) -> std::string {
    if (!backend) return ui.texts("hunt.compare_none");
    return ui.texts(std::string("controls.choice.") + names[static_cast<std::size_t>(*backend)]);
  };
  return select(ui, "###hunt_compare", label(draft.compare), "", ImGui::GetContentRegionAvail().x,
                [&] {
                  const auto row = [&](std::optional<run::AttentionBackend> backend, const char* id,
                                       const std::string& reason) {
                    if (!list_row(ui, id, label(backend), "", backend == draft.compare, reason))
                      return false;
                    draft.compare = backend;
                    return true;
                  };
                  if (row(std::nullopt, "###hunt_compare_none", {})) return true;
                  for (std::size_t i = 0; i < names.size(); ++i) {
                    const auto backend = static_cast<run::AttentionBackend>(i);
                    run::WorkloadSpec tried = base;
                    tried.backend = backend;
                    if (!draft.here) tried.device = run::DeviceKind::cuda;
                    std::string reason;
                    for (const run::SpecProblem& problem : run::validate(tried)) {
                      if (problem.field == Field::backend)
                        reason = ui.texts(problem.key, problem.arguments);
                    }
                    const std::string id = std::string("###hunt_compare_") + names[i];
                    if (row(backend, id.c_str(), reason)) return true;
                  }
                  return false;
                });
}

}  // namespace

bool draw_hunt_controls(const Ui& ui, HuntDraft& draft, const run::WorkloadSpec& base) {
  const auto fields = hunt_fields(base);
  bool changed = draw_target(ui, draft, base);
  section(ui, ui.texts("hunt.across"));
  changed |= draw_axis(ui, "###hunt_x", draft.x, fields, draft.y.field);
  section(ui, ui.texts("hunt.down"));
  changed |= draw_axis(ui, "###hunt_y", draft.y, fields, draft.x.field);
  ImGui::Dummy({0, ui.px(4)});
  changed |= draw_comparison(ui, draft, base);
  ImGui::Dummy({0, ui.px(8)});
  return changed;
}

}  // namespace ts::views
