#include "core/sweep/reference_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/io/json_parse.h"
#include "core/spec/spec_values.h"

namespace ts::sweep {
namespace {

base::Result<ReferenceSeries> read_series(const nlohmann::json& json) {
  try {
    ReferenceSeries series;
    series.name = json.at("name").get<std::string>();
    series.hardware = json.at("hardware").get<std::string>();
    const nlohmann::json known = to_json(spec::WorkloadSpec{});
    for (const auto& [key, value] : json.at("match").items()) {
      if (!known.contains(key)) return base::fail("no setting is called " + key);
      series.match.emplace_back(key, value.dump());
    }
    TS_TRY(series.axis, spec::field_from_name(json.at("axis").get<std::string>()));
    series.step_ms = json.at("step_ms").get<std::vector<std::pair<std::int64_t, double>>>();
    return series;
  } catch (const nlohmann::json::exception& error) {
    return base::fail(error.what());
  }
}

bool matches(const ReferenceSeries& series, const nlohmann::json& spec) {
  return std::all_of(series.match.begin(), series.match.end(), [&](const auto& setting) {
    return spec.at(setting.first).dump() == setting.second;
  });
}

}  // namespace

base::Result<std::vector<ReferenceSeries>> parse_references(std::string_view text) {
  const auto json = io::parse_json(text);
  if (!json || !json->is_array()) {
    return base::fail("The published points are not a JSON array");
  }
  std::vector<ReferenceSeries> all;
  for (const nlohmann::json& one : *json) {
    auto series = read_series(one);
    if (!series) {
      return base::fail(
          fmt::format("Published series {}: {}", all.size() + 1, series.error().sentence));
    }
    all.push_back(std::move(*series));
  }
  return all;
}

std::vector<ReferenceSeries> references_of(const Sweep& sweep,
                                           std::span<const ReferenceSeries> all) {
  std::vector<ReferenceSeries> found;
  if (all.empty()) return found;
  // The points of a curve differ only in the setting of the first axis, so its first point
  // represents it.
  const std::size_t length = sweep.spec().axes[0].values.size();
  std::vector<nlohmann::json> specs;
  for (std::size_t i = 0; i < sweep.points().size(); i += length) {
    specs.push_back(to_json(sweep.points()[i].spec));
  }
  for (const ReferenceSeries& series : all) {
    if (series.axis != sweep.spec().axes[0].field) continue;
    if (std::any_of(specs.begin(), specs.end(),
                    [&](const nlohmann::json& spec) { return matches(series, spec); })) {
      found.push_back(series);
    }
  }
  return found;
}

}  // namespace ts::sweep
