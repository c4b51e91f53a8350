#include "core/run/worker.h"

#include <exception>
#include <map>
#include <mutex>
#include <utility>
#include <variant>

#include "core/base/clock.h"
#include "core/base/job_thread.h"
#include "core/run/compare.h"
#include "core/run/measure.h"
#include "core/spec/corpus.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::run {

namespace {

FinishedUpdate finished_early(RunId id, Verdict verdict, base::Message why) {
  FinishedUpdate finished;
  finished.id = id;
  finished.verdict = verdict;
  finished.failure = Failure(std::move(why), verdict);
  finished.end_ns = base::now_ns();
  return finished;
}

const DeviceInfo* find_device(const EngineInfo& info, const spec::WorkloadSpec& spec) {
  for (const DeviceInfo& device : info.devices) {
    if (device.kind == spec.device && device.index == spec.device_index) return &device;
  }
  return nullptr;
}

// Why this machine cannot run the spec; empty when it can.
base::Message obstacle(const spec::WorkloadSpec& spec, const EngineInfo& info) {
  if (const auto problems = spec::validate(spec); !problems.empty()) return problems.front();
  if (base::Message problem = spec::corpus_problem(spec); !problem.empty()) return problem;
  if (spec.device == spec::DeviceKind::cpu) return {};
  const DeviceInfo* device = find_device(info, spec);
  if (device == nullptr) {
    return text::message("engine.no_device", {{"index", std::to_string(spec.device_index)}});
  }
  return device->unavailable;
}

// So many FLOPs that the run may take minutes on a slow device. Not where the warm-up is studied.
bool may_take_long(const RunRequest& request) {
  constexpr double kManyFlops = 1e12;
  if (fixed_warmups(request.spec)) return false;
  const double steps = request.protocol.recorded_steps + request.protocol.min_samples;
  return steps * spec::step_flops(request.spec, request.spec.backend).total() >= kManyFlops;
}

base::Result<std::unique_ptr<Engine>> load(const EngineLoader& loader) {
  try {
    auto engine = loader();
    if (engine && *engine == nullptr) return text::fail("engine.no_engine");
    return engine;
  } catch (const std::exception& error) {
    return text::fail("engine.not_loaded", {{"reason", error.what()}});
  } catch (...) {
    return text::fail("engine.not_loaded_unknown");
  }
}

}  // namespace

RoofKey roof_key(const spec::WorkloadSpec& spec) {
  return {spec.device, spec.device_index, spec::compute_type(spec), spec.threads};
}

struct Worker::Impl {
  struct Job {
    RunId id = 0;
    std::variant<RunRequest, CompareRequest> request;
  };

  Impl(EngineLoader engine_loader, base::StringTable& string_table, UpdateQueue& update_queue)
      : strings(string_table),
        updates(update_queue),
        thread({.work =
                    [this](const Job& job, const base::CancelToken& cancel) {
                      updates.push(std::visit(
                          [&](const auto& request) { return execute(job.id, request, cancel); },
                          job.request));
                    },
                .begin = [this, loader = std::move(engine_loader)] { load_engine(loader); },
                .end = [this] { engine.reset(); },
                .dropped =
                    [this](const Job& job) {
                      updates.push(finished_early(job.id, Verdict::cancelled,
                                                  text::message("engine.cancelled")));
                    }}) {}

  RunId submit(std::variant<RunRequest, CompareRequest> request) {
    const std::lock_guard lock(mutex);
    thread.submit({++last_id, std::move(request)});
    return last_id;
  }

  void load_engine(const EngineLoader& loader) {
    auto loaded = load(loader);
    if (loaded) {
      engine = std::move(*loaded);
      about.info = engine->info();
    } else {
      about.error = loaded.error();
    }
    updates.push(about);
  }

