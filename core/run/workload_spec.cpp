#include "core/run/workload_spec.h"

#include <array>

namespace ts::run {

namespace {

constexpr std::array<const char*, kFieldCount> kFieldNames = {
    "workload", "B",    "T",      "d_model",      "heads",      "d_head",
    "layers",   "d_ff", "vocab",  "dtype",        "backend",    "pass",
    "causal",   "seed", "device", "device_index", "target_gpu", "memory_limit"};

// Largest memory_limit: no machine has more, and sums of it stay far from overflow.
constexpr std::int64_t kPebibyte = std::int64_t{1} << 50;

const char* attention_reason(Field field) {
  switch (field) {
    case Field::d_model:
      return "field.reason.heads_times_d_head";
    case Field::d_ff:
      return "field.reason.no_feed_forward";
    default:
      return "";
  }
}

const char* mlp_reason(Field field) {
  switch (field) {
    case Field::heads:
    case Field::d_head:
    case Field::backend:
    case Field::causal:
      return "field.reason.no_attention";
    default:
      return "";
  }
}

}  // namespace

const char* field_name(Field field) {
  return kFieldNames[static_cast<std::size_t>(field)];
}

FieldRange field_range(Field field) {
  constexpr std::int64_t kKi = 1024;
  switch (field) {
    case Field::B:
    case Field::T:
    case Field::d_ff:
      return {1, kKi * kKi};
    case Field::d_model:
      return {1, 64 * kKi};
    case Field::heads:
    case Field::layers:
      return {1, kKi};
    case Field::d_head:
      return {1, 4 * kKi};
    case Field::vocab:
      return {2, 16 * kKi * kKi};
    case Field::device_index:
      return {0, 63};
    case Field::memory_limit:
      return {0, kPebibyte};
    default:
      return {};
  }
}

std::string field_reason(const WorkloadSpec& spec, Field field) {
  const bool is_lm = spec.workload == WorkloadKind::lm;
  if (field == Field::layers && !is_lm) return "field.reason.only_lm_has_layers";
  if (field == Field::vocab && !is_lm) return "field.reason.only_lm_has_vocabulary";
  if (field == Field::device_index && spec.device == DeviceKind::cpu) {
    return "field.reason.one_cpu";
  }
  switch (spec.workload) {
    case WorkloadKind::attention:
      return attention_reason(field);
    case WorkloadKind::mlp:
      return mlp_reason(field);
    case WorkloadKind::block:
    case WorkloadKind::lm:
      return field == Field::d_head ? "field.reason.d_head_is_derived" : "";
  }
  return "";
}

const char* to_string(WorkloadKind value) {
  constexpr std::array kNames = {"attention", "mlp", "block", "lm"};
  return kNames[static_cast<std::size_t>(value)];
}

const char* to_string(DataType value) {
  constexpr std::array kNames = {"fp32", "bf16"};
  return kNames[static_cast<std::size_t>(value)];
}

const char* to_string(AttentionBackend value) {
  constexpr std::array kNames = {"naive", "math", "flash", "auto"};
  return kNames[static_cast<std::size_t>(value)];
}

const char* to_string(Pass value) {
  constexpr std::array kNames = {"forward", "forward+backward", "full_step"};
  return kNames[static_cast<std::size_t>(value)];
}

const char* to_string(DeviceKind value) {
  constexpr std::array kNames = {"cpu", "cuda"};
  return kNames[static_cast<std::size_t>(value)];
}

}  // namespace ts::run
