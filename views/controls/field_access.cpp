#include "views/controls/field_access.h"

#include <algorithm>

#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"

namespace ts::views {

std::optional<std::int64_t> slider_number(const spec::WorkloadSpec& spec, spec::Field field) {
  const auto* number = spec::field_as<spec::NumberField>(field);
  if (number == nullptr) return std::nullopt;
  const std::int64_t value = spec.*number->member;
  return value == 0 && number->zero_is ? slider_number(spec, *number->zero_is) : value;
}

void set_slider_number(spec::WorkloadSpec& spec, spec::Field field, std::int64_t value) {
  const auto* number = spec::field_as<spec::NumberField>(field);
  if (number == nullptr) return;
  const bool follows = number->zero_is && slider_number(spec, *number->zero_is) == value;
  spec.*number->member = follows ? 0 : value;
}

LogScale slider_scale(const spec::WorkloadSpec& spec, spec::Field field) {
  const auto* number = spec::field_as<spec::NumberField>(field);
  if (number == nullptr || number->slider.max == 0) return {1, 2};
  if (!spec::comes_from_file(spec)) return {number->slider.min, number->slider.max};
  const auto [least, most] = spec::size_range(spec, field);
  const std::int64_t low = std::max<std::int64_t>(1, least);
  // A file without a limit has 2^20.
  const std::int64_t high =
      std::max(std::min(most, number->slider.max), slider_number(spec, field).value_or(low));
  return {low, std::max(high, low + 1)};
}

}  // namespace ts::views
