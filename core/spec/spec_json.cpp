#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/spec/spec_fields.h"
#include "core/spec/spec_problems.h"
#include "core/spec/spec_values.h"
#include "core/spec/workload_spec.h"
#include "core/text/nearest.h"
#include "core/text/numbers.h"
#include "core/text/typed_numbers.h"

namespace ts::spec {

namespace {

// The problem with a value; nothing if the value was set.
using Refusal = std::optional<SpecProblem>;

Refusal refusal(Field field, const std::string& key, std::vector<base::Argument> arguments) {
  arguments.push_back({"field", field_name(field)});
  Problems problems;
  problems.add(field, key, std::move(arguments));
  return problems.take().front();
}

Refusal set_flag(WorkloadSpec& spec, Field field, std::string_view value) {
  bool& flag = spec.*field_as<FlagField>(field)->member;
  if (value == "true" || value == "on" || value == "yes" || value == "1") {
    flag = true;
  } else if (value == "false" || value == "off" || value == "no" || value == "0") {
    flag = false;
  } else {
    return refusal(field, "truth", {{"value", std::string(value)}});
  }
  return {};
}

Refusal set_seed(WorkloadSpec& spec, Field field, std::string_view value) {
  std::uint64_t seed = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, seed);
  if (error != std::errc{} || rest != end) {
    return refusal(field, "seed",
                   {{"max", std::to_string(UINT64_MAX)}, {"value", std::string(value)}});
  }
  spec.*field_as<SeedField>(field)->member = seed;
  return {};
}

// Sets a field from the text of --set, by its kind.
struct FromText {
  WorkloadSpec& spec;
  Field field;
  std::string_view value;

  [[nodiscard]] Refusal refused(const char* key) const {
    return refusal(field, key, {{"value", std::string(value)}});
  }
  [[nodiscard]] Refusal number(std::int64_t count) const {
    if (set_number(spec, field, count)) return {};
    const FieldRange range = field_range(field);
    return refusal(field, "range",
                   {{"min", text::grouped(range.min)},
                    {"max", text::grouped(range.max)},
                    {"value", text::grouped(count)}});
  }
  Refusal operator()(const NumberField&) const {
    if (const auto count = text::parse_count(value)) return number(*count);
    return refused("whole_number");
  }
  Refusal operator()(const BytesField&) const {
    if (const auto bytes = text::parse_bytes(value)) return number(*bytes);
    return refused("size");
  }
  Refusal operator()(const RealField& real) const {
    const auto parsed = text::parse_real(value);
    if (!parsed) {
      return refused("real");
    }
    if (set_real(spec, field, *parsed)) return {};
    return refusal(field, "range",
                   {{"min", text::plain(real.min)},
                    {"max", text::plain(real.max)},
                    {"value", text::plain(*parsed)}});
  }
  Refusal operator()(const ChoiceField& choices) const {
    if (set_choice(spec, field, value)) return {};
    const std::vector<std::string_view> words(choices.names.begin(), choices.names.end());
    return refusal(field, "choice",
                   {{"choices", text::listed(words)}, {"value", std::string(value)}});
  }
  Refusal operator()(const FlagField&) const { return set_flag(spec, field, value); }
  Refusal operator()(const SeedField&) const { return set_seed(spec, field, value); }
  Refusal operator()(const TextField& text) const {
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
    return base::fail(
        fmt::format("{} must be {}, not {}", field_name(field), wanted,
                    value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  }
  [[nodiscard]] base::Result<void> whole_number() const {
    if (!value.is_number_integer()) return wrong_type("a whole number");
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) {
      return set_number(spec, field, INT64_MAX);
    }
    return set_number(spec, field, value.get<std::int64_t>());
  }
  base::Result<void> operator()(const NumberField&) const { return whole_number(); }
  base::Result<void> operator()(const BytesField&) const { return whole_number(); }
  base::Result<void> operator()(const RealField&) const {
    if (!value.is_number()) return wrong_type("a number");
    return set_real(spec, field, value.get<double>());
  }
  base::Result<void> operator()(const ChoiceField&) const {
    if (!value.is_string()) return wrong_type("a name in quotes");
    return set_choice(spec, field, value.get_ref<const std::string&>());
  }
  base::Result<void> operator()(const FlagField& flag) const {
    if (!value.is_boolean()) return wrong_type("true or false");
    spec.*flag.member = value.get<bool>();
    return {};
  }
  base::Result<void> operator()(const SeedField& seed) const {
    if (!value.is_number_unsigned()) return wrong_type("a whole number from 0 up");
    spec.*seed.member = value.get<std::uint64_t>();
    return {};
  }
  base::Result<void> operator()(const TextField& text) const {
    if (!value.is_string()) return wrong_type("a name in quotes");
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
  if (!json.is_object()) return base::fail("A workload must be a JSON object of settings");
  WorkloadSpec spec;
  for (const auto& [key, value] : json.items()) {
    TS_TRY(const auto field, field_from_name(key));
    const auto set = std::visit(FromJson{spec, field, value}, field_row(field).kind);
    if (!set) return tl::unexpected(set.error());
  }
  if (const auto problems = validate(spec); !problems.empty()) {
    return tl::unexpected<base::Error>(problems.front());
  }
  return spec;
}

base::Result<void> set_field(WorkloadSpec& spec, std::string_view name, std::string_view value) {
  TS_TRY(const auto field, field_from_name(name));
  const Refusal refused = std::visit(FromText{spec, field, value}, field_row(field).kind);
  if (refused) return tl::unexpected<base::Error>(*refused);
  return {};
}

std::optional<SpecProblem> value_problem(Field field, std::string_view value) {
  WorkloadSpec unused;
  return std::visit(FromText{unused, field, value}, field_row(field).kind);
}

}  // namespace ts::spec
