#include "core/spec/spec_values.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/check.h"
#include "core/spec/spec_fields.h"
#include "core/text/message.h"
#include "core/text/nearest.h"
#include "core/text/numbers.h"
#include "core/text/typed_numbers.h"

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

std::int64_t WorkloadSpec::*number_member(Field field) {
  if (const auto* number = field_as<NumberField>(field)) return number->member;
  const auto* bytes = field_as<BytesField>(field);
  TS_CHECK(bytes != nullptr);
  return bytes->member;
}

template <class Number>
base::Result<void> in_range(Field field, Number value, Number min, Number max,
                            std::string (*words)(Number)) {
  if (value >= min && value <= max) return {};
  return text::fail("spec.error.range", {{"field", field_name(field)},
                                         {"min", words(min)},
                                         {"max", words(max)},
                                         {"value", words(value)}});
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

base::Result<void> in_range(Field field, std::int64_t value) {
  const FieldRange range = field_range(field);
  return in_range(field, value, range.min, range.max, text::grouped);
}

base::Result<void> in_range(Field field, double value) {
  const auto* real = field_as<RealField>(field);
  TS_CHECK(real != nullptr);
  return in_range(field, value, real->min, real->max, text::plain);
}

base::Result<void> set_real(WorkloadSpec& spec, Field field, double value) {
  TS_TRY_DONE(in_range(field, value));
  spec.*field_as<RealField>(field)->member = value;
  return {};
}

base::Result<void> set_setting(WorkloadSpec& spec, std::string_view written) {
  const std::size_t equals = std::min(written.find('='), written.size());
  const std::string_view value = written.substr(std::min(equals + 1, written.size()));
  return set_field(spec, written.substr(0, equals), value);
}

bool has_numbers(Field field) {
  if (const auto* choices = field_as<ChoiceField>(field)) {
    return std::any_of(choices->names.begin(), choices->names.end(),
                       [](const char* name) { return text::parse_count(name).has_value(); });
  }
  return field_range(field).max > 0;
}

std::int64_t number_of(const WorkloadSpec& spec, Field field) {
  if (field_as<ChoiceField>(field) != nullptr) {
    return text::parse_count(field_text(spec, field)).value_or(-1);
  }
  return spec.*number_member(field);
}

base::Result<void> set_number(WorkloadSpec& spec, Field field, std::int64_t value) {
  if (field_as<ChoiceField>(field) != nullptr)
    return set_choice(spec, field, std::to_string(value));
  TS_TRY_DONE(in_range(field, value));
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
