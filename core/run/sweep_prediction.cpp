#include "core/run/sweep_prediction.h"

#include <mutex>
#include <thread>

#include "core/run/dry_runner_loading.h"
#include "core/run/workload_math.h"
#include "core/text/numbers.h"

namespace ts::run {
namespace {

PointPrediction without(std::string problem) {
  PointPrediction out;
  out.problem = std::move(problem);
  return out;
}

}  // namespace

PredictionTarget target_of_point(const WorkloadSpec& spec, const Gpu& gpu, const HostMemory& host) {
  if (spec.device == DeviceKind::cuda) {
    PredictionTarget target = target_of(gpu);
    if (spec.memory_limit > 0) {
      target.name += " (" + text::bytes(spec.memory_limit).joined() + ")";
      target.memory = spec.memory_limit;
      target.context = 0;
    }
    return target;
  }
  const MemoryLimit limit = memory_limit(spec, Capacities{gpu.memory_bytes, 0, host});
  return cpu_target(limit.source, limit.bytes);
}

PointPrediction predict_point(DryRunner& runner, const WorkloadSpec& spec,
                              const PredictionTarget& target, base::StringTable& strings,
                              const CudaScratch* scratch, const base::CancelToken& cancel) {
  WorkloadSpec there = spec;
  there.device = target.kind;
  auto dry = runner.dry_run(there, dry_run_options(target), strings, cancel);
  if (!dry) return without(dry.error().sentence);
  const Prediction prediction =
      predict(*dry, strings, target, allocator_settings_of(spec), scratch);
  PointPrediction out;
  out.peak_allocated = prediction.peak_allocated;
  out.before_backward = prediction.before_backward.value_or(-1);
  out.needed = prediction.needed;
  out.fit = prediction.fit;
  out.target = target.name;
  out.capacity = target.capacity();
  if (target.card) out.roofs = roofs_of_card(*target.card, compute_type(there));
  if (prediction.breaking) {
    out.op = prediction.breaking->op;
    out.module = prediction.breaking->module;
    out.bytes_asked = prediction.breaking->bytes;
    out.bytes_free = prediction.breaking->free;
  }
  return out;
}

struct SweepPredictor::Impl {
  std::vector<Job> jobs;
  std::size_t taken = 0;  // owner thread only
  base::CancelToken cancel;
  std::mutex mutex;
  std::vector<std::pair<std::size_t, PointPrediction>> found;
  std::thread thread;

  void main(const DryRunnerLoader& loader, const CudaScratch* scratch) {
    const auto runner = load_dry_runner(loader);
    base::StringTable strings;
    for (const Job& job : jobs) {
      if (cancel.cancelled()) return;
      PointPrediction prediction =
          runner ? predict_point(**runner, job.spec, job.target, strings, scratch, cancel)
                 : without(runner.error().sentence);
      if (cancel.cancelled()) return;
      const std::lock_guard lock(mutex);
      found.emplace_back(job.point, std::move(prediction));
    }
  }
};

SweepPredictor::SweepPredictor(DryRunnerLoader loader, std::vector<Job> jobs,
                               std::shared_ptr<const CudaScratch> scratch)
    : impl_(std::make_unique<Impl>()) {
  impl_->jobs = std::move(jobs);
  impl_->thread =
      std::thread([impl = impl_.get(), loader = std::move(loader), scratch = std::move(scratch)] {
        impl->main(loader, scratch.get());
      });
}

SweepPredictor::~SweepPredictor() {
  impl_->cancel.cancel();
  impl_->thread.join();
}

std::vector<std::pair<std::size_t, PointPrediction>> SweepPredictor::take() {
  std::vector<std::pair<std::size_t, PointPrediction>> out;
  {
    const std::lock_guard lock(impl_->mutex);
    out.swap(impl_->found);
  }
  impl_->taken += out.size();
  return out;
}

bool SweepPredictor::done() const {
  return impl_->taken == impl_->jobs.size();
}

}  // namespace ts::run
