#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/spec/workload_spec.h"
#include "core/text/message.h"
#include "core/text/typed_numbers.h"

namespace ts::spec {

namespace {

// Sets a field from the text of --set, by its kind.
struct FromText {
  WorkloadSpec& spec;
  Field field;
  std::string_view value;

  [[nodiscard]] base::Result<void> refused(const std::string& key) const {
    return text::fail("spec.error." + key,
                      {{"value", std::string(value)}, {"field", field_name(field)}});
  }
  base::Result<void> operator()(const NumberField&) const {
    const auto count = text::parse_count(value);
    return count ? set_number(spec, field, *count) : refused("whole_number");
  }
  base::Result<void> operator()(const BytesField&) const {
    const auto bytes = text::parse_bytes(value);
    return bytes ? set_number(spec, field, *bytes) : refused("size");
  }
  base::Result<void> operator()(const RealField&) const {
    const auto real = text::parse_real(value);
    return real ? set_real(spec, field, *real) : refused("real");
  }
  base::Result<void> operator()(const ChoiceField&) const { return set_choice(spec, field, value); }
  base::Result<void> operator()(const FlagField& flag) const {
    const auto is = [this](std::string_view word) { return value == word; };
    const bool set = is("true") || is("on") || is("yes") || is("1");
    if (!set && !is("false") && !is("off") && !is("no") && !is("0")) return refused("truth");
    spec.*flag.member = set;
    return {};
  }
  base::Result<void> operator()(const SeedField& seed) const {
    std::uint64_t number = 0;
    const char* const end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc{} || rest != end) {
      return text::fail("spec.error.seed", {{"max", std::to_string(UINT64_MAX)},
                                            {"value", std::string(value)},
                                            {"field", field_name(field)}});
    }
    spec.*seed.member = number;
    return {};
  }
  base::Result<void> operator()(const TextField& text) const {
    spec.*text.member = value;
    return {};
  }
};

// Sets a field from a JSON value, by its kind.
struct FromJson {
  WorkloadSpec& spec;
  Field field;
  const nlohmann::json& value;

  [[nodiscard]] tl::unexpected<base::Error> wrong_type(const char* wanted) const {
    return text::fail(
        std::string("spec.error.type.") + wanted,
        {{"field", field_name(field)},
         {"value", value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)}});
  }
  [[nodiscard]] base::Result<void> whole_number() const {
    if (!value.is_number_integer()) return wrong_type("whole_number");
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) {
      return set_number(spec, field, INT64_MAX);
    }
    return set_number(spec, field, value.get<std::int64_t>());
  }
  base::Result<void> operator()(const NumberField&) const { return whole_number(); }
  base::Result<void> operator()(const BytesField&) const { return whole_number(); }
  base::Result<void> operator()(const RealField&) const {
    if (!value.is_number()) return wrong_type("number");
    return set_real(spec, field, value.get<double>());
  }
  base::Result<void> operator()(const ChoiceField&) const {
    if (!value.is_string()) return wrong_type("name");
    return set_choice(spec, field, value.get_ref<const std::string&>());
  }
  base::Result<void> operator()(const FlagField& flag) const {
    if (!value.is_boolean()) return wrong_type("truth");
    spec.*flag.member = value.get<bool>();
    return {};
  }
  base::Result<void> operator()(const SeedField& seed) const {
    if (!value.is_number_unsigned()) return wrong_type("seed");
    spec.*seed.member = value.get<std::uint64_t>();
    return {};
  }
  base::Result<void> operator()(const TextField& text) const {
    if (!value.is_string()) return wrong_type("name");
    spec.*text.member = value.get<std::string>();
    return {};
  }
};

struct ToJson {
  const WorkloadSpec& spec;

  nlohmann::json operator()(const NumberField& number) const { return spec.*number.member; }
  nlohmann::json operator()(const BytesField& bytes) const { return spec.*bytes.member; }
  nlohmann::json operator()(const RealField& real) const { return spec.*real.member; }
  nlohmann::json operator()(const ChoiceField& choice) const {
    return choice.names[static_cast<std::size_t>(choice.get(spec))];
  }
  nlohmann::json operator()(const FlagField& flag) const { return spec.*flag.member; }
  nlohmann::json operator()(const SeedField& seed) const { return spec.*seed.member; }
  nlohmann::json operator()(const TextField& text) const { return spec.*text.member; }
};

}  // namespace

nlohmann::json to_json(const WorkloadSpec& spec) {
  auto json = nlohmann::json::object();
  for (const FieldRow& row : field_rows()) json[row.name] = std::visit(ToJson{spec}, row.kind);
  return json;
}

base::Result<WorkloadSpec> spec_from_json(const nlohmann::json& json) {
  if (!json.is_object()) return text::fail("spec.error.no_object");
  WorkloadSpec spec;
  for (const auto& [key, value] : json.items()) {
    TS_TRY(const auto field, field_from_name(key));
    TS_TRY_DONE(std::visit(FromJson{spec, field, value}, field_row(field).kind));
  }
  if (const auto problems = validate(spec); !problems.empty()) {
    return tl::unexpected<base::Error>(problems.front());
  }
  return spec;
}

base::Result<void> set_field(WorkloadSpec& spec, std::string_view name, std::string_view value) {
  TS_TRY(const auto field, field_from_name(name));
  return std::visit(FromText{spec, field, value}, field_row(field).kind);
}

std::optional<SpecProblem> value_problem(Field field, std::string_view value) {
  WorkloadSpec unused;
  auto set = std::visit(FromText{unused, field, value}, field_row(field).kind);
  if (set) return std::nullopt;
  return SpecProblem{std::move(set.error()), field};
}

}  // namespace ts::spec
