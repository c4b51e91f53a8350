#include "core/run/predictor.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "core/run/size_steps.h"
#include "core/run/spec_fields.h"

namespace ts::run {

namespace {

struct Job {
  std::uint64_t id = 0;
  OutlookRequest request;
  base::CancelToken cancel;
};

base::Result<std::unique_ptr<DryRunner>> load(const DryRunnerLoader& loader) {
  try {
    auto runner = loader();
    if (runner && *runner == nullptr) return base::fail("The engine library gave no dry run");
    return runner;
  } catch (const std::exception& error) {
    return base::fail(std::string("Nothing can be predicted: ") + error.what());
  }
}

// Works off one job; everything happens on the prediction thread.
class Search {
 public:
  Search(DryRunner& runner, base::StringTable& strings, const Job& job, std::uint64_t& last_id)
      : runner_(runner), strings_(strings), job_(job), last_id_(last_id) {}

  Outcome<std::shared_ptr<const Forecast>> forecast(const WorkloadSpec& spec,
                                                    const PredictionTarget& target) {
    WorkloadSpec there = spec;
    there.device = target.kind;
    auto run = runner_.dry_run(there, dry_run_options(target), strings_, job_.cancel);
    if (!run) return tl::unexpected(run.error());
    auto found = std::make_shared<Forecast>();
    found->run = std::move(*run);
    found->run.spec = spec;
    found->id = ++last_id_;
    found->target = target;
    found->prediction =
        predict(found->run, strings_, target, job_.request.settings, job_.request.scratch.get());
    return std::shared_ptr<const Forecast>(std::move(found));
  }

  BackendNeed need_of(AttentionBackend backend) {
    WorkloadSpec spec = job_.request.spec;
    spec.backend = backend;
    BackendNeed need;
    need.backend = backend;
    if (const auto problems = validate_there(spec); !problems.empty()) {
      need.unavailable = problems.front().sentence;
      return need;
    }
    if (auto found = forecast(spec, job_.request.target)) {
      need.needed = (*found)->prediction.needed;
      need.fit = (*found)->prediction.fit;
    } else {
      need.unavailable = found.error().sentence;
    }
    return need;
  }

  // Doubles the stride away from the present value, up while it fits and down while it does not,
  // then halves the interval.
  std::optional<SizeEdge> edge_of(Field field, bool fits_now) {
    const auto* number = field_as<NumberField>(field);
    if (number == nullptr) return std::nullopt;
    const std::vector<std::int64_t> sizes = sizes_of(*number);
    const std::int64_t now = job_.request.spec.*number->member;
    const auto here = std::lower_bound(sizes.begin(), sizes.end(), now) - sizes.begin();
    const auto above = std::upper_bound(sizes.begin(), sizes.end(), now) - sizes.begin();
    const auto count = static_cast<std::ptrdiff_t>(sizes.size());
    // sizes[fits] fits and sizes[breaks] does not; -1 and count stand for "nothing there".
    std::ptrdiff_t fits = fits_now ? above - 1 : -1;
    std::ptrdiff_t breaks = fits_now ? count : here;
    const auto try_at = [&](std::ptrdiff_t at) {
      const auto answer = fits_with(field, sizes[static_cast<std::size_t>(at)]);
      if (answer) (*answer ? fits : breaks) = at;
      return answer.has_value();
    };
    std::ptrdiff_t stride = 1;
    while (fits_now && breaks == count && fits + 1 < count) {
      if (!try_at(std::min(fits + stride, count - 1))) return std::nullopt;
      stride *= 2;
    }
    while (!fits_now && fits == -1 && breaks > 0) {
      if (!try_at(std::max(breaks - stride, std::ptrdiff_t{0}))) return std::nullopt;
      stride *= 2;
    }
    while (breaks - fits > 1) {
      if (!try_at(fits + (breaks - fits) / 2)) return std::nullopt;
    }
    SizeEdge edge;
    edge.field = field;
    if (breaks < count) edge.first_too_large = sizes[static_cast<std::size_t>(breaks)];
    // What is set now may lie between two of the sizes.
    if (!fits_now && breaks == here) edge.first_too_large = now;
    return edge;
  }

 private:
  std::vector<SpecProblem> validate_there(WorkloadSpec spec) const {
    spec.device = job_.request.target.kind;
    return validate(spec);
  }

  std::vector<std::int64_t> sizes_of(const NumberField& number) const {
    std::vector<std::int64_t> sizes;
    WorkloadSpec spec = job_.request.spec;
    std::int64_t size = std::max<std::int64_t>(1, number.slider.min);
    for (; size <= number.slider.max; size = next_size(size)) {
      spec.*number.member = size;
      if (validate_there(spec).empty()) sizes.push_back(size);
    }
    return sizes;
  }

  // Nothing when it was cancelled or cannot be told.
  std::optional<bool> fits_with(Field field, std::int64_t size) {
    WorkloadSpec spec = job_.request.spec;
    spec.*field_as<NumberField>(field)->member = size;
    const auto found = forecast(spec, job_.request.target);
    if (!found) return std::nullopt;
    return (*found)->prediction.fit != Fit::oom;
  }

