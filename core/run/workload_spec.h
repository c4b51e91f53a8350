#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/text.h"

namespace ts::run {

enum class WorkloadKind : std::uint8_t { attention, mlp, block, lm };
enum class DataType : std::uint8_t { fp32, bf16 };
enum class AttentionBackend : std::uint8_t { naive, math, flash, automatic };
enum class Pass : std::uint8_t { forward, forward_backward, full_step };
enum class DeviceKind : std::uint8_t { cpu, cuda };

// Everything that determines a run. The key of every cache and export; JSON round trip is exact.
// Symbols: B batch, T sequence length. Fields a workload does not use keep their value and are not
// applied (see field_applies).
struct WorkloadSpec {
  WorkloadKind workload = WorkloadKind::attention;
  std::int64_t batch = 4;      // B
  std::int64_t seq_len = 512;  // T
  std::int64_t d_model = 512;
  std::int64_t heads = 8;
  std::int64_t d_head = 64;  // attention only; block and lm use d_model / heads
  std::int64_t layers = 4;
  std::int64_t d_ff = 2048;
  std::int64_t vocab = 10000;
  DataType dtype = DataType::fp32;
  AttentionBackend backend = AttentionBackend::naive;
  Pass pass = Pass::forward_backward;
  bool causal = true;
  std::uint64_t seed = 0;
  DeviceKind device = DeviceKind::cpu;
  std::int64_t device_index = 0;
  std::string target_gpu = "RTX 4090";  // name in the GPU catalogue: capacity line and verdict
  std::int64_t memory_limit = 0;        // bytes the allocator may hold; 0: capacity of target_gpu,
                                        // at most 80 % of RAM on cpu
  friend bool operator==(const WorkloadSpec&, const WorkloadSpec&) = default;
};

// The settable fields, by the name used in JSON and in --set name=value; core/run/spec_fields.h has
// a row of facts on each.
enum class Field : std::uint8_t {
  workload,
  B,
  T,
  d_model,
  heads,
  d_head,
  layers,
  d_ff,
  vocab,
  dtype,
  backend,
  pass,
  causal,
  seed,
  device,
  device_index,
  target_gpu,
  memory_limit,
};
inline constexpr int kFieldCount = static_cast<int>(Field::memory_limit) + 1;

const char* field_name(Field field);

// Smallest and largest possible value of a field that is a plain number; {0, 0} for the others.
struct FieldRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};
FieldRange field_range(Field field);

// Empty when the field matters for this spec, else the reason why not, as a key of the locale files
// (field.reason.*).
std::string field_reason(const WorkloadSpec& spec, Field field);
inline bool field_applies(const WorkloadSpec& spec, Field field) {
  return field_reason(spec, field).empty();
}

const char* to_string(WorkloadKind value);      // attention mlp block lm
const char* to_string(DataType value);          // fp32 bf16
const char* to_string(AttentionBackend value);  // naive math flash auto
const char* to_string(Pass value);              // forward forward+backward full_step
const char* to_string(DeviceKind value);        // cpu cuda

// A problem with one field, in plain English; `key` and `arguments` give the same sentence from the
// locale files (spec.error.*).
struct SpecProblem {
  Field field = Field::workload;
  std::string sentence;
  std::string key;
  std::vector<text::Argument> arguments;
};

// Every impossible value has its sentence. Empty: the spec can be run, as far as can be said
// without the machine (memory, a missing device). Numbers outside their range are a problem in
// every field; how values go together is asked only of fields that apply.
std::vector<SpecProblem> validate(const WorkloadSpec& spec);

nlohmann::json to_json(const WorkloadSpec& spec);
// Missing keys take their default. Unknown keys, wrong types and impossible values are errors that
// name the key.
base::Result<WorkloadSpec> spec_from_json(const nlohmann::json& json);
// --set name=value. Counts accept k, M, G (1000) and Ki, Mi, Gi (1024): "2Ki"; memory_limit accepts
// "2GiB", "512 MiB", "1.5GB" and "auto". Only the one value is looked at; call validate() when all
// are set. An error leaves the spec as it was.
base::Result<void> set_field(WorkloadSpec& spec, std::string_view name, std::string_view value);

}  // namespace ts::run
