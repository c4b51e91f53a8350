#include "views/controls/field_access.h"

namespace ts::views {
namespace {

using run::Field;

std::int64_t run::WorkloadSpec::*member_of(Field field) {
  switch (field) {
    case Field::B:
      return &run::WorkloadSpec::batch;
    case Field::T:
      return &run::WorkloadSpec::seq_len;
    case Field::d_model:
      return &run::WorkloadSpec::d_model;
    case Field::heads:
      return &run::WorkloadSpec::heads;
    case Field::d_head:
      return &run::WorkloadSpec::d_head;
    case Field::layers:
      return &run::WorkloadSpec::layers;
    case Field::d_ff:
      return &run::WorkloadSpec::d_ff;
    case Field::vocab:
      return &run::WorkloadSpec::vocab;
    default:
      return nullptr;
  }
}

}  // namespace

std::optional<std::int64_t> number_of(const run::WorkloadSpec& spec, Field field) {
  const auto member = member_of(field);
  if (member == nullptr) return std::nullopt;
  return spec.*member;
}

void set_number(run::WorkloadSpec& spec, Field field, std::int64_t value) {
  if (const auto member = member_of(field)) spec.*member = value;
}

LogScale slider_scale(Field field) {
  switch (field) {
    case Field::B:
      return {1, 256};
    case Field::T:
      return {1, 65536};
    case Field::d_model:
      return {32, 8192};
    case Field::heads:
      return {1, 128};
    case Field::d_head:
      return {8, 256};
    case Field::layers:
      return {1, 128};
    case Field::d_ff:
      return {32, 32768};
    case Field::vocab:
      return {64, 262144};
    default:
      return {1, 2};
  }
}

}  // namespace ts::views
