#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/spec/workload_spec.h"

// Reads values of a WorkloadSpec from text and accesses them by name; shared by JSON and --set.
namespace ts::spec {

// The field of that name, or an error that names the nearest existing one.
base::Result<Field> field_from_name(std::string_view name);

// A whole number with an optional k, M, G (1000) or Ki, Mi, Gi (1024): "512", "2Ki", "1.5k".
std::optional<std::int64_t> parse_count(std::string_view text);
// Bytes with an optional binary or decimal unit: "2GiB", "512 MiB", "1.5GB", "4096"; "auto" is 0.
std::optional<std::int64_t> parse_bytes(std::string_view text);

// A finite number: "0.1", "3e-4".
std::optional<double> parse_real(std::string_view text);

// True if a setting has whole-number values: a NumberField, a BytesField, or a choice among numbers
// (warmups). The next two functions are for these.
[[nodiscard]] bool has_numbers(Field field);
// The sentence names the range, or the choices.
base::Result<void> set_number(WorkloadSpec& spec, Field field, std::int64_t value);
// Sets a RealField; the sentence names its range.
base::Result<void> set_real(WorkloadSpec& spec, Field field, double value);
// Sets a ChoiceField by its written name.
base::Result<void> set_choice(WorkloadSpec& spec, Field field, std::string_view value);
// Negative if the choice is not one of the numbers ("auto").
[[nodiscard]] std::int64_t number_of(const WorkloadSpec& spec, Field field);

}  // namespace ts::spec
