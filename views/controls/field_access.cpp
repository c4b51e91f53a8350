#include "views/controls/field_access.h"

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

LogScale slider_scale(spec::Field field) {
  const auto* number = spec::field_as<spec::NumberField>(field);
  const bool slides = number != nullptr && number->slider.max > 0;
  return slides ? LogScale(number->slider.min, number->slider.max) : LogScale(1, 2);
}

}  // namespace ts::views
