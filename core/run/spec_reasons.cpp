#include "core/run/spec_reasons.h"

namespace ts::run {

const char* reason_d_model(const WorkloadSpec& spec) {
  return spec.workload == WorkloadKind::attention ? "field.reason.heads_times_d_head" : nullptr;
}

const char* reason_attention(const WorkloadSpec& spec) {
  return spec.workload == WorkloadKind::mlp ? "field.reason.no_attention" : nullptr;
}

const char* reason_d_head(const WorkloadSpec& spec) {
  if (const char* const reason = reason_attention(spec)) return reason;
  return spec.workload == WorkloadKind::attention ? nullptr : "field.reason.d_head_is_derived";
}

const char* reason_layers(const WorkloadSpec& spec) {
  return spec.workload == WorkloadKind::lm ? nullptr : "field.reason.only_lm_has_layers";
}

const char* reason_d_ff(const WorkloadSpec& spec) {
  return spec.workload == WorkloadKind::attention ? "field.reason.no_feed_forward" : nullptr;
}

const char* reason_vocab(const WorkloadSpec& spec) {
  return spec.workload == WorkloadKind::lm ? nullptr : "field.reason.only_lm_has_vocabulary";
}

const char* reason_device_index(const WorkloadSpec& spec) {
  return spec.device == DeviceKind::cpu ? "field.reason.one_cpu" : nullptr;
}

}  // namespace ts::run
