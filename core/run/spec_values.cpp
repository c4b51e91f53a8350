#include "core/run/spec_values.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "core/run/nearest.h"
#include "core/text/numbers.h"

namespace ts::run {

namespace {

struct Alias {
  std::string_view word;
  Field field;
};
// What people write for the two fields with one-letter names, which no edit distance finds.
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

constexpr double kKi = 1024.0;
constexpr std::array<Unit, 7> kCountUnits = {{{"", 1},
                                              {"k", 1e3},
                                              {"M", 1e6},
                                              {"G", 1e9},
                                              {"Ki", kKi},
                                              {"Mi", kKi* kKi},
                                              {"Gi", kKi* kKi* kKi}}};
constexpr std::array<Unit, 10> kByteUnits = {{{"", 1},
                                              {"B", 1},
                                              {"kB", 1e3},
                                              {"MB", 1e6},
                                              {"GB", 1e9},
                                              {"TB", 1e12},
                                              {"KiB", kKi},
                                              {"MiB", kKi* kKi},
                                              {"GiB", kKi* kKi* kKi},
                                              {"TiB", kKi* kKi* kKi* kKi}}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> parse_with_units(std::string_view text, std::span<const Unit> units) {
  text = trimmed(text);
  // Whole numbers take the exact path: a double would round beyond 2^53.
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  const auto [whole_end, whole_error] = std::from_chars(text.data(), end, whole);
  if (whole_error == std::errc{} && whole_end == end) return whole;

  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  const std::string_view unit_name = trimmed({rest, static_cast<std::size_t>(end - rest)});
  for (const Unit& unit : units) {
    if (unit.name != unit_name) continue;
    const double scaled = value * unit.factor;
    constexpr double kLargest = 9.0e18;
    if (std::abs(scaled) > kLargest || scaled != std::floor(scaled)) return std::nullopt;
    return static_cast<std::int64_t>(scaled);
  }
  return std::nullopt;
}

template <class Enum, std::size_t count>
base::Result<void> choose(Enum& target, Field field, std::string_view value) {
  std::array<std::string_view, count> names;
  for (std::size_t i = 0; i < count; ++i) {
    names[i] = to_string(static_cast<Enum>(i));
    if (value == names[i]) {
      target = static_cast<Enum>(i);
      return {};
    }
  }
  return base::fail(
      fmt::format("{} must be {}, not \"{}\"", field_name(field), listed(names), value));
}

std::int64_t* wide_number(WorkloadSpec& spec, Field field) {
  switch (field) {
    case Field::B:
      return &spec.batch;
    case Field::T:
      return &spec.seq_len;
    case Field::d_model:
      return &spec.d_model;
    case Field::heads:
      return &spec.heads;
    case Field::d_head:
      return &spec.d_head;
    case Field::layers:
      return &spec.layers;
    case Field::d_ff:
      return &spec.d_ff;
    case Field::vocab:
      return &spec.vocab;
    case Field::memory_limit:
      return &spec.memory_limit;
    default:
      return nullptr;
  }
}

}  // namespace

base::Result<Field> field_from_name(std::string_view name) {
  std::array<std::string_view, kFieldCount> names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = field_name(static_cast<Field>(i));
    if (name == names[i]) return static_cast<Field>(i);
  }
  std::string_view meant = nearest(name, names);
  for (const Alias& alias : kAliases) {
    if (alias.word == name) meant = field_name(alias.field);
  }
  if (!meant.empty()) {
    return base::fail(fmt::format("There is no setting \"{}\": did you mean {}?", name, meant));
  }
  return base::fail(fmt::format("There is no setting \"{}\": choose {}", name, listed(names)));
}

std::optional<std::int64_t> parse_count(std::string_view text) {
  return parse_with_units(text, kCountUnits);
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  if (trimmed(text) == "auto") return 0;
  return parse_with_units(text, kByteUnits);
}

bool is_number(Field field) {
  const FieldRange range = field_range(field);
  return range.max > 0;
}

bool is_choice(Field field) {
  return field == Field::workload || field == Field::dtype || field == Field::backend ||
         field == Field::pass || field == Field::device;
}

std::int64_t number_of(const WorkloadSpec& spec, Field field) {
  WorkloadSpec copy = spec;
  const std::int64_t* wide = wide_number(copy, field);
  return wide != nullptr ? *wide : spec.device_index;
}

base::Result<void> set_number(WorkloadSpec& spec, Field field, std::int64_t value) {
  const FieldRange range = field_range(field);
  if (value < range.min || value > range.max) {
    return base::fail(fmt::format("{} must be between {} and {}, not {}", field_name(field),
                                  text::grouped(range.min), text::grouped(range.max),
                                  text::grouped(value)));
  }
  if (std::int64_t* wide = wide_number(spec, field)) {
    *wide = value;
  } else {
    spec.device_index = static_cast<std::int32_t>(value);
  }
  return {};
}

base::Result<void> set_choice(WorkloadSpec& spec, Field field, std::string_view value) {
  switch (field) {
    case Field::workload:
      return choose<WorkloadKind, 4>(spec.workload, field, value);
    case Field::dtype:
      return choose<DataType, 2>(spec.dtype, field, value);
    case Field::backend:
      return choose<AttentionBackend, 4>(spec.backend, field, value);
    case Field::pass:
      return choose<Pass, 3>(spec.pass, field, value);
    default:
      return choose<DeviceKind, 2>(spec.device, field, value);
  }
}

}  // namespace ts::run
