// Reads axes and series from text.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "core/spec/spec_values.h"
#include "core/sweep/sweep_spec.h"
#include "core/text/joined.h"
#include "core/text/message.h"
#include "core/text/typed_numbers.h"

namespace ts::sweep {
namespace {

struct Named {
  spec::Field field = spec::Field::T;
  std::string_view values;
};

// Splits "T=256:2048" into its two parts.
base::Result<Named> split(std::string_view text, const char* option, const char* example) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return text::fail("sweep_error.form",
                      {{"option", option}, {"example", example}, {"value", std::string(text)}});
  }
  TS_TRY(const auto field, spec::field_from_name(text.substr(0, equals)));
  return Named{field, text.substr(equals + 1)};
}

// By the rules of --set, and with its error sentences.
base::Result<std::int64_t> read_value(spec::Field field, std::string_view text) {
  spec::WorkloadSpec spec;
  TS_TRY_DONE(spec::set_field(spec, spec::field_name(field), text));
  const std::int64_t value = spec::number_of(spec, field);
  if (value >= 0) return value;
  return text::fail("sweep_error.numbers",
                    {{"field", spec::field_name(field)}, {"value", std::string(text)}});
}

// The number that values are read for.
struct Number {
  std::string name;
  std::function<base::Result<std::int64_t>(std::string_view)> read;
  bool bytes = false;
};

base::Result<void> add(std::vector<std::int64_t>& values, std::int64_t value, const Number& of) {
  if (values.size() == kMostAxisValues) {
    return text::fail("sweep_error.many_values",
                      {{"most", std::to_string(kMostAxisValues)}, {"field", of.name}});
  }
  values.push_back(value);
  return {};
}

tl::unexpected<base::Error> bad_step(std::string_view step) {
  return text::fail("sweep_error.step", {{"value", std::string(step)}});
}

using Values = std::vector<std::int64_t>;

base::Result<Values> powers_of_two(const Number& of, std::int64_t low, std::int64_t high) {
  Values values;
  for (std::int64_t value = 1; value <= high && value <= INT64_MAX / 2; value *= 2) {
    if (value >= low) values.push_back(value);
  }
  if (values.empty()) {
    return text::fail(
        "sweep_error.no_power",
        {{"low", std::to_string(low)}, {"high", std::to_string(high)}, {"field", of.name}});
  }
  return values;
}

base::Result<Values> times(const Number& of, std::int64_t low, std::int64_t high,
                           std::string_view factor_text) {
  double factor = 0;
  const char* const end = factor_text.data() + factor_text.size();
  const auto [rest, error] = std::from_chars(factor_text.data(), end, factor);
  if (error != std::errc{} || rest != end || !(factor > 1) || !std::isfinite(factor)) {
    return text::fail("sweep_error.factor", {{"value", std::string(factor_text)}});
  }
  if (low < 1) {
    return text::fail("sweep_error.multiply", {{"field", of.name}, {"low", std::to_string(low)}});
  }
  Values values;
  // Computed exactly, then rounded, so that errors do not accumulate: 100:800:x1.5 is 100, 150,
  // 225, 338, ...
  for (double exact = static_cast<double>(low); exact <= static_cast<double>(high) + 1e-6;
       exact *= factor) {
    const std::int64_t value = std::llround(exact);
    if (!values.empty() && value == values.back()) continue;
    TS_TRY_DONE(add(values, value, of));
  }
  return values;
}

base::Result<Values> plus(const Number& of, std::int64_t low, std::int64_t high,
                          std::string_view step_text) {
  const auto step = of.bytes ? text::parse_bytes(step_text) : text::parse_count(step_text);
  if (!step || *step < 1) {
    return text::fail("sweep_error.whole_step", {{"value", std::string(step_text)}});
  }
  Values values;
  for (std::int64_t value = low;; value += *step) {
    TS_TRY_DONE(add(values, value, of));
    if (*step > high - value) return values;
  }
}

base::Result<Values> range(const Number& of, const std::vector<std::string_view>& parts) {
  TS_TRY(const auto low, of.read(parts[0]));
  TS_TRY(const auto high, of.read(parts[1]));
  if (low > high) {
    return text::fail(
        "sweep_error.downwards",
        {{"field", of.name}, {"low", std::to_string(low)}, {"high", std::to_string(high)}});
  }
  if (parts.size() == 2) return powers_of_two(of, low, high);
  const std::string_view step = parts[2];
  if (step.size() < 2) return bad_step(step);
  if (step.front() == 'x') return times(of, low, high, step.substr(1));
  if (step.front() == '+') return plus(of, low, high, step.substr(1));
  return bad_step(step);
}

// "256,512" or "256:2048:x2": ascending and unique.
base::Result<Values> values_of(const Number& of, std::string_view text) {
  const auto parts = text::pieces(text, ':');
  if (parts.size() > 3) return text::fail("sweep_error.range", {{"value", std::string(text)}});
  if (parts.size() > 1) return range(of, parts);
  Values values;
  for (const std::string_view piece : text::pieces(text, ',')) {
    TS_TRY(const auto value, of.read(piece));
    TS_TRY_DONE(add(values, value, of));
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

base::Result<SweepAxis> parse_axis(std::string_view text) {
  TS_TRY(const auto named, split(text, "--axis", "T=256:2048:x2"));
  if (!spec::has_numbers(named.field)) {
    return text::fail("sweep_error.no_number", {{"field", spec::field_name(named.field)}});
  }
  SweepAxis axis;
  axis.field = named.field;
  auto values = values_of({spec::field_name(axis.field),
                           [&](std::string_view one) { return read_value(axis.field, one); },
                           axis.field == spec::Field::memory_limit},
                          named.values);
  if (!values) return tl::unexpected(values.error());
  axis.values = std::move(*values);
  return axis;
}

base::Result<std::vector<std::int64_t>> parse_numbers(const std::string& name,
                                                      std::string_view values) {
  const auto read = [&](std::string_view one) -> base::Result<std::int64_t> {
    if (const auto number = text::parse_count(one); number && *number >= 0) return *number;
    return text::fail("sweep_error.numbers", {{"field", name}, {"value", std::string(one)}});
  };
  return values_of({name, read}, values);
}

base::Result<SweepSeriesField> parse_series(std::string_view text) {
  constexpr std::string_view kPresets = "preset=";
  if (text.starts_with(kPresets) && text.size() > kPresets.size()) {
    SweepSeriesField presets{std::nullopt, {}};
    for (const std::string_view piece : text::pieces(text.substr(kPresets.size()), ',')) {
      presets.values.emplace_back(piece);  // check() verifies them, as it knows the workload
    }
    return presets;
  }
  TS_TRY(const auto named, split(text, "--series", "backend=naive,flash"));
  SweepSeriesField series;
  series.field = named.field;
  for (const std::string_view piece : text::pieces(named.values, ',')) {
    spec::WorkloadSpec probe;
    TS_TRY_DONE(spec::set_field(probe, spec::field_name(*series.field), piece));
    if (std::find(series.values.begin(), series.values.end(), piece) == series.values.end()) {
      series.values.emplace_back(piece);
    }
  }
  return series;
}

}  // namespace ts::sweep
