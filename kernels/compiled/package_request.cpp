#include "kernels/compiled/package_request.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>

#include <array>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/io/file.h"
#include "core/spec/workload_math.h"
#include "kernels/compiled/scripts.h"
#include "kernels/observe/torch_version.h"

namespace ts::kernels {
namespace {

// The settings that shape the computation besides the tensors.
constexpr std::array kShaping = {"workload",    "mlp",       "ffn",   "norm",     "positions",
                                 "bias",        "tied",      "heads", "layers",   "kv_heads",
                                 "backend",     "fused_qkv", "vocab", "autocast", "causal",
                                 "projections", "compile"};

// The instruction set of a processor determines the code that is generated for it.
std::string processor_flags() {
  return std::to_string(std::hash<std::string>{}(io::line_value("/proc/cpuinfo", "flags", ':')));
}

// PyTorch's name of the type in Python.
const char* python_type(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return "float32";
    case at::kBFloat16:
      return "bfloat16";
    case at::kHalf:
      return "float16";
    case at::kLong:
      return "int64";
    case at::kBool:
      return "bool";
    default:
      return "unknown";
  }
}

}  // namespace

std::vector<at::Tensor> step_tensors(const Builder& builder, const spec::WorkloadSpec& spec,
                                     std::int64_t micro_batch) {
  std::vector<at::Tensor> tensors;
  for (const Parameter& parameter : builder.parameters()) tensors.push_back(parameter.tensor);
  const bool split = spec.workload == spec::WorkloadKind::lm && spec::micro_batches(spec) > 1;
  for (const at::Tensor& input : builder.inputs()) {
    const bool rows = split && input.scalar_type() == at::kLong;
    tensors.push_back(rows ? input.narrow(0, micro_batch * spec.batch, spec.batch) : input);
  }
  return tensors;
}

PackageRequest make_request(const spec::WorkloadSpec& spec, const Builder& builder) {
  const nlohmann::json whole = to_json(spec);
  nlohmann::json shaping;
  for (const char* const name : kShaping) shaping[name] = whole.at(name);
  if (!spec::field_applies(spec, spec::Field::autocast)) shaping["autocast"] = "off";
  PackageRequest request;
  request.trains = spec::has_backward(spec.pass);
  nlohmann::json tensors = nlohmann::json::array();
  const std::vector<at::Tensor> all = step_tensors(builder, spec, 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool parameter = i < builder.parameters().size();
    tensors.push_back({{"name", parameter ? builder.parameters()[i].name : std::string()},
                       {"shape", all[i].sizes().vec()},
                       {"stride", all[i].strides().vec()},
                       {"dtype", python_type(all[i].scalar_type())},
                       {"requires_grad", request.trains && all[i].requires_grad()}});
  }
  nlohmann::json json = {{"spec", std::move(shaping)},
                         {"tensors", std::move(tensors)},
                         {"trains", request.trains},
                         {"threads", at::get_num_threads()}};
  nlohmann::json key = json;
  key["torch"] = TORCH_VERSION;
  key["instructions"] = at::get_cpu_capability() + ", " + processor_flags();
  key["recipe"] = std::hash<std::string_view>{}(maker_script()) ^
                  (std::hash<std::string_view>{}(models_script()) << 1);
  request.key = key.dump();
  json["key"] = request.key;
  json["torch"] = torch_minor();
  request.json = json.dump();
  return request;
}

}  // namespace ts::kernels
