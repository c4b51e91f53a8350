// engine_dump SPECS.json FOLDER: makes the workload of each specification of the list, runs it once
// and five steps, and writes every tensor as raw bytes with a manifest.json into FOLDER/0,
// FOLDER/1,
// ..., for tests/kernels/parity.py.
// engine_dump WORLDS.json: a list of worlds, one after the other, each a list of ranks that run
// together as {specs, folder, rank, size, port, bucket_mib, compression, factor_rank (else 1),
// sync_every, shard (else none)}; for tests/kernels/rank_parity.py and power_sgd_parity.py.
#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

class Dump {
 public:
  explicit Dump(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void tensor(const std::string& role, const std::string& name, const at::Tensor& value) {
    if (!value.defined()) return;
    const at::Tensor plain = value.detach().to(at::kCPU).contiguous();
    const std::string file = std::to_string(manifest_["tensors"].size()) + ".bin";
    std::ofstream out(folder_ / file, std::ios::binary);
    out.write(static_cast<const char*>(plain.const_data_ptr()),
              static_cast<std::streamsize>(plain.nbytes()));
    manifest_["tensors"].push_back({{"role", role},
                                    {"name", name},
                                    {"file", file},
                                    {"dtype", at::toString(plain.scalar_type())},
                                    {"shape", plain.sizes().vec()}});
  }
  void append(const std::string& name, double value) { manifest_[name].push_back(value); }
  void compression(const run::CompressionFacts& facts) {
    manifest_["compression"] = {
        {"elements", facts.elements}, {"sent", facts.sent}, {"left_out", facts.left_out}};
  }
  void finish() { std::ofstream(folder_ / "manifest.json") << manifest_.dump(1); }

 private:
  std::filesystem::path folder_;
  nlohmann::json manifest_ = {{"tensors", nlohmann::json::array()}};
};

int dump(const spec::WorkloadSpec& spec, const std::filesystem::path& folder) {
  auto prepared = engine().prepare_execution(spec, kPlenty, nullptr, {});
  if (!prepared) {
    std::cerr << prepared.error().sentence << '\n';
    return 1;
  }
  TorchExecution& execution = **prepared;
  // B of an adapter begins at zero, where A has no gradient: other numbers.
  at::manual_seed(1);
  for (const auto& [name, tensor] : execution.parameters()) {
    const at::NoGradGuard no_grad;
    if (name.ends_with(".lora_B.weight")) tensor.copy_(at::randn(tensor.sizes()).mul_(0.1));
  }
  Dump out(folder);
  // Where ranks share them only the parts have memory.
  std::vector<Parameter> parameters = execution.parameters();
  if (execution.sharded() != nullptr) {
    parameters.clear();
    for (const auto& [name, tensor] : execution.sharded()->parts())
      parameters.push_back({name, tensor});
  }
  for (const auto& [name, tensor] : parameters) out.tensor("parameter", name, tensor);
  for (std::size_t i = 0; i < execution.inputs().size(); ++i) {
    out.tensor("input", std::to_string(i), execution.inputs()[i]);
  }
  if (spec.pass == spec::Pass::generate) {
    if (const auto times = execution.step(nullptr, 0); !times) {
      std::cerr << times.error().sentence << '\n';
      return 1;
    }
    for (const std::int64_t token : execution.facts().generated) {
      out.append("generated", static_cast<double>(token));
    }
    out.finish();
    return 0;
  }
  if (execution.sharded() == nullptr) {
    const AutocastScope autocast(AutocastState::of(spec, at::kCPU));
    at::manual_seed(spec.seed);
    out.tensor("output", "output", execution.workload().forward());
  }
  constexpr int kSteps = 5;
  for (int step = 0; step < kSteps; ++step) {
    const auto times = execution.step(nullptr, step);
    if (!times) {
      std::cerr << times.error().sentence << '\n';
      return 1;
    }
    out.append("losses", times->loss);
    out.append("gradient_norms", times->gradient_norm.value_or(-1));
    out.append("learning_rates", times->learning_rate);
    out.append("loss_scales", times->loss_scale.value_or(0));
    if (step > 0) continue;
    for (const auto& [name, tensor] : parameters) {
      out.tensor("gradient", name, tensor.grad());
    }
    for (std::size_t i = 0; i < execution.inputs().size(); ++i) {
      out.tensor("input_gradient", std::to_string(i), execution.inputs()[i].grad());
    }
  }
  for (const auto& [name, tensor] : parameters) out.tensor("updated", name, tensor);
  out.compression(execution.facts().rank.compression);
  out.finish();
  return 0;
}

run::World world_from(const nlohmann::json& json) {
  run::World world;
  world.place.rank = json.at("rank");
  world.place.size = json.at("size");
  world.place.port = json.at("port");
  world.sync_every = json.at("sync_every");
  world.shard = run::shard_from(json.value("shard", "none")).value();
  world.timeout_s = 300;
  world.first_bucket_mib = world.bucket_mib = json.at("bucket_mib");
  world.factor_rank = json.value("factor_rank", 1);
  for (const auto one :
       {run::Compression::bf16, run::Compression::fp16, run::Compression::powersgd})
    if (json.at("compression") == run::to_string(one)) world.compression = one;
  return world;
}

// `rank`: of the world to join with the first specification; null where there is none.
int dump_all(const std::filesystem::path& specs, const std::filesystem::path& folder,
             const nlohmann::json* rank) {
  std::ifstream file(specs);
  std::size_t count = 0;
  for (const nlohmann::json& json : nlohmann::json::parse(file)) {
    const auto spec = spec::spec_from_json(json);
    if (!spec) {
      std::cerr << spec.error().sentence << '\n';
      return 2;
    }
    if (rank != nullptr && count == 0) {
      if (const auto met = engine().join(world_from(*rank), *spec, {}); !met) {
        std::cerr << met.error().sentence << '\n';
        return 1;
      }
    }
    const auto one = folder / std::to_string(count++);
    std::filesystem::create_directories(one);
    if (const int failed = dump(*spec, one); failed != 0) return failed;
  }
  return 0;
}

// Every rank is a fork of this process, which has loaded LibTorch for all and computes nothing.
bool run_world(const nlohmann::json& ranks) {
  std::vector<pid_t> forks;
  for (const nlohmann::json& rank : ranks) {
    const pid_t process = fork();
    if (process == 0) {
      const std::string specs = rank.at("specs"), folder = rank.at("folder");
      _exit(dump_all(specs, folder, &rank));  // without taking LibTorch apart
    }
    forks.push_back(process);
  }
  return std::ranges::count_if(forks, [](pid_t process) {
           int status = -1;
           return process < 0 || waitpid(process, &status, 0) != process || status != 0;
         }) == 0;
}

}  // namespace
}  // namespace ts::kernels

int main(int argc, char** argv) {
  if (argc == 3) return ts::kernels::dump_all(argv[1], argv[2], nullptr);
  if (argc != 2) {
    std::cerr << "usage: engine_dump SPECS.json FOLDER, or engine_dump WORLDS.json\n";
    return 2;
  }
  std::ifstream file(argv[1]);
  for (const nlohmann::json& ranks : nlohmann::json::parse(file)) {
    if (!ts::kernels::run_world(ranks)) return 1;
  }
}
