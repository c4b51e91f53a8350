#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "kernels/workloads/workload.h"

namespace ts::kernels {

// The workload with its forward and backward from a package; parameters, inputs and batches come
// from the eager one. With a backward its forward is the loss. Throws as CompiledPackage does.
std::unique_ptr<Workload> make_compiled(std::unique_ptr<Workload> eager, const Builder& builder,
                                        const spec::WorkloadSpec& spec,
                                        const std::filesystem::path& package,
                                        const std::string& key);

}  // namespace ts::kernels
