#include "views/common/spec_text.h"

#include <algorithm>
#include <vector>

#include "core/spec/memory_limit.h"
#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/numbers.h"
#include "core/text/typed_numbers.h"

namespace ts::views {
namespace {

using spec::Field;

// The value alone identifies the setting: "flash", "bf16".
bool names_itself(Field field) {
  return field == Field::workload || field == Field::backend || field == Field::dtype ||
         field == Field::pass || field == Field::device || field == Field::optimizer ||
         field == Field::norm || field == Field::ffn || field == Field::positions;
}

// A setting of the card or its allocator, not of the workload.
bool of_target(Field field) {
  return field == Field::target_gpu || field == Field::alloc_conf;
}

// The order of settings in a difference, lowest first: the settings compared most often come first.
int rank(Field field) {
  constexpr Field kFirst[] = {Field::workload, Field::backend, Field::dtype,
                              Field::pass,     Field::B,       Field::T};
  const auto* const found = std::ranges::find(kFirst, field);
  return static_cast<int>(found - std::begin(kFirst));
}

std::string one_setting(const text::Texts& texts, const spec::WorkloadSpec& spec, Field field) {
  const std::string value = spec::field_text(spec, field);
  if (field == Field::workload) return texts("controls.workload." + value);
  if (names_itself(field)) return value_text(texts, field, value);
  // No digit grouping after "=".
  const bool number = spec::field_as<spec::NumberField>(field) != nullptr;
  return field_text(texts, field) + " = " + (number ? value : value_text(texts, field, value));
}

// The words for a placeholder's argument, as the window names it.
std::string argument_words(const text::Texts& texts, const base::Argument& one) {
  if (!one.key.empty()) return message_text(texts, {one.value, one.key, one.arguments});
  if (one.name == "target" || one.name == "card" || one.name == "limit")
    return limit_text(texts, one.value);
  if (one.name == "workload") return value_text(texts, Field::workload, one.value);
  if (one.name == "backend") return value_text(texts, Field::backend, one.value);
  if (one.name != "field") return one.value;
  const auto field = spec::field_from_name(one.value);
  return field ? field_text(texts, *field) : one.value;
}

}  // namespace

std::string message_text(const text::Texts& texts, const base::Message& message) {
  if (message.key.empty()) return message.sentence;
  std::vector<base::Argument> arguments;
  for (const base::Argument& one : message.arguments)
    arguments.emplace_back(one.name, argument_words(texts, one));
  return texts(message.key, arguments);
}

std::string limit_text(const text::Texts& texts, std::string_view name) {
  struct Named {
    std::string_view name;
    const char* key;
  };
  for (const Named& one : {Named{spec::kLimitFromSpec, "limit.of_settings"},
                           Named{spec::kLimitFromRam, "limit.of_ram"},
                           Named{spec::kLimitFromContainer, "limit.of_container"},
                           Named{spec::kLimitFromAvailable, "limit.of_available"},
                           Named{spec::kLimitFromDevice, "limit.of_device"}}) {
    if (name.starts_with(one.name))
      return texts(one.key) + std::string(name.substr(one.name.size()));
  }
  return std::string(name);
}

std::string obstacle_text(const ViewContext& context) {
  if (context.outlook == nullptr || context.outlook->not_here.sentence.empty()) return {};
  return context.texts("obstacle.sentence",
                       {{"reason", message_text(context.texts, context.outlook->not_here)}});
}

const char* partial_key(const ViewContext& context) {
  const run::Run* const run = context.run;
  if (run == nullptr || context.file != nullptr) return nullptr;
  if (!run->finished) return "partial.goes_on";
  switch (run->verdict) {
    case run::Verdict::ok:
      return nullptr;
    case run::Verdict::cancelled:
      return "partial.cancelled";
    case run::Verdict::oom:
    case run::Verdict::failed:
      break;
  }
  return "partial.broke_off";
}

std::string cut_short_text(const ViewContext& context) {
  const run::Run* const run = context.cut_short;
  if (run == nullptr) return {};
  if (run->verdict == run::Verdict::cancelled) return context.texts("cut_short.cancelled");
  return context.texts("cut_short.failed", {{"reason", message_text(context.texts, run->failure)}});
}

bool ended_before_memory(const ViewContext& context) {
  const run::Run* const run = context.run;
  return run != nullptr && context.file == nullptr && context.trace == nullptr && run->finished &&
         context.stale.empty() && run->memory.events().empty();
}

std::string preset_text(const text::Texts& texts, const spec::Preset& preset) {
  return texts(std::string("controls.preset_name.") + preset.id);
}

std::string preset_source_text(const text::Texts& texts, const spec::Preset& preset) {
  const std::string_view source = preset.source;
  return source == spec::kRunsAnywhere ? texts("controls.preset.anywhere") : std::string(source);
}

std::string field_label(const text::Texts& texts, Field field) {
  return texts(std::string("controls.field.") + spec::field_name(field));
}

std::string field_text(const text::Texts& texts, Field field) {
  // Settings that have a heading of their own in the controls.
  if (field == Field::dtype) return texts("controls.precision");
  if (field == Field::pass) return texts("controls.pass");
  if (field == Field::backend) return texts("controls.strip.backend");
  if (field == Field::causal) return texts("controls.causal");
  return field_label(texts, field);
}

std::string size_text(const text::Texts& texts, const spec::WorkloadSpec& spec, Field field) {
  const bool named = spec::is_dimension(field) && field != Field::B && field != Field::T;
  const auto model = named ? spec::model_of(spec) : nullptr;
  const exported::Dimension* const open = model ? spec::open_dimension(*model, field) : nullptr;
  return open != nullptr ? open->label : field_text(texts, field);
}

std::string choice_key(Field field, std::string choice) {
  std::ranges::replace(choice, '+', '_');
  return (field == Field::loss ? "controls.loss." : "controls.choice.") + choice;
}

std::string value_text(const text::Texts& texts, Field field, const std::string& value) {
  if (spec::field_as<spec::ChoiceField>(field) != nullptr) {
    // A typed value need not be one of the choices.
    if (std::ranges::none_of(spec::field_choices(field),
                             [&value](const char* choice) { return value == choice; }))
      return value;
    return texts(choice_key(field, value));
  }
  if (spec::field_as<spec::FlagField>(field) != nullptr) {
    return texts(value == "true" ? "compare.on" : "compare.off");
  }
  const auto count = text::parse_count(value);
  return count ? text::grouped(*count) : value;
}

std::string short_settings(const text::Texts& texts, const spec::WorkloadSpec& spec) {
  std::string words;
  for (const Field field : {Field::workload, Field::backend, Field::dtype, Field::B, Field::T}) {
    if (field != Field::workload && !spec::field_applies(spec, field)) continue;
    words += (words.empty() ? "" : texts("memory.list_comma")) + one_setting(texts, spec, field);
  }
  return words;
}

std::string difference_text(const text::Texts& texts, const spec::WorkloadSpec& shown,
                            const spec::WorkloadSpec& now) {
  constexpr std::size_t kMost = 3;
  std::vector<Field> fields;
  for (const spec::FieldRow& row : spec::field_rows()) {
    const bool matters =
        spec::field_applies(shown, row.field) || spec::field_applies(now, row.field);
    if (of_target(row.field) || !matters) continue;
    if (spec::field_text(shown, row.field) != spec::field_text(now, row.field))
      fields.push_back(row.field);
  }
  std::ranges::stable_sort(fields, {}, rank);
  std::string words;
  for (std::size_t i = 0; i < std::min(kMost, fields.size()); ++i) {
    if (i > 0) words += texts("memory.list_comma");
    words += one_setting(texts, shown, fields[i]);
  }
  if (fields.size() > kMost) words += texts("memory.list_comma") + std::string("\xe2\x80\xa6");
  return words;
}

}  // namespace ts::views
