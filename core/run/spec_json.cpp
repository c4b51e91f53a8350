#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/run/spec_values.h"
#include "core/run/workload_spec.h"

namespace ts::run {

namespace {

base::Result<void> set_causal(WorkloadSpec& spec, std::string_view value) {
  if (value == "true" || value == "on" || value == "yes" || value == "1") {
    spec.causal = true;
  } else if (value == "false" || value == "off" || value == "no" || value == "0") {
    spec.causal = false;
  } else {
    return base::fail(fmt::format("causal must be true or false, not \"{}\"", value));
  }
  return {};
}

base::Result<void> set_seed(WorkloadSpec& spec, std::string_view value) {
  std::uint64_t seed = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, seed);
  if (error != std::errc{} || rest != end) {
    return base::fail(
        fmt::format("seed must be a whole number from 0 to {}, not \"{}\"", UINT64_MAX, value));
  }
  spec.seed = seed;
  return {};
}

base::Result<void> set_number_from_text(WorkloadSpec& spec, Field field, std::string_view value) {
  if (field == Field::memory_limit) {
    const auto bytes = parse_bytes(value);
    if (bytes) return set_number(spec, field, *bytes);
    return base::fail(fmt::format(
        "memory_limit takes bytes, a size such as 2GiB or 512MiB, or auto, not \"{}\"", value));
  }
  const auto count = parse_count(value);
  if (count) return set_number(spec, field, *count);
  return base::fail(fmt::format("{} takes a whole number such as 512, 2k or 2Ki, not \"{}\"",
                                field_name(field), value));
}

tl::unexpected<base::Error> wrong_type(Field field, const char* wanted,
                                       const nlohmann::json& value) {
  return base::fail(
      fmt::format("{} must be {}, not {}", field_name(field), wanted,
                  value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

base::Result<void> set_from_json(WorkloadSpec& spec, Field field, const nlohmann::json& value) {
  if (is_number(field)) {
    if (!value.is_number_integer()) return wrong_type(field, "a whole number", value);
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) {
      return set_number(spec, field, INT64_MAX);
    }
    return set_number(spec, field, value.get<std::int64_t>());
  }
  if (is_choice(field)) {
    if (!value.is_string()) return wrong_type(field, "a name in quotes", value);
    return set_choice(spec, field, value.get_ref<const std::string&>());
  }
  if (field == Field::seed) {
    if (!value.is_number_unsigned()) return wrong_type(field, "a whole number from 0 up", value);
    spec.seed = value.get<std::uint64_t>();
    return {};
  }
  if (field == Field::causal) {
    if (!value.is_boolean()) return wrong_type(field, "true or false", value);
    spec.causal = value.get<bool>();
    return {};
  }
  if (!value.is_string()) return wrong_type(field, "a name in quotes", value);
  spec.target_gpu = value.get<std::string>();
  return {};
}

}  // namespace

nlohmann::json to_json(const WorkloadSpec& spec) {
  nlohmann::json json = {{"workload", to_string(spec.workload)},
                         {"dtype", to_string(spec.dtype)},
                         {"backend", to_string(spec.backend)},
                         {"pass", to_string(spec.pass)},
                         {"device", to_string(spec.device)},
                         {"causal", spec.causal},
                         {"seed", spec.seed},
                         {"target_gpu", spec.target_gpu}};
  for (int i = 0; i < kFieldCount; ++i) {
    const auto field = static_cast<Field>(i);
    if (is_number(field)) json[field_name(field)] = number_of(spec, field);
  }
  return json;
}

base::Result<WorkloadSpec> spec_from_json(const nlohmann::json& json) {
  if (!json.is_object()) return base::fail("A workload must be a JSON object of settings");
  WorkloadSpec spec;
  for (const auto& [key, value] : json.items()) {
    const auto field = field_from_name(key);
    if (!field) return tl::unexpected(field.error());
    if (auto set = set_from_json(spec, *field, value); !set) return tl::unexpected(set.error());
  }
  if (const auto problems = validate(spec); !problems.empty()) {
    return base::fail(problems.front().sentence);
  }
  return spec;
}

base::Result<void> set_field(WorkloadSpec& spec, std::string_view name, std::string_view value) {
  const auto field = field_from_name(name);
  if (!field) return tl::unexpected(field.error());
  if (is_number(*field)) return set_number_from_text(spec, *field, value);
  if (is_choice(*field)) return set_choice(spec, *field, value);
  if (*field == Field::seed) return set_seed(spec, value);
  if (*field == Field::causal) return set_causal(spec, value);
  spec.target_gpu = value;
  return {};
}

}  // namespace ts::run
