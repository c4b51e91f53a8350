#include "core/run/spec_fields.h"

#include <fmt/format.h>

#include <array>

#include "core/run/spec_reasons.h"
#include "core/text/numbers.h"

namespace ts::run {

namespace {

constexpr std::array kWorkloads = {"attention", "mlp", "block", "lm"};
constexpr std::array kDataTypes = {"fp32", "bf16"};
constexpr std::array kBackends = {"naive", "math", "flash", "auto"};
constexpr std::array kPasses = {"forward", "forward+backward", "full_step"};
constexpr std::array kDevices = {"cpu", "cuda"};
constexpr std::array kTruths = {"true", "false"};
constexpr std::array kSections = {"workload", "shape", "attention", "precision", "pass", "device"};
static_assert(kSections.size() == kSectionCount);

constexpr std::int64_t kKi = 1024;
constexpr std::int64_t kMebibyte = kKi * kKi;
// No machine has more memory, and sums of it stay far from overflow.
constexpr std::int64_t kPebibyte = std::int64_t{1} << 50;

template <auto Member>
constexpr ChoiceField choice(std::span<const char* const> names) {
  return {[](const WorkloadSpec& spec) { return static_cast<int>(spec.*Member); },
          [](WorkloadSpec& spec, int value) {
            spec.*Member = static_cast<std::remove_reference_t<decltype(spec.*Member)>>(value);
          },
          names};
}

using W = WorkloadSpec;
using S = Section;

// clang-format off
// The upper bounds are far beyond what a machine can run; they keep every product of two sizes
// exact.
constexpr std::array<FieldRow, kFieldCount> kRows = {{
  {Field::workload, "workload", S::workload, choice<&W::workload>(kWorkloads), "what runs"},
  {Field::B, "B", S::shape, NumberField{&W::batch, {1, kKi * kKi}, {1, 256}}, "sequences at once"},
  {Field::T, "T", S::shape, NumberField{&W::seq_len, {1, kKi * kKi}, {1, 64 * kKi}}, "tokens of a sequence"},
  {Field::d_model, "d_model", S::shape, NumberField{&W::d_model, {1, 64 * kKi}, {32, 8 * kKi}}, "width of the residual stream", reason_d_model},
  {Field::heads, "heads", S::shape, NumberField{&W::heads, {1, kKi}, {1, 128}}, "attention heads", reason_attention},
  {Field::d_head, "d_head", S::shape, NumberField{&W::d_head, {1, 4 * kKi}, {8, 256}}, "width of a head", reason_d_head},
  {Field::layers, "layers", S::shape, NumberField{&W::layers, {1, kKi}, {1, 128}}, "transformer blocks", reason_layers},
  {Field::d_ff, "d_ff", S::shape, NumberField{&W::d_ff, {1, kKi * kKi}, {32, 32 * kKi}}, "hidden width of the feed-forward part", reason_d_ff},
  {Field::vocab, "vocab", S::shape, NumberField{&W::vocab, {2, 16 * kKi * kKi}, {64, 256 * kKi}}, "different tokens", reason_vocab},
  {Field::dtype, "dtype", S::precision, choice<&W::dtype>(kDataTypes), "type of parameters and inputs"},
  {Field::backend, "backend", S::attention, choice<&W::backend>(kBackends), "how attention is computed", reason_attention},
  {Field::pass, "pass", S::pass, choice<&W::pass>(kPasses), "how far a step goes"},
  {Field::causal, "causal", S::attention, FlagField{&W::causal}, "no position sees a later one", reason_attention},
  {Field::seed, "seed", S::device, SeedField{&W::seed}, "of parameters and inputs"},
  {Field::device, "device", S::device, choice<&W::device>(kDevices), "where it runs"},
  {Field::device_index, "device_index", S::device, NumberField{&W::device_index, {0, 63}, {}}, "which GPU", reason_device_index},
  {Field::target_gpu, "target_gpu", S::device, TextField{&W::target_gpu}, "card whose capacity is the limit"},
  {Field::memory_limit, "memory_limit", S::device, BytesField{&W::memory_limit, {kMebibyte, kPebibyte}}, "bytes the allocator may hold, instead of the card's"},
}};
// clang-format on

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].field) != i) return false;
  }
  return true;
}
static_assert(in_order(), "rows stand in the order of Field");

template <class Enum, std::size_t N>
const char* name_of(const std::array<const char*, N>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

struct ValuesText {
  std::string operator()(const NumberField& number) const {
    std::string text = text::grouped(number.range.min) + " to " + text::grouped(number.range.max);
    if (number.zero_is) text += std::string(", 0 as ") + field_name(*number.zero_is);
    return text;
  }
  std::string operator()(const BytesField&) const { return "2GiB, 512MiB, auto"; }
  std::string operator()(const ChoiceField& choices) const {
    return fmt::format("{}", fmt::join(choices.names, ", "));
  }
  std::string operator()(const FlagField&) const { return "true, false"; }
  std::string operator()(const SeedField&) const { return "a whole number"; }
  std::string operator()(const TextField&) const { return "a name"; }
};

}  // namespace

const char* to_string(WorkloadKind value) {
  return name_of(kWorkloads, value);
}
const char* to_string(DataType value) {
  return name_of(kDataTypes, value);
}
const char* to_string(AttentionBackend value) {
  return name_of(kBackends, value);
}
const char* to_string(Pass value) {
  return name_of(kPasses, value);
}
const char* to_string(DeviceKind value) {
  return name_of(kDevices, value);
}
const char* to_string(Section value) {
  return name_of(kSections, value);
}

std::span<const FieldRow> field_rows() {
  return kRows;
}

const FieldRow& field_row(Field field) {
  return kRows[static_cast<std::size_t>(field)];
}

const char* field_name(Field field) {
  return field_row(field).name;
}

FieldRange field_range(Field field) {
  if (const auto* number = field_as<NumberField>(field)) return number->range;
  if (const auto* bytes = field_as<BytesField>(field)) return {0, bytes->range.max};
  return {};
}

std::string field_reason(const WorkloadSpec& spec, Field field) {
  const FieldRow& row = field_row(field);
  const char* const reason = row.reason != nullptr ? row.reason(spec) : nullptr;
  return reason != nullptr ? reason : "";
}

std::span<const char* const> field_choices(Field field) {
  if (const auto* choices = field_as<ChoiceField>(field)) return choices->names;
  if (field_as<FlagField>(field) != nullptr) return kTruths;
  return {};
}

std::string field_help() {
  std::string help = "Settings of --set KEY=VALUE:\n";
  for (int i = 0; i < kSectionCount; ++i) {
    const auto section = static_cast<Section>(i);
    help += fmt::format("  {}\n", to_string(section));
    for (const FieldRow& row : kRows) {
      if (row.section != section) continue;
      help += fmt::format("    {:<14} {}: {}\n", row.name, row.help,
                          std::visit(ValuesText{}, row.kind));
    }
  }
  return help;
}

}  // namespace ts::run
