#include "core/sweep/sweep_spec.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "core/run/protocol_json.h"
#include "core/spec/presets.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/message.h"

namespace ts::sweep {
namespace {

constexpr const char* kPresetSeries = "preset";

const char* series_field_name(const SweepSeriesField& series) {
  return series.field ? spec::field_name(*series.field) : kPresetSeries;
}

std::size_t point_count(const SweepSpec& spec, std::size_t series) {
  std::size_t count = series;
  for (const SweepAxis& axis : spec.axes) count *= axis.values.size();
  return count;
}

// Why none of the points can be run, or nothing.
base::Message problem_of_all(const SweepSpec& spec, const std::vector<SweepSeries>& series) {
  base::Message problem;
  for (const SweepSeries& one : series) {
    for (const auto& at : places_of(spec)) {
      const auto point = spec_at(spec, one, at);
      if (point) return {};
      problem = point.error();
    }
  }
  return problem;
}

base::Result<void> check_fields(const SweepSpec& spec) {
  std::vector<spec::Field> used;
  const auto use = [&used](spec::Field field) {
    if (std::find(used.begin(), used.end(), field) != used.end()) return false;
    used.push_back(field);
    return true;
  };
  for (const SweepAxis& axis : spec.axes) {
    if (!use(axis.field)) {
      return text::fail("sweep_error.twice", {{"field", spec::field_name(axis.field)}});
    }
  }
  for (const SweepSeriesField& series : spec.series) {
    if (series.values.empty())
      return text::fail("sweep_error.no_values", {{"field", series_field_name(series)}});
    if (!series.field) {
      // Presets set the shape, so all other series must come after them.
      if (&series != &spec.series.front()) return text::fail("sweep_error.preset_first");
      for (const std::string& id : series.values) {
        spec::WorkloadSpec tried = spec.base;
        if (!spec::apply_presets(id, tried)) {
          return text::fail("sweep_error.no_preset",
                            {{"preset", id}, {"workload", to_string(spec.base.workload)}});
        }
      }
    } else if (!use(*series.field)) {
      return text::fail("sweep_error.twice", {{"field", series_field_name(series)}});
    }
  }
  return {};
}

base::Result<void> check_use(const SweepSpec& spec, const std::vector<SweepSeries>& series) {
  const auto applies = [&series](spec::Field field) {
    return std::ranges::any_of(
        series, [field](const SweepSeries& one) { return spec::field_applies(one.base, field); });
  };
  const auto unused = [&spec](spec::Field field) {
    return text::fail("sweep_error.unused", {{"field", spec::field_name(field)},
                                             {"workload", to_string(spec.base.workload)},
                                             {"device", to_string(spec.base.device)}});
  };
  for (const SweepAxis& axis : spec.axes) {
    if (!applies(axis.field)) return unused(axis.field);
  }
  for (const SweepSeriesField& one : spec.series) {
    if (one.field && !applies(*one.field)) return unused(*one.field);
  }
  return {};
}

}  // namespace

bool operator==(const SweepSpec& a, const SweepSpec& b) {
  return to_json(a) == to_json(b);
}

std::vector<SweepSeries> series_of(const SweepSpec& spec) {
  const bool attention = spec::field_applies(spec.base, spec::Field::backend);
  std::vector<SweepSeries> all = {
      {attention ? to_string(spec.base.backend) : to_string(spec.base.workload), spec.base}};
  bool first = true;
  for (const SweepSeriesField& field : spec.series) {
    std::vector<SweepSeries> next;
    for (const SweepSeries& series : all) {
      for (const std::string& value : field.values) {
        SweepSeries one = series;
        if (field.field) {
          TS_CHECK(spec::set_field(one.base, spec::field_name(*field.field), value).has_value());
        } else {
          const spec::AttentionBackend backend = one.base.backend;
          TS_CHECK(spec::apply_presets(value, one.base));
          one.base.backend = backend;
        }
        // "flash" is clear without its setting's name, "2" and "true" are not.
        const bool named = !field.field || field_as<spec::ChoiceField>(*field.field) != nullptr;
        const std::string word =
            named ? value : std::string(series_field_name(field)) + " = " + value;
        one.label = first ? word : series.label + ", " + word;
        next.push_back(std::move(one));
      }
    }
    all = std::move(next);
    first = false;
  }
  return all;
}

std::vector<std::vector<std::int64_t>> places_of(const SweepSpec& spec) {
  std::vector<std::vector<std::int64_t>> places = {{}};
  // The last axis is the outer loop, so that the points of one curve follow each other.
  for (auto axis = spec.axes.rbegin(); axis != spec.axes.rend(); ++axis) {
    std::vector<std::vector<std::int64_t>> next;
    for (const auto& place : places) {
      for (const std::int64_t value : axis->values) {
        next.push_back(place);
        next.back().insert(next.back().begin(), value);
      }
    }
    places = std::move(next);
  }
  return places;
}

base::Result<spec::WorkloadSpec> spec_at(const SweepSpec& spec, const SweepSeries& series,
                                         const std::vector<std::int64_t>& at) {
  TS_CHECK(at.size() == spec.axes.size());
  spec::WorkloadSpec point = series.base;
  for (std::size_t i = 0; i < at.size(); ++i) {
    TS_TRY_DONE(spec::set_number(point, spec.axes[i].field, at[i]));
  }
  if (const auto problems = spec::validate(point); !problems.empty()) {
    return tl::unexpected<base::Error>(problems.front());
  }
  return point;
}

base::Result<void> check(const SweepSpec& spec) {
  if (spec.axes.empty() || spec.axes.size() > 2) {
    return text::fail("sweep_error.axes");
  }
  for (const SweepAxis& axis : spec.axes) {
    const bool ascending = std::is_sorted(axis.values.begin(), axis.values.end(),
                                          [](std::int64_t a, std::int64_t b) { return a <= b; });
    if (axis.values.empty() || !ascending || axis.values.size() > kMostAxisValues) {
      return text::fail("sweep_error.ascend", {{"field", spec::field_name(axis.field)},
                                               {"most", std::to_string(kMostAxisValues)}});
    }
  }
  if (auto fields = check_fields(spec); !fields) return fields;
  if (!(spec.max_point_s > 0)) return text::fail("sweep_error.point_time");
  const auto series = series_of(spec);
  if (auto use = check_use(spec, series); !use) return use;
  if (const std::size_t count = point_count(spec, series.size()); count > kMostSweepPoints) {
    return text::fail("sweep_error.many_points", {{"most", std::to_string(kMostSweepPoints)},
                                                  {"count", std::to_string(count)}});
  }
  if (base::Message problem = problem_of_all(spec, series); !problem.empty()) {
    return text::fail("sweep_error.none_runs", {text::argument("reason", std::move(problem))});
  }
  return {};
}

nlohmann::json to_json(const SweepAxis& axis) {
  return {{"field", spec::field_name(axis.field)}, {"values", axis.values}};
}

nlohmann::json to_json(const SweepSpec& spec) {
  auto axes = nlohmann::json::array();
  for (const SweepAxis& axis : spec.axes) axes.push_back(to_json(axis));
  auto series = nlohmann::json::array();
  for (const SweepSeriesField& one : spec.series) {
    series.push_back({{"field", series_field_name(one)}, {"values", one.values}});
  }
  nlohmann::json json = {{"base", to_json(spec.base)},
                         {"axes", std::move(axes)},
                         {"series", std::move(series)},
                         {"protocol", to_json(spec.protocol)},
                         {"max_point_s", spec.max_point_s}};
  if (spec.only_predicted) json["only_predicted"] = true;
  return json;
}

base::Result<SweepSpec> sweep_spec_from_json(const nlohmann::json& json) {
  try {
    SweepSpec spec;
    TS_TRY(spec.base, spec::spec_from_json(json.at("base")));
    TS_TRY(spec.protocol, run::protocol_from_json(json.at("protocol")));
    spec.max_point_s = json.at("max_point_s").get<double>();
    spec.only_predicted = json.value("only_predicted", false);
    for (const nlohmann::json& axis : json.at("axes")) {
      TS_TRY(const auto field, spec::field_from_name(axis.at("field").get<std::string>()));
      spec.axes.push_back({field, axis.at("values").get<std::vector<std::int64_t>>()});
    }
    for (const nlohmann::json& one : json.at("series")) {
      const auto values = one.at("values").get<std::vector<std::string>>();
      for (const std::string& value : values) {
        TS_TRY(auto parsed, parse_series(one.at("field").get<std::string>() + "=" + value));
        if (&value == &values.front()) {
          spec.series.push_back(std::move(parsed));
        } else {
          spec.series.back().values.push_back(value);
        }
      }
    }
    TS_TRY_DONE(check(spec));
    return spec;
  } catch (const nlohmann::json::exception& error) {
    return text::fail("sweep_error.not_read", {{"reason", error.what()}});
  }
}

}  // namespace ts::sweep
