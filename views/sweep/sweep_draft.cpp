// What the controls of the sweep page describe.
#include <algorithm>

#include "core/run/spec_fields.h"
#include "core/run/spec_values.h"
#include "views/sweep/sweep_controls.h"

namespace ts::views {

using run::AttentionBackend;
using run::Field;

std::vector<Field> axis_fields(const run::WorkloadSpec& base) {
  std::vector<Field> fields;
  const auto add = [&](Field field) {
    const bool there = std::find(fields.begin(), fields.end(), field) != fields.end();
    if (!there && run::has_numbers(field) && run::field_applies(base, field)) {
      fields.push_back(field);
    }
  };
  for (const Field field : {Field::T, Field::B, Field::d_head, Field::d_model, Field::layers}) {
    add(field);
  }
  for (const run::FieldRow& row : run::field_rows()) add(row.field);
  return fields;
}

std::vector<Field> series_fields(const run::WorkloadSpec& base) {
  std::vector<Field> fields;
  for (const run::FieldRow& row : run::field_rows()) {
    const bool values = !run::field_choices(row.field).empty() || run::has_numbers(row.field);
    if (values && row.field != Field::workload && run::field_applies(base, row.field)) {
      fields.push_back(row.field);
    }
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
  const std::string range = std::to_string(draft.low) + ":" + std::to_string(draft.high);
  auto axis = run::parse_axis(std::string(run::field_name(draft.axis)) + "=" +
                              (draft.values.empty() ? range : draft.values));
  if (!axis) return tl::unexpected(axis.error());
  spec.axes.push_back(std::move(*axis));
  if (draft.second) {
    auto second =
        run::parse_axis(std::string(run::field_name(*draft.second)) + "=" + draft.second_values);
    if (!second) return tl::unexpected(second.error());
    spec.axes.push_back(std::move(*second));
  }
  if (draft.series == Field::backend) {
    run::SweepSeriesField series;
    for (const AttentionBackend one : draft.backends) series.values.emplace_back(to_string(one));
    if (run::field_applies(base, Field::backend)) spec.series.push_back(std::move(series));
  } else if (draft.series) {
    auto series =
        run::parse_series(std::string(run::field_name(*draft.series)) + "=" + draft.series_values);
    if (!series) return tl::unexpected(series.error());
    spec.series.push_back(std::move(*series));
  }
  if (auto good = run::check(spec); !good) return tl::unexpected(good.error());
  return spec;
}

}  // namespace ts::views
