#include "kernels/engine/engine.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/io/file.h"
#include "core/predict/share.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"
#include "kernels/compiled/compile_step.h"
#include "kernels/compiled/package_maker.h"
#include "kernels/device/kept_roofs.h"
#include "kernels/device/roof.h"
#include "kernels/device/threads.h"
#include "kernels/engine/execution.h"
#include "kernels/engine/fp64_reference.h"
#include "kernels/engine/start.h"
#include "kernels/observe/cancellation.h"
#include "kernels/observe/failure.h"
#include "kernels/own/instructions.h"
#include "kernels/ranks/rank_group.h"

namespace ts::kernels {
namespace {

run::DeviceInfo cpu_info() {
  run::DeviceInfo info;
  info.name = io::line_value("/proc/cpuinfo", "model name", ':');
  if (info.name.empty()) info.name = "CPU";
  info.memory_bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  return info;
}

std::vector<run::DeviceInfo> cuda_infos(const CudaLibrary& cuda) {
  run::DeviceInfo info;
  info.kind = spec::DeviceKind::cuda;
  if (cuda.api() == nullptr) {
    info.name = "CUDA";
    info.unavailable = cuda.unavailable();
    return {info};
  }
  std::vector<run::DeviceInfo> infos;
  for (int index = 0; index < cuda.api()->device_count(); ++index) {
    CudaDeviceFacts facts{};
    const char* const reason = cuda.api()->device_facts(index, &facts);
    info.index = index;
    info.name = facts.name;
    info.memory_bytes = facts.memory_bytes;
    info.unavailable = {reason != nullptr ? reason : ""};
    info.not_recorded = cuda.not_recorded();
    if (cuda.nvml() != nullptr) info.not_watched = cuda.nvml()->unavailable();
    infos.push_back(info);
  }
  return infos;
}

std::string build_line() {
  std::string line = std::to_string(at::get_num_threads()) + " threads, ";
  line += at::hasMKL() ? "MKL" : at::hasLAPACK() ? "LAPACK" : "no BLAS";
  if (at::hasMKLDNN()) line += " and oneDNN";
  return line + ", " + at::get_cpu_capability();
}

std::string name_of_device(const run::EngineInfo& engine, const spec::WorkloadSpec& spec) {
  for (const run::DeviceInfo& info : engine.devices) {
    if (info.kind == spec.device && info.index == spec.device_index) return info.name;
  }
  return {};
}

// The key of the reason why ranks cannot run this together; null when they can.
const char* why_not_by_ranks(const spec::WorkloadSpec& spec) {
  if (!spec::has_backward(spec.pass)) return "data_parallel.no_backward";
  if (spec.device != spec::DeviceKind::cpu) return "ranks.no_cuda";
  if (spec::compiles_step(spec)) return "ranks.no_compiled";
  if (spec.workload == spec::WorkloadKind::own_model) return "ranks.no_own_model";
  return nullptr;
}

// The values that must be alike on all ranks, by the names that an error tells.
std::vector<std::pair<std::string, std::string>> what_ranks_share(const run::World& world,
                                                                  const spec::WorkloadSpec& spec) {
  std::vector<std::pair<std::string, std::string>> shared = {
      {"Tensorscope's interface", std::to_string(run::kEngineInterfaceVersion)},
      {"PyTorch", TORCH_VERSION},
      {"number of ranks", std::to_string(world.place.size)},
      {"shard", run::to_string(world.shard)},
      {"bucket_mib", std::to_string(world.bucket_mib)},
      {"first_bucket_mib", std::to_string(world.first_bucket_mib)},
      {"compress", run::to_string(world.compression)},
      {"factor_rank", std::to_string(world.factor_rank)},
      {"sync_every", world.sync_every ? "true" : "false"}};
  const nlohmann::json settings = spec::to_json(spec);
  for (const auto& [name, value] : settings.items()) shared.emplace_back(name, value.dump());
  return shared;
}

}  // namespace

TorchEngine::TorchEngine() : cuda_(start_libtorch()) {
  info_.torch_version = TORCH_VERSION;
  info_.threads = at::get_num_threads();
  info_.build = build_line();
  info_.not_compiled = why_no_compiler();
  info_.devices.push_back(cpu_info());
  for (run::DeviceInfo& info : cuda_infos(cuda_)) info_.devices.push_back(std::move(info));
}

TorchEngine::~TorchEngine() = default;

run::Outcome<void> TorchEngine::compile(const spec::WorkloadSpec& spec, std::int64_t limit,
                                        const base::CancelToken& cancel) {
  TS_TRY(auto device, device_of(spec));
  return compile_step(spec, std::move(device), limit, cancel);
}

run::Outcome<void> TorchEngine::join(const run::World& world, const spec::WorkloadSpec& spec,
                                     const base::CancelToken& cancel) {
  try {
    if (const char* const why = why_not_by_ranks(spec); why != nullptr)
      return tl::unexpected(run::Failure(text::message(why)));
    if (auto problem = predict::shard_problem(spec, world)) {
      return tl::unexpected(run::Failure(std::move(*problem)));
    }
    const CancelScope scope(cancel);
    ranks_ = std::make_unique<RankGroup>(world, what_ranks_share(world, spec));
    return {};
  } catch (...) {
    return tl::unexpected(current_failure());
  }
}

run::Outcome<std::unique_ptr<run::Execution>> TorchEngine::prepare(
    const spec::WorkloadSpec& spec, std::int64_t limit, capture::Recorder* recorder,
    const base::CancelToken& cancel) {
  return prepare_execution(spec, limit, recorder, cancel);
}

run::Outcome<std::unique_ptr<Device>> TorchEngine::device_of(const spec::WorkloadSpec& spec) const {
  if (spec.device == spec::DeviceKind::cpu) return make_cpu_device();
  if (cuda_.api() == nullptr) return tl::unexpected(run::Failure(cuda_.unavailable()));
  if (spec.device_index < 0 || spec.device_index >= cuda_.api()->device_count()) {
    return tl::unexpected(run::Failure(
        text::message("engine.no_device", {{"index", std::to_string(spec.device_index)}})));
  }
  return make_cuda_device(cuda_, static_cast<std::int32_t>(spec.device_index));
}

void TorchEngine::use_instructions(const std::string& name) {
  own::Instructions most = own::Instructions::avx512;
  for (const own::Instructions one : own::kAllInstructions) {
    if (name == name_of(one)) most = one;
  }
  own::use_at_most(most);
}

run::Outcome<run::Roof> TorchEngine::measure_roof(const spec::WorkloadSpec& spec,
                                                  const base::CancelToken& cancel) {
  try {
    TS_TRY(auto device, device_of(spec));
    const ThreadsScope threads(spec);
    const spec::DataType type = spec::compute_type(spec);
    return kept_roof({{"device", name_of_device(info_, spec)},
                      {"threads", at::get_num_threads()},
                      {"torch", info_.torch_version},
                      {"build", info_.build}},
                     type, [&] { return best_rates(*device, type, cancel); });
  } catch (...) {
    return tl::unexpected(current_failure());
  }
}

run::Outcome<run::ValueErrors> TorchEngine::compare_values(const spec::WorkloadSpec& spec,
                                                           std::int64_t limit,
                                                           const base::CancelToken& cancel) {
  const char* const why_not = ranks_ != nullptr ? "no_reference.ranks" : why_no_reference(spec);
  if (why_not != nullptr) return run::ValueErrors{.not_compared = text::message(why_not)};
  TS_TRY(auto device, device_of(spec));
  return compare_with_fp64(spec, *device, limit, cancel);
}

run::Outcome<std::unique_ptr<TorchExecution>> TorchEngine::prepare_execution(
    const spec::WorkloadSpec& spec, std::int64_t limit, capture::Recorder* recorder,
    const base::CancelToken& cancel) {
  try {
    TS_TRY(auto device, device_of(spec));
    if (spec.cache == spec::Cache::cold && !device->can_evict_caches()) {
      return tl::unexpected(run::Failure(text::message("engine.no_cold")));
    }
    auto execution =
        std::make_unique<TorchExecution>(spec, std::move(device), limit, cancel, ranks_.get());
    TS_TRY_DONE(execution->build(recorder));
    return execution;
  } catch (...) {
    return tl::unexpected(current_failure());
  }
}

}  // namespace ts::kernels
