#include "views/compare/compare_controls.h"

#include <imgui.h>

#include <algorithm>

#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/numbers.h"
#include "core/text/typed_numbers.h"
#include "views/common/power_select.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

using spec::Field;

bool runs(const spec::CheckedSpec& a, Field field, const std::string& value) {
  const auto& b = a.with(field, value);
  return b.problems.empty() && b.spec != a.spec();
}

// Start values of B, the most likely first.
std::vector<std::string> candidates(const spec::WorkloadSpec& a, Field field) {
  std::vector<std::string> values;
  for (const char* const choice : spec::field_choices(field)) values.emplace_back(choice);
  if (spec::field_as<spec::NumberField>(field) != nullptr) {
    const std::int64_t now = spec::number_of(a, field);
    values = {std::to_string(now * 2), std::to_string(now / 2), "1", "2"};
  }
  // Most ask what flash gains.
  if (field == Field::backend)
    values.insert(values.begin(), to_string(spec::AttentionBackend::flash));
  return values;
}

}  // namespace

std::vector<Field> compare_fields(const spec::CheckedSpec& a) {
  std::vector<Field> fields;
  for (const spec::FieldRow& row : spec::field_rows()) {
    const auto* number = std::get_if<spec::NumberField>(&row.kind);
    const bool possible =
        !spec::field_choices(row.field).empty() || (number != nullptr && number->slider.max > 0);
    // Another workload is another question with other settings. Two devices share nothing that
    // taking turns would average out. Both sides warm up until they settle.
    const bool asked =
        row.field != Field::workload && row.field != Field::device && row.field != Field::warmups;
    if (!possible || !asked || !spec::field_applies(a.spec(), row.field)) continue;
    const auto values = candidates(a.spec(), row.field);
    if (std::ranges::any_of(values, [&](const auto& value) { return runs(a, row.field, value); })) {
      fields.push_back(row.field);
    }
  }
  return fields;
}

void settle(CompareEdit& edit, const spec::CheckedSpec& a) {
  const std::vector<Field> fields = compare_fields(a);
  if (fields.empty()) return;
  if (std::ranges::find(fields, edit.field) == fields.end()) {
    edit.field = fields.front();
    edit.value.clear();
  }
  if (!edit.value.empty() && a.with(edit.field, edit.value).spec != a.spec()) return;
  for (const std::string& value : candidates(a.spec(), edit.field)) {
    if (!runs(a, edit.field, value)) continue;
    edit.value = value;
    return;
  }
}

base::Result<spec::WorkloadSpec> spec_of_b(const CompareEdit& edit, const spec::CheckedSpec& a) {
  const auto& [b, problems] = a.with(edit.field, edit.value);
  if (!problems.empty()) return tl::unexpected<base::Error>(problems.front());
  return b;
}

void draw_compare_controls(const Ui& ui, CompareEdit& edit, const spec::CheckedSpec& a) {
  const float width = ImGui::GetContentRegionAvail().x;
  section(ui, ui.texts("compare.setting"));
  select(ui, "###compare_field", field_text(ui.texts, edit.field), "", width, [&] {
    for (const Field field : compare_fields(a)) {
      const std::string row = std::string("###compare_field_") + spec::field_name(field);
      if (list_row(ui, row.c_str(), field_text(ui.texts, field), "", field == edit.field)) {
        edit = {field, {}};
        settle(edit, a);
        return true;
      }
    }
    return false;
  });
  ImGui::Dummy({0, ui.px(4)});
  const std::string of_a = spec::field_text(a.spec(), edit.field);
  section(ui, "A", ui.texts("compare.as_set"));
  text(ui, TextStyle::body_medium, ui.theme.text, value_text(ui.texts, edit.field, of_a));
  ImGui::Dummy({0, ui.px(4)});
  section(ui, "B");
  if (const auto* number = spec::field_as<spec::NumberField>(edit.field)) {
    std::int64_t value = text::parse_count(edit.value).value_or(number->slider.min);
    if (power_select(ui, "###compare_value", value, std::max<std::int64_t>(1, number->slider.min),
                     number->slider.max, width)) {
      edit.value = std::to_string(value);
    }
  } else {
    select(ui, "###compare_value", value_text(ui.texts, edit.field, edit.value), "", width, [&] {
      for (const char* const value : spec::field_choices(edit.field)) {
        if (value == of_a) continue;
        CompareEdit tried{edit.field, value};
        const auto b = spec_of_b(tried, a);
        std::string row = std::string("###compare_value_") + value;
        std::ranges::replace(row, '+', '_');
        if (list_row(ui, row.c_str(), value_text(ui.texts, edit.field, value), "",
                     edit.value == value, b ? std::string() : message_text(ui.texts, b.error()))) {
          edit.value = value;
          return true;
        }
      }
      return false;
    });
  }
  if (const auto b = spec_of_b(edit, a); !b) {
    wrapped_text(ui, TextStyle::small, ui.theme.bad, message_text(ui.texts, b.error()));
  }
  ImGui::Dummy({0, ui.px(8)});
}

}  // namespace ts::views
