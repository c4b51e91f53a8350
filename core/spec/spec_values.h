#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/result.h"
#include "core/spec/workload_spec.h"

// Accesses the values of a WorkloadSpec by name; shared by JSON and --set.
namespace ts::spec {

// The field of that name, or an error that names the nearest existing one.
base::Result<Field> field_from_name(std::string_view name);

// True if a setting has whole-number values: a NumberField, a BytesField, or a choice among numbers
// (warmups). The next two functions are for these.
[[nodiscard]] bool has_numbers(Field field);
// Sets a field by "NAME=VALUE", the form of --set.
base::Result<void> set_setting(WorkloadSpec& spec, std::string_view written);

// The sentence names the range of a NumberField or BytesField, or of a RealField.
base::Result<void> in_range(Field field, std::int64_t value);
base::Result<void> in_range(Field field, double value);
// The sentence names the range, or the choices.
base::Result<void> set_number(WorkloadSpec& spec, Field field, std::int64_t value);
// Sets a RealField; the sentence names its range.
base::Result<void> set_real(WorkloadSpec& spec, Field field, double value);
// Sets a ChoiceField by its written name.
base::Result<void> set_choice(WorkloadSpec& spec, Field field, std::string_view value);
// Negative if the choice is not one of the numbers ("auto").
[[nodiscard]] std::int64_t number_of(const WorkloadSpec& spec, Field field);

}  // namespace ts::spec
