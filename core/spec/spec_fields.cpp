#include "core/spec/spec_fields.h"

#include <fmt/format.h>

#include <array>

#include "core/spec/spec_reasons.h"
#include "core/text/numbers.h"

namespace ts::spec {

namespace {

#define TENSORSCOPE_NAME(name) #name,
constexpr std::array kWorkloads = {TENSORSCOPE_WORKLOADS(TENSORSCOPE_NAME)};
#undef TENSORSCOPE_NAME
constexpr std::array kDataTypes = {"fp32", "tf32", "bf16", "fp16"};
constexpr std::array kAutocasts = {"off", "bf16", "fp16"};
#define TENSORSCOPE_NAME(name, written) #written,
constexpr std::array kBackends = {TENSORSCOPE_BACKENDS(TENSORSCOPE_NAME)};
#undef TENSORSCOPE_NAME
constexpr std::array kPasses = {"forward", "forward+backward", "full_step", "generate"};
constexpr std::array kDevices = {"cpu", "cuda"};
constexpr std::array kFeedForwards = {"swiglu", "gelu", "geglu"};
constexpr std::array kNorms = {"rmsnorm", "layernorm"};
constexpr std::array kPositions = {"rope", "learned", "none"};
constexpr std::array kOptimizers = {"adamw_fused",        "adamw_foreach", "adamw_loop",
                                    "adamw_out_of_place", "adamw_8bit",    "sgd"};
constexpr std::array kOptimizerStates = {"parameter", "fp32", "fp32+master"};
constexpr std::array kSchedules = {"constant", "cosine"};
constexpr std::array kZeroGrads = {"none", "zero"};
constexpr std::array kCheckpoints = {"off", "blocks", "attention"};
constexpr std::array kWarmups = {"auto", "0", "1", "2", "5", "10"};
constexpr std::array kTokenizers = {"byte", "char"};
constexpr std::array kCaches = {"hot", "cold"};
constexpr std::array kCompiles = {"eager", "inductor", "max-autotune"};
constexpr std::array kKernels = {"torch", "own"};
constexpr std::array kForms = {"fused", "written"};
constexpr std::array kMasks = {"shared", "layer", "head"};
constexpr std::array kProducts = {"matmul", "einsum"};
constexpr std::array kLoraOns = {"qv", "qkvo", "all"};
constexpr std::array kLosses = {"auto", "mean", "cross_entropy", "own"};
constexpr std::array kHabits = {"none",    "no_zero_grad",    "kept_graph",  "kept_output",
                                "no_sync", "clip_after_step", "clip_scaled", "rebuild"};
constexpr std::array kPatchForms = {"conv", "linear"};
constexpr std::array kPools = {"class", "mean", "resampler"};
constexpr std::array kProjectors = {"linear", "mlp"};
constexpr std::array kFrozen = {"none", "encoder", "language", "both"};
constexpr std::array kExpertWeights = {"normalised", "softmax", "sigmoid"};
constexpr std::array kBlockForms = {"serial", "parallel", "shared_norm"};
constexpr std::array kTruths = {"true", "false"};
constexpr std::array kSections = {"workload",  "shape",  "model", "attention",  "precision", "pass",
                                  "optimizer", "memory", "data",  "generation", "device"};
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

#define TENSORSCOPE_ROW(name, ...) {Field::name, #name, __VA_ARGS__},
constexpr std::array<FieldRow, kFieldCount> kRows = {{TENSORSCOPE_FIELDS(TENSORSCOPE_ROW)}};
#undef TENSORSCOPE_ROW

template <class Enum, std::size_t N>
const char* value_name(const std::array<const char*, N>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

struct ValuesText {
  std::string operator()(const NumberField& number) const {
    std::string text = text::grouped(number.range.min) + " to " + text::grouped(number.range.max);
    if (number.zero_is) text += std::string(", 0 as ") + field_name(*number.zero_is);
    return text;
  }
  std::string operator()(const BytesField&) const { return "2GiB, 512MiB, auto"; }
  std::string operator()(const RealField& real) const {
    return fmt::format("{} to {}", real.min, real.max);
  }
  std::string operator()(const ChoiceField& choices) const {
    return fmt::format("{}", fmt::join(choices.names, ", "));
  }
  std::string operator()(const FlagField&) const { return "true, false"; }
  std::string operator()(const SeedField&) const { return "a whole number"; }
  std::string operator()(const TextField& text) const { return text.values; }
};

struct ValueText {
  const WorkloadSpec& spec;

  std::string operator()(const ChoiceField& choice) const {
    return choice.names[static_cast<std::size_t>(choice.get(spec))];
  }
  std::string operator()(const FlagField& flag) const { return kTruths[spec.*flag.member ? 0 : 1]; }
  template <class Kind>
  std::string operator()(const Kind& kind) const {
    return fmt::format("{}", spec.*kind.member);
  }
};

}  // namespace

const char* to_string(WorkloadKind value) {
  return value_name(kWorkloads, value);
}
const char* to_string(DataType value) {
  return value_name(kDataTypes, value);
}
const char* to_string(AttentionBackend value) {
  return value_name(kBackends, value);
}
const char* to_string(Pass value) {
  return value_name(kPasses, value);
}
const char* to_string(DeviceKind value) {
  return value_name(kDevices, value);
}
const char* to_string(Cache value) {
  return value_name(kCaches, value);
}
const char* to_string(Compile value) {
  return value_name(kCompiles, value);
}
const char* to_string(Habit value) {
  return value_name(kHabits, value);
}
const char* to_string(Section value) {
  return value_name(kSections, value);
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
  if (const char* const fixed = reason_own_model(spec, row)) return fixed;
  const char* const reason = row.reason != nullptr ? row.reason(spec) : nullptr;
  return reason != nullptr ? reason : "";
}

std::span<const char* const> field_choices(Field field) {
  if (const auto* choices = field_as<ChoiceField>(field)) return choices->names;
  if (field_as<FlagField>(field) != nullptr) return kTruths;
  return {};
}

std::string field_text(const WorkloadSpec& spec, Field field) {
  return std::visit(ValueText{spec}, field_row(field).kind);
}

std::string settings_text(const WorkloadSpec& spec, std::span<const Field> fields) {
  std::string words = to_string(spec.workload);
  const char* join = ": ";
  for (const Field field : fields) {
    if (!field_applies(spec, field)) continue;
    words += std::string(join) + field_name(field) + " = " + field_text(spec, field);
    join = ", ";
  }
  return words;
}

std::string field_help() {
  std::string help = "Settings of --set KEY=VALUE:\n";
  for (int i = 0; i < kSectionCount; ++i) {
    const auto section = static_cast<Section>(i);
    help += fmt::format("  {}\n", to_string(section));
    for (const FieldRow& row : kRows) {
      if (row.section != section) continue;
      help += fmt::format("    {:<16} {}: {}\n", row.name, row.help,
                          std::visit(ValuesText{}, row.kind));
    }
  }
  return help;
}

bool memory_grows_with(Field field) {
  switch (field) {
    case Field::B:
    case Field::T:
    case Field::d_model:
    case Field::heads:
    case Field::d_head:
    case Field::layers:
    case Field::d_ff:
    case Field::vocab:
    case Field::images:
    case Field::encoder_layers:
    case Field::dim1:
    case Field::dim2:
    case Field::dim3:
    case Field::dim4:
      return true;
    default:
      return false;
  }
}

}  // namespace ts::spec
