// The sweep that the controls of the page describe.
#include <algorithm>

#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "views/common/spec_text.h"
#include "views/sweep/sweep_controls.h"

namespace ts::views {

using spec::AttentionBackend;
using spec::Field;

std::vector<Field> axis_fields(const spec::WorkloadSpec& base) {
  std::vector<Field> fields;
  const auto add = [&](Field field) {
    const bool there = std::ranges::find(fields, field) != fields.end();
    if (!there && spec::has_numbers(field) && spec::field_applies(base, field)) {
      fields.push_back(field);
    }
  };
  for (const Field field : {Field::T, Field::B, Field::d_head, Field::d_model, Field::layers}) {
    add(field);
  }
  for (const spec::FieldRow& row : spec::field_rows()) add(row.field);
  return fields;
}

std::vector<Field> series_fields(const spec::WorkloadSpec& base) {
  std::vector<Field> fields;
  for (const spec::FieldRow& row : spec::field_rows()) {
    const bool values = !spec::field_choices(row.field).empty() || spec::has_numbers(row.field);
    if (values && row.field != Field::workload && spec::field_applies(base, row.field)) {
      fields.push_back(row.field);
    }
  }
  return fields;
}

namespace {

base::Result<sweep::SweepAxis> first_axis(const SweepEdit& edit) {
  const std::string range = std::to_string(edit.low) + ":" + std::to_string(edit.high);
  return sweep::parse_axis(std::string(spec::field_name(edit.axis)) + "=" +
                           (edit.values.empty() ? range : edit.values));
}

SweepEdit plain_edit_of(const sweep::SweepSpec& sweep) {
  const auto listed = [](const auto& values, const auto& word) {
    std::string all;
    for (const auto& one : values) all += (all.empty() ? "" : ",") + word(one);
    return all;
  };
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  SweepEdit edit;
  const sweep::SweepAxis& axis = sweep.axes.front();
  edit.axis = axis.field;
  edit.low = axis.values.front();
  edit.high = axis.values.back();
  if (const auto range = first_axis(edit); !range || range->values != axis.values)
    edit.values = listed(axis.values, number);
  if (sweep.axes.size() > 1) {
    edit.second = sweep.axes[1].field;
    edit.second_values = listed(sweep.axes[1].values, number);
  }
  edit.series.reset();
  if (sweep.series.empty()) return edit;
  const sweep::SweepSeriesField& series = sweep.series.front();
  edit.series = series.field;
  if (edit.series != Field::backend) {
    edit.series_values = listed(series.values, [](const std::string& value) { return value; });
    return edit;
  }
  edit.backends.clear();
  for (const std::string& name : series.values) {
    spec::WorkloadSpec one;
    if (spec::set_field(one, "backend", name)) edit.backends.push_back(one.backend);
  }
  return edit;
}

}  // namespace

base::Result<sweep::SweepSpec> sweep_of(const SweepEdit& edit, const spec::WorkloadSpec& base,
                                        const sweep::SweepPresets& presets) {
  if (const sweep::SweepPreset* preset = presets.find(edit.preset)) {
    return sweep::sweep_over(*preset, base);
  }
  sweep::SweepSpec spec;
  spec.base = base;
  TS_TRY(auto axis, first_axis(edit));
  spec.axes.push_back(std::move(axis));
  if (edit.second) {
    TS_TRY(auto second, sweep::parse_axis(std::string(spec::field_name(*edit.second)) + "=" +
                                          edit.second_values));
    spec.axes.push_back(std::move(second));
  }
  if (edit.series == Field::backend) {
    sweep::SweepSeriesField series;
    for (const AttentionBackend one : edit.backends) series.values.emplace_back(to_string(one));
    if (spec::field_applies(base, Field::backend)) spec.series.push_back(std::move(series));
  } else if (edit.series) {
    TS_TRY(auto series, sweep::parse_series(std::string(spec::field_name(*edit.series)) + "=" +
                                            edit.series_values));
    spec.series.push_back(std::move(series));
  }
  TS_TRY_DONE(sweep::check(spec));
  return spec;
}

SweepEdit edit_of(const sweep::SweepSpec& sweep, const sweep::SweepPresets& presets) {
  SweepEdit edit = plain_edit_of(sweep);
  const auto is_same = [&](const base::Result<sweep::SweepSpec>& made) {
    return made && made->axes == sweep.axes && made->series == sweep.series;
  };
  if (is_same(sweep_of(edit, sweep.base, presets))) return edit;
  for (const sweep::SweepPreset& preset : presets.all())
    if (is_same(sweep::sweep_over(preset, sweep.base))) edit.preset = preset.id;
  return edit;
}

std::string changed_from_exercise(const text::Texts& texts, const sweep::SweepPreset& preset,
                                  const spec::WorkloadSpec& base) {
  const auto first_point = [&](const base::Result<sweep::SweepSpec>& spec) {
    const sweep::SweepSeries series = sweep::series_of(*spec).front();
    return sweep::spec_at(*spec, series, sweep::places_of(*spec).front()).value_or(series.base);
  };
  const auto now = sweep::sweep_over(preset, base);
  const auto exercise = sweep::sweep_of_preset(preset, base);
  if (!now || !exercise) return {};
  return difference_text(texts, first_point(now), first_point(exercise));
}

}  // namespace ts::views
