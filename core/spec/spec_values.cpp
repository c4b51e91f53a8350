#include "core/spec/spec_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/base/check.h"
#include "core/base/letters.h"
#include "core/spec/spec_fields.h"
#include "core/text/message.h"
#include "core/text/nearest.h"
#include "core/text/numbers.h"

namespace ts::spec {

namespace {

struct Alias {
  std::string_view word;
  Field field;
};
// Common names of the two fields with one-letter names, which no edit distance finds.
constexpr std::array<Alias, 7> kAliases = {{{"batch", Field::B},
                                            {"batch_size", Field::B},
                                            {"seq", Field::T},
                                            {"seq_len", Field::T},
                                            {"context", Field::T},
                                            {"context_length", Field::T},
                                            {"length", Field::T}}};

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kBinaryKilo = 1024.0;
constexpr std::array<Unit, 7> kCountUnits = {{{"", 1},
                                              {"k", 1e3},
                                              {"M", 1e6},
                                              {"G", 1e9},
                                              {"Ki", kBinaryKilo},
                                              {"Mi", kBinaryKilo* kBinaryKilo},
                                              {"Gi", kBinaryKilo* kBinaryKilo* kBinaryKilo}}};
constexpr std::array<Unit, 10> kByteUnits = {
    {{"", 1},
     {"B", 1},
     {"kB", 1e3},
     {"MB", 1e6},
     {"GB", 1e9},
     {"TB", 1e12},
     {"KiB", kBinaryKilo},
     {"MiB", kBinaryKilo* kBinaryKilo},
     {"GiB", kBinaryKilo* kBinaryKilo* kBinaryKilo},
     {"TiB", kBinaryKilo* kBinaryKilo* kBinaryKilo* kBinaryKilo}}};

std::optional<std::int64_t> parse_with_units(std::string_view text, std::span<const Unit> units) {
  text = base::trimmed(text);
  // Whole numbers are parsed exactly: a double would round above 2^53.
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  const auto [whole_end, whole_error] = std::from_chars(text.data(), end, whole);
  if (whole_error == std::errc{} && whole_end == end) return whole;

  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  const std::string_view unit_name = base::trimmed({rest, static_cast<std::size_t>(end - rest)});
  for (const Unit& unit : units) {
    if (unit.name != unit_name) continue;
    const double scaled = value * unit.factor;
    constexpr double kLargest = 9.0e18;
    if (std::abs(scaled) > kLargest || scaled != std::floor(scaled)) return std::nullopt;
    return static_cast<std::int64_t>(scaled);
  }
  return std::nullopt;
}

std::int64_t WorkloadSpec::*number_member(Field field) {
  if (const auto* number = field_as<NumberField>(field)) return number->member;
  const auto* bytes = field_as<BytesField>(field);
  TS_CHECK(bytes != nullptr);
  return bytes->member;
}

}  // namespace

base::Result<Field> field_from_name(std::string_view name) {
  std::array<std::string_view, kFieldCount> names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = field_name(static_cast<Field>(i));
    if (name == names[i]) return static_cast<Field>(i);
  }
  std::string_view meant = text::nearest(name, names);
  for (const Alias& alias : kAliases) {
    if (alias.word == name) meant = field_name(alias.field);
  }
  if (!meant.empty()) {
    return text::fail("spec_name.no_setting_meant",
                      {{"name", std::string(name)}, {"meant", std::string(meant)}});
  }
  return text::fail("spec_name.no_setting",
                    {{"name", std::string(name)}, {"all", text::listed(names)}});
}

std::optional<std::int64_t> parse_count(std::string_view text) {
  return parse_with_units(text, kCountUnits);
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  if (base::trimmed(text) == "auto") return 0;
  return parse_with_units(text, kByteUnits);
}

std::optional<double> parse_real(std::string_view text) {
  text = base::trimmed(text);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

base::Result<void> set_real(WorkloadSpec& spec, Field field, double value) {
  const auto* real = field_as<RealField>(field);
  TS_CHECK(real != nullptr);
  if (!(value >= real->min && value <= real->max)) {
    return text::fail("spec.error.range", {{"field", field_name(field)},
                                           {"min", text::plain(real->min)},
                                           {"max", text::plain(real->max)},
                                           {"value", text::plain(value)}});
  }
  spec.*real->member = value;
  return {};
}

bool has_numbers(Field field) {
  if (const auto* choices = field_as<ChoiceField>(field)) {
    return std::any_of(choices->names.begin(), choices->names.end(),
                       [](const char* name) { return parse_count(name).has_value(); });
  }
  return field_range(field).max > 0;
}

std::int64_t number_of(const WorkloadSpec& spec, Field field) {
  if (field_as<ChoiceField>(field) != nullptr) {
    return parse_count(field_text(spec, field)).value_or(-1);
  }
  return spec.*number_member(field);
}

base::Result<void> set_number(WorkloadSpec& spec, Field field, std::int64_t value) {
  if (field_as<ChoiceField>(field) != nullptr)
    return set_choice(spec, field, std::to_string(value));
  const FieldRange range = field_range(field);
  if (value < range.min || value > range.max) {
    return text::fail("spec.error.range", {{"field", field_name(field)},
                                           {"min", text::grouped(range.min)},
                                           {"max", text::grouped(range.max)},
                                           {"value", text::grouped(value)}});
  }
  spec.*number_member(field) = value;
  return {};
}

base::Result<void> set_choice(WorkloadSpec& spec, Field field, std::string_view value) {
  const auto* choices = field_as<ChoiceField>(field);
  TS_CHECK(choices != nullptr);
  const auto& names = choices->names;
  const auto found = std::find(names.begin(), names.end(), value);
  if (found == names.end()) {
    const std::vector<std::string_view> words(names.begin(), names.end());
    return text::fail("spec.error.choice", {{"field", field_name(field)},
                                            {"choices", text::listed(words)},
                                            {"value", std::string(value)}});
  }
  choices->set(spec, static_cast<int>(found - names.begin()));
  return {};
}

}  // namespace ts::spec
