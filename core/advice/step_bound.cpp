#include "core/advice/step_bound.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/advice/file_parts.h"
#include "core/spec/own_model.h"

namespace ts::advice {

std::optional<StepBound> step_bound(const spec::WorkloadSpec& spec,
                                    spec::AttentionBackend backend_ran,
                                    const report::Roofs& roofs) {
  if (!(roofs.tflops > 0) || !(roofs.gb_s > 0)) return std::nullopt;
  StepBound bound;
  struct Times {
    double compute = 0, memory = 0;
    [[nodiscard]] double total() const { return compute + memory; }
  };
  std::array<Times, 6> kinds{};
  std::vector<spec::StepPart> parts = spec::step_parts(spec, backend_ran);
  const auto of_file = parts_of_file(spec, backend_ran);
  if (of_file.empty() && spec::comes_from_file(spec)) return std::nullopt;
  parts.insert(parts.end(), of_file.begin(), of_file.end());
  for (const spec::StepPart& part : parts) {
    const double compute = part.flops / (roofs.tflops * 1e12);
    const double memory = part.bytes / (roofs.gb_s * 1e9);
    Times& kind = kinds[static_cast<std::size_t>(part.kind)];
    (compute >= memory ? kind.compute : kind.memory) += std::max(compute, memory);
  }
  double most = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    bound.compute_s += kinds[i].compute;
    bound.memory_s += kinds[i].memory;
    if (kinds[i].total() <= most) continue;
    most = kinds[i].total();
    bound.slowest = static_cast<spec::StepPart::Kind>(i);
    bound.slowest_by_memory = kinds[i].memory > kinds[i].compute;
  }
  bound.seconds = bound.compute_s + bound.memory_s;
  if (!(bound.seconds > 0)) return std::nullopt;
  return bound;
}

}  // namespace ts::advice
