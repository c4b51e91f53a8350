#pragma once

#include "core/run/workload_spec.h"

// Why a setting does not matter for a spec: the key of the sentence (field.reason.*), null when it
// does matter. One function for each condition; the table of settings names them.
namespace ts::run {

const char* reason_d_model(const WorkloadSpec& spec);
const char* reason_attention(const WorkloadSpec& spec);
const char* reason_d_head(const WorkloadSpec& spec);
const char* reason_layers(const WorkloadSpec& spec);
const char* reason_d_ff(const WorkloadSpec& spec);
const char* reason_vocab(const WorkloadSpec& spec);
const char* reason_device_index(const WorkloadSpec& spec);

}  // namespace ts::run
