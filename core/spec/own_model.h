#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exported/model_file.h"
#include "core/spec/workload_spec.h"

namespace ts::spec {

// The model of a spec whose workload comes from a file; null for other workloads and where the file
// cannot be read, of which validate() has the sentence. Read once for as long as the file stays as
// it is. Any thread.
std::shared_ptr<const exported::ModelFile> model_of(const WorkloadSpec& spec);

// Makes the model at `path` the workload, with the sizes and the type that it was exported with and
// attention as LibTorch chooses it. The error names the file; the spec stays as it was.
base::Result<void> choose_model(const std::string& path, WorkloadSpec& spec);

// Whether a list should offer the workload: one that comes from a file only once there is a file.
bool is_offered(WorkloadKind kind, const WorkloadSpec& spec);

// Values of the program's symbols: B and T where they are open, else the example's.
std::vector<std::int64_t> symbol_values(const WorkloadSpec& spec, const exported::ModelFile& model);

}  // namespace ts::spec
