#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/spec/workload_spec.h"
#include "core/spec/workload_traits.h"

// Shared by the parts of pytorch_script().
namespace ts::script {

using spec::WorkloadKind;
using spec::WorkloadSpec;

inline std::string number(std::int64_t value) {
  return std::to_string(value);
}

inline const char* truth(bool value) {
  return value ? "True" : "False";
}

inline bool has_blocks(const WorkloadSpec& spec) {
  return spec::traits_of(spec.workload).has_blocks;
}

inline bool attends(const WorkloadSpec& spec) {
  return has_blocks(spec) || spec.workload == WorkloadKind::attention;
}

inline bool looks_tokens_up(const WorkloadSpec& spec) {
  return spec.workload == WorkloadKind::lm;
}

inline bool sees_images(const WorkloadSpec& spec) {
  return spec::traits_of(spec.workload).sees_images;
}

inline bool joins_images(const WorkloadSpec& spec) {
  return spec::traits_of(spec.workload).joins_images;
}

inline bool classifies(const WorkloadSpec& spec) {
  return spec.workload == WorkloadKind::lm || spec.workload == WorkloadKind::toy ||
         sees_images(spec);
}

// "RMSNorm(D_MODEL)" or "nn.LayerNorm(D_MODEL, bias=True)".
inline std::string norm_of(const WorkloadSpec& spec) {
  if (spec.norm == spec::NormKind::rmsnorm) return "RMSNorm(D_MODEL)";
  return std::string("nn.LayerNorm(D_MODEL, bias=") + truth(spec.bias) + ")";
}

// Lines of a script, one after the other.
class Lines {
 public:
  void add(std::string_view lines) { out_ += lines; }
  void line(const std::string& words) { out_ += words + "\n"; }
  void constant(const char* name, const std::string& value) {
    line(std::string(name) + " = " + value);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// The classes of the model, and `model`: parameters drawn, on its device, in its type.
std::string pytorch_model(const spec::WorkloadSpec& spec);

// The functions and classes up to that of a block.
std::string pytorch_blocks(const spec::WorkloadSpec& spec);
// The class Model of a workload with images, and the classes that it is made of.
std::string pytorch_image_model(const spec::WorkloadSpec& spec);
// The constants of images.
std::string pytorch_image_constants(const spec::WorkloadSpec& spec);
// The lines of forward() that run x through self.blocks, in a model named by constants of `spec`.
std::string pytorch_block_loop(const spec::WorkloadSpec& spec);
// The method run() that a checkpoint of blocks calls; empty without.
std::string pytorch_run_method(const spec::WorkloadSpec& spec);

}  // namespace ts::script