  FinishedUpdate execute(RunId id, const CompareRequest& request, const base::CancelToken& cancel) {
    if (engine == nullptr) return finished_early(id, Verdict::failed, about.error);
    std::array<ComparedSide, 2> sides;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const CompareRequest::Side& side = request.sides[i];
      if (auto reason = obstacle(side.spec, *about.info); !reason.empty()) {
        return finished_early(id, Verdict::failed, std::move(reason));
      }
      const DeviceInfo* device = find_device(*about.info, side.spec);
      sides[i].spec = side.spec;
      sides[i].limit = spec::memory_limit(side.spec, side.target_capacity,
                                          device != nullptr ? device->memory_bytes : 0)
                           .bytes;
    }
    const auto tell = [&](Comparison so_far) {
      judge(so_far);
      updates.push(ComparisonUpdate{id, std::make_shared<const Comparison>(std::move(so_far))});
    };
    std::int64_t last_ns = 0;
    const auto progress = [&](const Comparison& so_far) {
      constexpr std::int64_t kPause = 100'000'000;
      if (base::now_ns() - last_ns < kPause) return;
      last_ns = base::now_ns();
      tell(so_far);
    };
    engine->use_instructions(request.own_instructions);
    try {
      Comparison whole =
          compare(sides, request.protocol, {*engine, cancel, base::now_ns, progress});
      FinishedUpdate finished;
      finished.id = id;
      if (whole.failure) {
        finished.failure = *whole.failure;
        finished.verdict = whole.failure->verdict;
      }
      tell(std::move(whole));
      finished.end_ns = base::now_ns();
      return finished;
    } catch (const std::exception& error) {
      return finished_early(id, Verdict::failed,
                            text::message("engine.stopped", {{"reason", error.what()}}));
    }
  }

  FinishedUpdate execute(RunId id, const RunRequest& request, const base::CancelToken& cancel) {
    const DeviceInfo* device = about.info ? find_device(*about.info, request.spec) : nullptr;
    const spec::MemoryLimit limit = spec::memory_limit(
        request.spec, request.target_capacity, device != nullptr ? device->memory_bytes : 0);
    updates.push(StartedUpdate{.id = id,
                               .spec = request.spec,
                               .protocol = request.protocol,
                               .limit = limit.bytes,
                               .limit_source = limit.source,
                               .begin_ns = base::now_ns(),
                               .target_capacity = request.target_capacity,
                               .device_name = device != nullptr ? device->name : std::string(),
                               .earlier_runs = runs++});
    if (engine == nullptr) return finished_early(id, Verdict::failed, about.error);
    if (auto reason = obstacle(request.spec, *about.info); !reason.empty()) {
      return finished_early(id, Verdict::failed, std::move(reason));
    }
    if (request.world && !std::exchange(joined, true)) {
      if (auto met = engine->join(*request.world, request.spec, cancel); !met) {
        return finished_early(id, Verdict::failed, std::move(met.error()));
      }
    }
    const MeasureContext context{.engine = *engine,
                                 .strings = strings,
                                 .id = id,
                                 .cancel = cancel,
                                 .emit = [this](Update update) { updates.push(std::move(update)); },
                                 .clock = base::now_ns};
    engine->use_instructions({});
    try {
      const bool first = request.wants_roof && may_take_long(request);
      if (first) add_roof(id, request.spec, cancel);
      FinishedUpdate finished = measure(request.spec, request.protocol, limit.bytes, context);
      if (request.wants_roof && !first && finished.verdict == Verdict::ok) {
        add_roof(id, request.spec, cancel);
      }
      if (request.protocol.check_values && finished.verdict == Verdict::ok)
        add_values(id, request.spec, limit.bytes, cancel);
      return finished;
    } catch (const std::exception& error) {
      return finished_early(id, Verdict::failed,
                            text::message("engine.stopped", {{"reason", error.what()}}));
    }
  }

  // Cancelling or failing here does not change the verdict of a run that ended well.
  void add_roof(RunId id, const spec::WorkloadSpec& spec, const base::CancelToken& cancel) {
    const RoofKey key = roof_key(spec);
    auto known = roofs.find(key);
    if (known == roofs.end()) {
      updates.push(ProgressUpdate{id, Stage::roof, 1, -1});
      const auto measured = engine->measure_roof(spec, cancel);
      if (!measured) return;
      known = roofs.emplace(key, *measured).first;
    }
    updates.push(RoofUpdate{id, known->second});
  }

  // The same holds here: what fails is the reason why there are no errors.
  void add_values(RunId id, const spec::WorkloadSpec& spec, std::int64_t limit,
                  const base::CancelToken& cancel) {
    updates.push(ProgressUpdate{id, Stage::values, 1, -1});
    auto errors = engine->compare_values(spec, limit, cancel);
    if (!errors) {
      if (errors.error().verdict == Verdict::cancelled) return;
      const bool oom = errors.error().verdict == Verdict::oom;
      errors =
          ValueErrors{.not_compared = oom ? text::message("no_reference.oom",
                                                          {{"limit", text::bytes(limit).joined()}})
                                          : base::Message(errors.error())};
    }
    updates.push(ValuesUpdate{id, std::move(*errors)});
  }

  base::StringTable& strings;
  UpdateQueue& updates;
  // Used by the worker thread only.
  std::unique_ptr<Engine> engine;  // null: not loaded, `about` has the reason
  EngineUpdate about;
  std::map<RoofKey, Roof> roofs;
  std::int64_t runs = 0;
  bool joined = false;

  std::mutex mutex;  // so that the newest request has the largest number
  RunId last_id = 0;
  base::JobThread<Job> thread;  // last: it uses the members above
};

Worker::Worker(EngineLoader loader, base::StringTable& strings, UpdateQueue& updates)
    : impl_(std::make_unique<Impl>(std::move(loader), strings, updates)) {}

Worker::~Worker() = default;

RunId Worker::submit(RunRequest request) {
  return impl_->submit(std::move(request));
}

RunId Worker::submit(CompareRequest request) {
  return impl_->submit(std::move(request));
}

void Worker::cancel() {
  impl_->thread.cancel();
}

bool Worker::busy() const {
  return impl_->thread.busy();
}

}  // namespace ts::run
