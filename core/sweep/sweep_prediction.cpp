#include "core/sweep/sweep_prediction.h"

#include <future>
#include <mutex>

#include "core/predict/dry_runner_loading.h"
#include "core/spec/workload_math.h"

namespace ts::sweep {
namespace {

PointPrediction without(base::Message problem) {
  PointPrediction out;
  out.problem = std::move(problem);
  return out;
}

}  // namespace

predict::PredictionTarget target_of_point(const spec::WorkloadSpec& spec, const spec::Gpu& gpu,
                                          const spec::HostMemory& host) {
  if (spec.device == spec::DeviceKind::cuda) return predict::target_of(gpu, spec);
  const spec::MemoryLimit limit =
      spec::memory_limit(spec, spec::Capacities{gpu.memory_bytes, 0, host});
  return predict::cpu_target(limit.source, limit.bytes);
}

PointPrediction predict_point(predict::DryRunner& runner, const spec::WorkloadSpec& spec,
                              const predict::PredictionTarget& target, base::StringTable& strings,
                              const predict::CudaScratch* scratch,
                              const base::CancelToken& cancel) {
  spec::WorkloadSpec there = spec;
  there.device = target.kind;
  auto dry = runner.dry_run(there, predict::dry_run_options(target), strings, cancel);
  if (!dry) return without(dry.error());
  const predict::Prediction prediction =
      predict::predict(*dry, strings, target, predict::allocator_settings_of(spec), scratch);
  PointPrediction out;
  out.peak_allocated = prediction.peak_allocated;
  out.before_backward = prediction.before_backward.value_or(-1);
  out.needed = prediction.needed;
  out.fit = prediction.fit;
  out.target = target.name;
  out.capacity = target.capacity();
  if (target.card) out.roofs = report::roofs_of_card(*target.card, spec::compute_type(there));
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
  std::future<void> all;  // last: it uses all members above

  void main(const predict::DryRunnerLoader& loader, const predict::CudaScratch* scratch) {
    const auto runner = predict::load_dry_runner(loader);
    base::StringTable strings;
    for (const Job& job : jobs) {
      if (cancel.cancelled()) return;
      PointPrediction prediction =
          runner ? predict_point(**runner, job.spec, job.target, strings, scratch, cancel)
                 : without(runner.error());
      if (cancel.cancelled()) return;
      const std::lock_guard lock(mutex);
      found.emplace_back(job.point, std::move(prediction));
    }
  }
};

SweepPredictor::SweepPredictor(predict::DryRunnerLoader loader, std::vector<Job> jobs,
                               std::shared_ptr<const predict::CudaScratch> scratch)
    : impl_(std::make_unique<Impl>()) {
  impl_->jobs = std::move(jobs);
  impl_->all = std::async(std::launch::async,
                          [impl = impl_.get(), loader = std::move(loader),
                           scratch = std::move(scratch)] { impl->main(loader, scratch.get()); });
}

SweepPredictor::~SweepPredictor() {
  impl_->cancel.cancel();
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

}  // namespace ts::sweep
