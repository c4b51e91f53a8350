#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "core/spec/workload_spec.h"

// The only table of the settings of a WorkloadSpec. JSON, --set, --help, validation and the
// controls of the window read it: a new setting is a member, an enumerator and a row.
namespace ts::spec {

// The place of a setting in the controls and in --help.
enum class Section : std::uint8_t {
  workload,
  shape,
  model,
  attention,
  precision,
  pass,
  optimizer,
  memory,
  data,
  generation,
  device,
};
inline constexpr int kSectionCount = 11;
const char* to_string(Section value);

struct NumberField {
  std::int64_t WorkloadSpec::*member;
  FieldRange range;   // the values that validate() accepts
  FieldRange slider;  // the range of the slider; {0, 0}: there is none
  // 0 stands for the value of this field ("as many key-value heads as heads").
  std::optional<Field> zero_is = std::nullopt;
};
// Bytes; 0 is "auto", anything else from min to max.
struct BytesField {
  std::int64_t WorkloadSpec::*member;
  FieldRange range;
};
struct RealField {
  double WorkloadSpec::*member;
  double min;
  double max;
};
struct ChoiceField {
  int (*get)(const WorkloadSpec&);
  void (*set)(WorkloadSpec&, int);
  std::span<const char* const> names;
};
struct FlagField {
  bool WorkloadSpec::*member;
};
struct SeedField {
  std::uint64_t WorkloadSpec::*member;
};
struct TextField {
  std::string WorkloadSpec::*member;
  const char* values = "a name";  // what it accepts, for --help
};
using FieldKind =
    std::variant<NumberField, BytesField, RealField, ChoiceField, FlagField, SeedField, TextField>;

struct FieldRow {
  Field field;
  const char* name;
  Section section;
  FieldKind kind;
  const char* help;  // one line, English
  // Null, or a function that returns the key of the reason why it does not matter for a spec.
  const char* (*reason)(const WorkloadSpec&) = nullptr;
};

std::span<const FieldRow> field_rows();  // by Field
const FieldRow& field_row(Field field);

// The part of the row of type Kind, null if it is of another kind.
template <class Kind>
const Kind* field_as(Field field) {
  return std::get_if<Kind>(&field_row(field).kind);
}

// The written values of a field with a fixed list: the choices, or true and false. Empty for
// others.
std::span<const char* const> field_choices(Field field);

// The value as --set takes it: "512", "flash", "true", "0.0003".
std::string field_text(const WorkloadSpec& spec, Field field);
// "lm: backend = naive, B = 2, T = 128": the workload and those of the fields that apply to it.
std::string settings_text(const WorkloadSpec& spec, std::span<const Field> fields);

// The text on --set in --help: one line a setting, grouped by section.
std::string field_help();

// True if a larger value never needs less memory: only such axes can be bisected.
bool memory_grows_with(Field field);

}  // namespace ts::spec
