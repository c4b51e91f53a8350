#include "views/hunt/hunt_controls.h"

#include <imgui.h>

#include <algorithm>

#include "core/spec/checked_spec.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/numbers.h"
#include "views/common/power_select.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

using spec::Field;

// The first range of an axis: wide enough to contain the edge on most cards.
predict::HuntAxis start_of(Field field) {
  switch (field) {
    case Field::B:
    case Field::layers:
    case Field::heads:
      return {field, 1, 64};
    case Field::d_head:
      return {field, 16, 256};
    default:
      return {field, 128, 8192};
  }
}

bool draw_axis(const Ui& ui, const std::string& id, predict::HuntAxis& axis,
               const spec::WorkloadSpec& base, Field other, const predict::HuntAxis* shown) {
  const float width = ImGui::GetContentRegionAvail().x;
  bool changed = false;
  const auto fields = hunt_fields(base);
  const auto name = [&](Field field) { return size_text(ui.texts, base, field); };
  changed |= select(ui, (id + "_field").c_str(), name(axis.field), "", width, [&] {
    for (const Field field : fields) {
      const std::string row = id + "_" + spec::field_name(field);
      if (field != other && list_row(ui, row.c_str(), name(field), "", field == axis.field)) {
        axis = predict::within(start_of(field), base);
        return true;
      }
    }
    return false;
  });
  ImGui::Dummy({0, ui.px(4)});
  const auto* number = spec::field_as<spec::NumberField>(axis.field);
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
  if (const std::string words = shown != nullptr ? reach_text(axis, *shown, ui.texts) : "";
      !words.empty()) {
    wrapped_text(ui, TextStyle::small, ui.theme.text2, words);
  }
  return changed;
}

bool draw_target(const Ui& ui, HuntEdit& edit, const spec::WorkloadSpec& base) {
  section(ui, ui.texts("hunt.map_of"));
  const Choice choices[] = {{"card", base.target_gpu, {}},
                            {"here", ui.texts("hunt.this_machine"), {}}};
  int chosen = edit.here ? 1 : 0;
  const float width = ImGui::GetContentRegionAvail().x;
  const bool changed = segmented(ui, "###hunt_target", choices, chosen, width);
  edit.here = chosen == 1;
  ImGui::Dummy({0, ui.px(4)});
  return changed;
}

// Another attention backend, whose frontier is drawn over the map.
bool draw_comparison(const Ui& ui, HuntEdit& edit, const spec::WorkloadSpec& base) {
  if (!spec::field_applies(base, Field::backend)) return false;
  section(ui, ui.texts("hunt.compare"));
  const auto names = spec::field_choices(Field::backend);
  const auto label = [&](std::optional<spec::AttentionBackend> backend) -> std::string {
    if (!backend) return ui.texts("hunt.compare_none");
    return ui.texts(std::string("controls.choice.") + names[static_cast<std::size_t>(*backend)]);
  };
  return select(ui, "###hunt_compare", label(edit.compare), "", ImGui::GetContentRegionAvail().x,
                [&] {
                  const auto row = [&](std::optional<spec::AttentionBackend> backend,
                                       const char* id, const std::string& reason) {
                    if (!list_row(ui, id, label(backend), "", backend == edit.compare, reason))
                      return false;
                    edit.compare = backend;
                    return true;
                  };
                  if (row(std::nullopt, "###hunt_compare_none", {})) return true;
                  for (std::size_t i = 0; i < names.size(); ++i) {
                    const auto backend = static_cast<spec::AttentionBackend>(i);
                    spec::WorkloadSpec tried = base;
                    tried.backend = backend;
                    if (!edit.here) tried.device = spec::DeviceKind::cuda;
                    const auto problems = spec::validate(tried);
                    const auto* problem = spec::problem_of(problems, Field::backend);
                    const std::string reason =
                        problem != nullptr ? message_text(ui.texts, *problem) : std::string();
                    const std::string id = std::string("###hunt_compare_") + names[i];
                    if (row(backend, id.c_str(), reason)) return true;
                  }
                  return false;
                });
}

}  // namespace

std::vector<Field> hunt_fields(const spec::WorkloadSpec& base) {
  std::vector<Field> fields;
  for (const Field field :
       {Field::T, Field::B, Field::d_model, Field::heads, Field::d_head, Field::layers, Field::d_ff,
        Field::vocab, Field::dim1, Field::dim2, Field::dim3, Field::dim4}) {
    if (spec::field_applies(base, field)) fields.push_back(field);
  }
  return fields;
}

void settle(HuntEdit& edit, const spec::WorkloadSpec& base) {
  const auto fields = hunt_fields(base);
  const auto possible = [&](Field field) {
    return std::ranges::find(fields, field) != fields.end();
  };
  // Without a size that can change there is nothing to hunt along; the page says so.
  if (fields.empty()) return;
  if (!possible(edit.x.field)) edit.x = start_of(fields.front());
  edit.x = predict::within(edit.x, base);
  if (!possible(edit.y.field) || edit.y.field == edit.x.field) {
    for (const Field field : fields) {
      if (field == edit.x.field) continue;
      edit.y = start_of(field);
      break;
    }
  }
  edit.y = predict::within(edit.y, base);
}

std::optional<spec::WorkloadSpec> compared_spec(const HuntEdit& edit,
                                                const spec::WorkloadSpec& base) {
  if (!edit.compare || *edit.compare == base.backend ||
      !spec::field_applies(base, Field::backend)) {
    return std::nullopt;
  }
  spec::WorkloadSpec spec = base;
  spec.backend = *edit.compare;
  return spec;
}

void zoom(HuntEdit& edit, const spec::WorkloadSpec& base, double factor, std::size_t cells) {
  for (predict::HuntAxis* axis : {&edit.x, &edit.y}) {
    const auto* number = spec::field_as<spec::NumberField>(axis->field);
    *axis =
        predict::zoomed(*axis, spec::number_of(base, axis->field), factor, number->slider, cells);
  }
}

std::string reach_text(const predict::HuntAxis& chosen, const predict::HuntAxis& shown,
                       const text::Texts& texts) {
  if (chosen.field != shown.field) return {};
  if (shown.low >= chosen.low && shown.high <= chosen.high) return {};
  return texts("hunt.reaches", {{"name", spec::field_name(shown.field)},
                                {"low", text::grouped(shown.low)},
                                {"high", text::grouped(shown.high)}});
}

bool draw_hunt_controls(const Ui& ui, HuntEdit& edit, const spec::WorkloadSpec& base,
                        const predict::HuntMap* map) {
  bool changed = draw_target(ui, edit, base);
  section(ui, ui.texts("hunt.across"));
  changed |=
      draw_axis(ui, "###hunt_x", edit.x, base, edit.y.field, map != nullptr ? &map->x() : nullptr);
  section(ui, ui.texts("hunt.down"));
  changed |=
      draw_axis(ui, "###hunt_y", edit.y, base, edit.x.field, map != nullptr ? &map->y() : nullptr);
  ImGui::Dummy({0, ui.px(4)});
  changed |= draw_comparison(ui, edit, base);
  ImGui::Dummy({0, ui.px(8)});
  return changed;
}

}  // namespace ts::views
