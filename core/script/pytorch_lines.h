#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/spec/workload_spec.h"

// What the parts of pytorch_script() share.
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
  return spec.workload == WorkloadKind::block || spec.workload == WorkloadKind::lm;
}

inline bool attends(const WorkloadSpec& spec) {
  return has_blocks(spec) || spec.workload == WorkloadKind::attention;
}

inline bool looks_tokens_up(const WorkloadSpec& spec) {
  return spec.workload == WorkloadKind::lm;
}

inline bool classifies(const WorkloadSpec& spec) {
  return spec.workload == WorkloadKind::lm || spec.workload == WorkloadKind::toy;
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

}  // namespace ts::script
