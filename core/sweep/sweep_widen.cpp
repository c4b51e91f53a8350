// Adds values to an existing sweep.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "core/sweep/sweep.h"
#include "core/text/message.h"

namespace ts::sweep {
namespace {

// The part of a specification that a sweep does not vary.
nlohmann::json fixed_part(const SweepSpec& spec) {
  nlohmann::json fixed = to_json(spec.base);
  for (const SweepAxis& axis : spec.axes) fixed.erase(spec::field_name(axis.field));
  for (const SweepSeriesField& series : spec.series) {
    if (series.field) fixed.erase(spec::field_name(*series.field));
  }
  return fixed;
}

bool same_fields(const SweepSpec& a, const SweepSpec& b) {
  const auto field = [](const auto& one) { return one.field; };
  return std::ranges::equal(a.axes, b.axes, {}, field, field) &&
         std::ranges::equal(a.series, b.series, {}, field, field);
}

}  // namespace

base::Result<SweepSpec> widened(const SweepSpec& spec, const SweepSpec& more) {
  if (!same_fields(spec, more)) {
    return text::fail("sweep_error.same_settings");
  }
  if (fixed_part(spec) != fixed_part(more)) {
    return text::fail("sweep_error.other_base");
  }
  SweepSpec wider = spec;
  for (std::size_t i = 0; i < wider.axes.size(); ++i) {
    auto& values = wider.axes[i].values;
    values.insert(values.end(), more.axes[i].values.begin(), more.axes[i].values.end());
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  for (std::size_t i = 0; i < wider.series.size(); ++i) {
    auto& values = wider.series[i].values;
    for (const std::string& value : more.series[i].values) {
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
  }
  if (wider == spec) return text::fail("sweep_error.has_all");
  TS_TRY_DONE(check(wider));
  return wider;
}

std::vector<std::size_t> Sweep::widen(SweepSpec wider) {
  Sweep next(std::move(wider));
  std::vector<std::size_t> moved;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    SweepPoint& old = points_[i];
    const std::string& label = series_[old.series].label;
    const auto found = std::ranges::find_if(next.points_, [&](const SweepPoint& point) {
      return point.at == old.at && next.series_[point.series].label == label;
    });
    TS_CHECK(found != next.points_.end());
    const std::size_t series = found->series;
    moved.push_back(static_cast<std::size_t>(found - next.points_.begin()));
    *found = std::move(old);
    found->series = series;
    if (running_ == i) next.running_ = moved.back();
  }
  next.version_ = version_ + 1;
  *this = std::move(next);
  return moved;
}

}  // namespace ts::sweep