  DryRunner& runner_;
  base::StringTable& strings_;
  const Job& job_;
  std::uint64_t& last_id_;
};

}  // namespace

const SizeEdge* Outlook::edge(Field field) const {
  const auto found = std::find_if(edges.begin(), edges.end(),
                                  [field](const SizeEdge& edge) { return edge.field == field; });
  return found == edges.end() ? nullptr : &*found;
}

struct Predictor::Impl {
  Impl(DryRunnerLoader dry_runner_loader, base::StringTable& string_table)
      : loader(std::move(dry_runner_loader)), strings(string_table) {
    thread = std::thread([this] { main(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
      if (running) running->cancel();
    }
    wake.notify_all();
    thread.join();
  }

  void main() {
    while (auto job = next()) {
      if (!runner) runner = load(loader);
      work_off(*job);
      const std::lock_guard lock(mutex);
      running.reset();
    }
    runner.reset();
  }

  std::unique_ptr<Job> next() {
    std::unique_lock lock(mutex);
    wake.wait(lock, [this] { return stopping || waiting != nullptr; });
    if (stopping) return nullptr;
    auto job = std::move(waiting);
    running = job->cancel;
    return job;
  }

  void publish(const Outlook& outlook) {
    auto copy = std::make_shared<const Outlook>(outlook);
    {
      const std::lock_guard lock(mutex);
      published = std::move(copy);
    }
    told.notify_all();
  }

  void keep_old_parts(Outlook& outlook) {
    const std::lock_guard lock(mutex);
    if (published == nullptr || published->spec.workload != outlook.spec.workload) return;
    outlook.backends = published->backends;
    outlook.edges = published->edges;
    for (BackendNeed& need : outlook.backends) need.current = false;
    for (SizeEdge& edge : outlook.edges) edge.current = false;
  }

  void work_off(const Job& job) {
    const OutlookRequest& request = job.request;
    Outlook outlook;
    outlook.id = job.id;
    outlook.spec = request.spec;
    keep_old_parts(outlook);
    const auto fail = [&](std::string why) {
      outlook.problem = std::move(why);
      outlook.complete = true;
      publish(outlook);
    };
    if (!*runner) return fail(runner->error().sentence);
    if (const auto problems = validate(request.spec); !problems.empty())
      return fail(problems.front().sentence);
    Search search(***runner, strings, job, last_forecast);
    auto on_target = search.forecast(request.spec, request.target);
    if (job.cancel.cancelled()) return;
    if (on_target) {
      outlook.target = *on_target;
    } else {
      outlook.problem = on_target.error().sentence;
    }
    publish(outlook);

    // What this machine would do; a card only seen through its catalogue entry stays as it is.
    if (request.own.kind != request.target.kind) {
      auto own = search.forecast(request.spec, request.own);
      if (job.cancel.cancelled()) return;
      if (own) outlook.own = *own;
    } else {
      outlook.own = outlook.target;
    }
    publish(outlook);

    if (field_applies(request.spec, Field::backend)) {
      const int count = static_cast<int>(field_choices(Field::backend).size());
      std::vector<BackendNeed> needs;
      for (int i = 0; i < count && !job.cancel.cancelled(); ++i)
        needs.push_back(search.need_of(static_cast<AttentionBackend>(i)));
      if (job.cancel.cancelled()) return;
      outlook.backends = std::move(needs);
      publish(outlook);
    }
    const bool fits = outlook.target != nullptr && outlook.target->prediction.fit != Fit::oom;
    for (const Field field : request.sizes) {
      if (outlook.target == nullptr || !field_applies(request.spec, field)) continue;
      const auto edge = search.edge_of(field, fits);
      if (job.cancel.cancelled()) return;
      if (!edge) continue;
      std::erase_if(outlook.edges, [field](const SizeEdge& old) { return old.field == field; });
      outlook.edges.push_back(*edge);
      publish(outlook);
    }
    outlook.complete = true;
    publish(outlook);
  }

  DryRunnerLoader loader;
  base::StringTable& strings;
  std::optional<base::Result<std::unique_ptr<DryRunner>>> runner;  // prediction thread only
  std::uint64_t last_forecast = 0;                                 // as well
  mutable std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable told;
  std::unique_ptr<Job> waiting;
  std::optional<base::CancelToken> running;
  std::shared_ptr<const Outlook> published;
  std::uint64_t last_id = 0;
  bool stopping = false;
  std::thread thread;
};

Predictor::Predictor(DryRunnerLoader loader, base::StringTable& strings)
    : impl_(std::make_unique<Impl>(std::move(loader), strings)) {}

Predictor::~Predictor() = default;

std::uint64_t Predictor::ask(OutlookRequest request) {
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->running) impl_->running->cancel();
    id = ++impl_->last_id;
    impl_->waiting = std::make_unique<Job>(Job{id, std::move(request), {}});
  }
  impl_->wake.notify_all();
  return id;
}

std::shared_ptr<const Outlook> Predictor::latest() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->published;
}

std::shared_ptr<const Outlook> Predictor::latest_within(std::chrono::microseconds patience) {
  std::unique_lock lock(impl_->mutex);
  impl_->told.wait_for(lock, patience, [this] {
    return impl_->last_id == 0 ||
           (impl_->published != nullptr && impl_->published->id == impl_->last_id);
  });
  return impl_->published;
}

bool Predictor::busy() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->waiting != nullptr || impl_->running.has_value();
}

}  // namespace ts::run
