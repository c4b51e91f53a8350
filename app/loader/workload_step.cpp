#include "app/loader/workload_step.h"

#include <utility>

#include "app/session/engine_loader.h"
#include "core/spec/memory_limit.h"
#include "core/spec/workload_math.h"

namespace ts::app {

base::Result<WorkloadStep> WorkloadStep::make(const spec::WorkloadSpec& spec) {
  WorkloadStep made;
  TS_TRY(made.engine_, make_engine_loader()());
  const std::int64_t limit = spec::memory_limit(spec, 0).bytes;
  if (spec::compiles_step(spec)) {
    if (auto compiled = made.engine_->compile(spec, limit, made.cancel_); !compiled)
      return tl::unexpected<base::Error>(compiled.error());
  }
  auto prepared = made.engine_->prepare(spec, limit, nullptr, made.cancel_);
  if (!prepared) return tl::unexpected<base::Error>(prepared.error());
  made.execution_ = std::move(*prepared);
  made.run(0);
  if (!made.problem_.empty()) return tl::unexpected(made.problem_);
  return made;
}

void WorkloadStep::run(std::size_t batch) {
  if (!problem_.empty()) return;
  const auto done = execution_->step(nullptr, static_cast<std::int32_t>(batch));
  if (!done) problem_ = done.error();
}

}  // namespace ts::app
