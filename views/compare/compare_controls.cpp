#include "views/compare/compare_controls.h"

#include <imgui.h>

#include <algorithm>

#include "core/run/spec_fields.h"
#include "core/run/spec_values.h"
#include "core/text/numbers.h"
#include "views/common/power_select.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

using run::Field;

bool runs(const run::WorkloadSpec& a, Field field, const std::string& value) {
  run::WorkloadSpec b = a;
  return run::set_field(b, run::field_name(field), value) && b != a && run::validate(b).empty();
}

// Values of B to begin with, the likeliest first.
std::vector<std::string> candidates(const run::WorkloadSpec& a, Field field) {
  std::vector<std::string> values;
  for (const char* const choice : run::field_choices(field)) values.emplace_back(choice);
  if (run::field_as<run::NumberField>(field) != nullptr) {
    const std::int64_t now = run::number_of(a, field);
    values = {std::to_string(now * 2), std::to_string(now / 2), "1", "2"};
  }
  return values;
}

}  // namespace

std::vector<Field> compare_fields(const run::WorkloadSpec& a) {
  std::vector<Field> fields;
  for (const run::FieldRow& row : run::field_rows()) {
    const auto* number = std::get_if<run::NumberField>(&row.kind);
    const bool possible =
        !run::field_choices(row.field).empty() || (number != nullptr && number->slider.max > 0);
    // Another workload is another question, and its settings are others too. Two devices share
    // nothing that taking turns would even out; and both sides warm up until they settle.
    const bool asked =
        row.field != Field::workload && row.field != Field::device && row.field != Field::warmups;
    if (!possible || !asked || !run::field_applies(a, row.field)) continue;
    const auto values = candidates(a, row.field);
    if (std::ranges::any_of(values, [&](const auto& value) { return runs(a, row.field, value); })) {
      fields.push_back(row.field);
    }
  }
  return fields;
}

void settle(CompareDraft& draft, const run::WorkloadSpec& a) {
  const std::vector<Field> fields = compare_fields(a);
  if (fields.empty()) return;
  if (std::ranges::find(fields, draft.field) == fields.end()) {
    draft.field = fields.front();
    draft.value.clear();
  }
  run::WorkloadSpec b = a;
  if (!draft.value.empty() && run::set_field(b, run::field_name(draft.field), draft.value) &&
      b != a) {
    return;
  }
  for (const std::string& value : candidates(a, draft.field)) {
    if (!runs(a, draft.field, value)) continue;
    draft.value = value;
    return;
  }
}

base::Result<run::WorkloadSpec> spec_of_b(const CompareDraft& draft, const run::WorkloadSpec& a,
                                          const text::Texts& texts) {
  run::WorkloadSpec b = a;
  if (auto set = run::set_field(b, run::field_name(draft.field), draft.value); !set) {
    return base::fail(set.error().sentence);
  }
  const auto problems = run::validate(b);
  if (!problems.empty()) {
    return base::fail(texts(problems.front().key, problems.front().arguments));
  }
  return b;
}

std::string field_words(const Ui& ui, Field field) {
  const std::string name = run::field_name(field);
  // Those that stand under a heading of their own in the controls.
  if (field == Field::dtype) return ui.texts("controls.precision");
  if (field == Field::pass) return ui.texts("controls.pass");
  if (field == Field::backend) return ui.texts("controls.strip.backend");
  if (field == Field::causal) return ui.texts("controls.causal");
  return ui.texts("controls.field." + name);
}

std::string value_words(const Ui& ui, Field field, const std::string& value) {
  if (run::field_as<run::ChoiceField>(field) != nullptr) {
    std::string key = value;
    std::ranges::replace(key, '+', '_');
    return ui.texts("controls.choice." + key);
  }
  if (run::field_as<run::FlagField>(field) != nullptr) {
    return ui.texts(value == "true" ? "compare.on" : "compare.off");
  }
  const auto count = run::parse_count(value);
  return count ? text::grouped(*count) : value;
}

void draw_compare_controls(const Ui& ui, CompareDraft& draft, const run::WorkloadSpec& a) {
  const float width = ImGui::GetContentRegionAvail().x;
  section(ui, ui.texts("compare.setting"));
  select(ui, "###compare_field", field_words(ui, draft.field), "", width, [&] {
    for (const Field field : compare_fields(a)) {
      const std::string row = std::string("###compare_field_") + run::field_name(field);
      if (list_row(ui, row.c_str(), field_words(ui, field), "", field == draft.field)) {
        draft = {field, {}};
        settle(draft, a);
        return true;
      }
    }
    return false;
  });
  ImGui::Dummy({0, ui.px(4)});
  const std::string of_a = run::field_text(a, draft.field);
  section(ui, "A", ui.texts("compare.as_set"));
  text(ui, TextStyle::body_medium, ui.theme.text, value_words(ui, draft.field, of_a));
  ImGui::Dummy({0, ui.px(4)});
  section(ui, "B");
  if (const auto* number = run::field_as<run::NumberField>(draft.field)) {
    std::int64_t value = run::parse_count(draft.value).value_or(number->slider.min);
    if (power_select(ui, "###compare_value", value, std::max<std::int64_t>(1, number->slider.min),
                     number->slider.max, width)) {
      draft.value = std::to_string(value);
    }
  } else {
    select(ui, "###compare_value", value_words(ui, draft.field, draft.value), "", width, [&] {
      for (const char* const value : run::field_choices(draft.field)) {
        if (value == of_a) continue;
        CompareDraft tried{draft.field, value};
        const auto b = spec_of_b(tried, a, ui.texts);
        std::string row = std::string("###compare_value_") + value;
        std::ranges::replace(row, '+', '_');
        if (list_row(ui, row.c_str(), value_words(ui, draft.field, value), "", draft.value == value,
                     b ? std::string() : b.error().sentence)) {
          draft.value = value;
          return true;
        }
      }
      return false;
    });
  }
  if (const auto b = spec_of_b(draft, a, ui.texts); !b) {
    wrapped_text(ui, TextStyle::small, ui.theme.bad, b.error().sentence, ui.px(16));
  }
  ImGui::Dummy({0, ui.px(8)});
}

}  // namespace ts::views
