#include "core/predict/predictor.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "core/predict/dry_runner_loading.h"
#include "core/predict/look_ahead.h"
#include "core/predict/outlook_search.h"
#include "core/spec/repairs.h"
#include "core/spec/spec_fields.h"

namespace ts::predict {

namespace {

// Longer than a few frames, too short to be noticed.
constexpr std::chrono::milliseconds kRest{60};

// True if at most this one size differs.
bool differ_only_in(spec::Field field, const spec::WorkloadSpec& before,
                    const spec::WorkloadSpec& now) {
  const auto* const number = field_as<spec::NumberField>(field);
  if (number == nullptr) return false;
  spec::WorkloadSpec same = before;
  same.*number->member = now.*number->member;
  return same == now;
}

}  // namespace

struct Predictor::Impl {
  struct Job {
    std::uint64_t id = 0;
    OutlookRequest request;
    base::CancelToken cancel;
  };

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
    while (wait()) {
      if (!runner) runner = load_dry_runner(loader);
      if (const auto job = next()) {
        work_off(*job);
      } else {
        go_on_hunting();
      }
      const std::lock_guard lock(mutex);
      running.reset();
      working = false;
    }
    runner.reset();
  }

  // Returns false when the thread must end.
  bool wait() {
    std::unique_lock lock(mutex);
    wake.wait(lock, [this] {
      return stopping || waiting != nullptr || waiting_hunt || stop_hunt ||
             (hunting && hunting->running());
    });
    return !stopping;
  }

  std::unique_ptr<Job> next() {
    const std::lock_guard lock(mutex);
    if (waiting == nullptr) return nullptr;
    auto job = std::move(waiting);
    begin(job->cancel);
    working = true;
    return job;
  }

  // The caller holds the lock. Also handles a new request or a stop that came after this thread
  // woke up and before there was anything to cancel.
  void begin(const base::CancelToken& cancel) {
    running = cancel;
    if (stopping || waiting != nullptr) running->cancel();
  }

  // Makes one probe of the hunt.
  void go_on_hunting() {
    base::CancelToken cancel;
    std::optional<HuntRequest> request;
    bool stop = false;
    {
      const std::lock_guard lock(mutex);
      begin(cancel);
      request = std::exchange(waiting_hunt, std::nullopt);
      hunt_begins = request.has_value();
      stop = std::exchange(stop_hunt, false);
    }
    if (request) {
      const std::optional<HuntSearch> earlier = std::exchange(hunting, std::nullopt);
      hunting.emplace(++last_hunt, std::move(*request), earlier ? &earlier->progress() : nullptr);
    }
    if (!hunting) return;
    if (stop) hunting->cancel();
    if (*runner) {
      hunting->probe(***runner, strings, cancel);
    } else {
      hunting->cancel();
    }
    auto copy = std::make_shared<const HuntProgress>(hunting->progress());
    const std::lock_guard lock(mutex);
    hunted = std::move(copy);
    hunt_begins = false;
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
    outlook.remedies = published->remedies;
    outlook.expandable = published->expandable;
    if (outlook.expandable) outlook.expandable->current = false;
    for (Remedy& remedy : outlook.remedies) remedy.current = false;
    for (BackendNeed& need : outlook.backends) need.current = false;
    // The edge of a size does not depend on its current value.
    for (SizeEdge& edge : outlook.edges)
      edge.current &= differ_only_in(edge.field, published->spec, outlook.spec);
  }

  static void find_problems(Outlook& outlook, const OutlookRequest& request) {
    const auto first = [](const std::vector<spec::SpecProblem>& problems) -> base::Message {
      if (problems.empty()) return {};
      return problems.front();
    };
    const spec::WorkloadSpec& spec = request.spec;
    outlook.problem = first(spec::problems_on(spec, request.target.kind));
    outlook.not_here = first(spec::validate(spec));
    if (!outlook.not_here.sentence.empty()) {
      outlook.repairs = spec::repairs_of(spec, spec.device, request.target.kind);
    } else {
      outlook.repairs = spec::repairs_of(spec, request.target.kind, spec.device);
    }
  }

  // The forecast on the target: one made ahead or shown before, else by a dry run.
  run::Outcome<std::shared_ptr<const Forecast>> forecast_on_target(OutlookSearch& search,
                                                                   const OutlookRequest& request) {
    if (auto known = recent.find(request.spec, request.target)) return known;
    auto made = search.forecast(request.spec, request.target);
    if (made) recent.keep(*made);
    return made;
  }

  // If a drag continues, the forecast of its next settings exists before it is requested.
  void look_ahead(OutlookSearch& search, const OutlookRequest& request) {
    const std::optional<spec::WorkloadSpec> before = std::exchange(last_spec, request.spec);
    if (!before) return;
    for (const spec::WorkloadSpec& next : next_of_drag(*before, request.spec)) {
      if (recent.find(next, request.target) || !search.validate_there(next).empty()) continue;
      {
        const std::lock_guard lock(mutex);
        if (stopping || waiting != nullptr) return;
        ahead = next;
      }
      auto made = search.forecast(next, request.target);
      const std::lock_guard lock(mutex);
      ahead.reset();
      if (!made) return;
      recent.keep(*made);
    }
  }

  // Returns false if there was another request meanwhile.
  bool rests() {
    std::unique_lock lock(mutex);
    return !wake.wait_for(lock, kRest, [this] { return stopping || waiting != nullptr; });
  }

  void work_off(const Job& job) {
    const OutlookRequest& request = job.request;
    Outlook outlook;
    outlook.id = job.id;
    outlook.spec = request.spec;
    keep_old_parts(outlook);
    const auto end = [&] {
      outlook.complete = true;
      publish(outlook);
    };
    if (!*runner) {
      outlook.problem = runner->error();
      return end();
    }
    OutlookSearch search(***runner, strings, request, job.cancel, last_forecast);
    find_problems(outlook, request);
    // A card may be able to run what this machine cannot: then only measurements are missing.
    if (outlook.problem.sentence.empty()) {
      auto on_target = forecast_on_target(search, request);
      if (job.cancel.cancelled()) return;
      if (on_target) {
        outlook.target = *on_target;
      } else {
        outlook.problem = on_target.error();
      }
    } else if (!outlook.not_here.sentence.empty()) {
      return end();
    }
    // Nothing more to compute if this machine is the target.
    if (request.own.kind == request.target.kind) outlook.own = outlook.target;
    publish(outlook);
    look_ahead(search, request);
    if (!rests()) return;

    // The prediction for this machine; a card known only from its catalogue entry stays as it is.
    if (request.own.kind != request.target.kind && outlook.not_here.sentence.empty()) {
      auto own = search.forecast(request.spec, request.own);
      if (job.cancel.cancelled()) return;
      if (own) outlook.own = *own;
    }
    outlook.expandable.reset();
    if (outlook.target != nullptr) outlook.expandable = search.expandable_need(*outlook.target);
    publish(outlook);

    if (spec::field_applies(request.spec, spec::Field::backend)) {
      const int count = static_cast<int>(spec::field_choices(spec::Field::backend).size());
      std::vector<BackendNeed> needs;
      for (int i = 0; i < count && !job.cancel.cancelled(); ++i)
        needs.push_back(search.need_of(static_cast<spec::AttentionBackend>(i)));
      if (job.cancel.cancelled()) return;
      outlook.backends = std::move(needs);
      publish(outlook);
    }
    const bool fits = outlook.target != nullptr && outlook.target->prediction.fit != Fit::oom;
    if (fits) outlook.remedies.clear();
    if (!fits && outlook.target != nullptr) {
      std::vector<Remedy> remedies;
      for (const Change& change : changes_for(request.spec, request.target.kind)) {
        auto remedy = search.remedy_of(change, *outlook.target);
        if (job.cancel.cancelled()) return;
        if (remedy) remedies.push_back(std::move(*remedy));
      }
      outlook.remedies = std::move(remedies);
      publish(outlook);
    }
    for (const spec::Field field : request.sizes) {
      if (outlook.target == nullptr || !spec::field_applies(request.spec, field)) continue;
      const auto edge = search.edge_of(field, fits);
      if (job.cancel.cancelled()) return;
      if (!edge) continue;
      std::erase_if(outlook.edges, [field](const SizeEdge& old) { return old.field == field; });
      outlook.edges.push_back(*edge);
      publish(outlook);
    }
    // The sentence names the largest length that fits, which need not be a slider step. Computed
    // last, because it takes another ten dry runs.
    for (SizeEdge& edge : outlook.edges) {
      if (edge.field != spec::Field::T || !edge.current) continue;
      edge.largest_that_fits = search.largest_between(edge);
      if (job.cancel.cancelled()) return;
    }
    outlook.complete = true;
    publish(outlook);
  }

  DryRunnerLoader loader;
  base::StringTable& strings;
  std::optional<base::Result<std::unique_ptr<DryRunner>>> runner;  // prediction thread only
  std::uint64_t last_forecast = 0;                                 // prediction thread only
  RecentForecasts recent;                                          // prediction thread only
  std::optional<spec::WorkloadSpec> last_spec;                     // likewise; previous request
  std::optional<HuntSearch> hunting;                               // prediction thread only
  std::uint64_t last_hunt = 0;                                     // prediction thread only
  mutable std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable told;
  std::unique_ptr<Job> waiting;
  std::optional<base::CancelToken> running;  // an outlook or a probe
  bool working = false;                      // on an outlook
  std::optional<spec::WorkloadSpec> ahead;   // its dry run is made before it is requested
  std::shared_ptr<const Outlook> published;
  std::optional<HuntRequest> waiting_hunt;
  bool stop_hunt = false;
  bool hunt_begins = false;  // taken from the queue and not yet published
  std::shared_ptr<const HuntProgress> hunted;
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
    // A dry run that was made ahead for this request is not cancelled.
    const bool foreseen = impl_->ahead && *impl_->ahead == request.spec;
    if (impl_->running && !foreseen) impl_->running->cancel();
    id = ++impl_->last_id;
    impl_->waiting = std::make_unique<Impl::Job>(Impl::Job{id, std::move(request), {}});
  }
  impl_->wake.notify_all();
  return id;
}

std::shared_ptr<const Outlook> Predictor::latest() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->published;
}

std::shared_ptr<const Outlook> Predictor::latest_by(
    std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(impl_->mutex);
  impl_->told.wait_until(lock, deadline, [this] {
    return impl_->last_id == 0 ||
           (impl_->published != nullptr && impl_->published->id == impl_->last_id);
  });
  return impl_->published;
}

void Predictor::hunt(HuntRequest request) {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->waiting_hunt = std::move(request);
    impl_->stop_hunt = false;
    // The search for an exact edge is one probe of up to hundreds of dry runs.
    if (impl_->running && !impl_->working) impl_->running->cancel();
  }
  impl_->wake.notify_all();
}

void Predictor::cancel_hunt() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->waiting_hunt.reset();
    impl_->stop_hunt = true;
    if (impl_->running && !impl_->working) impl_->running->cancel();
  }
  impl_->wake.notify_all();
}

std::shared_ptr<const HuntProgress> Predictor::hunted() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->hunted;
}

bool Predictor::hunt_busy() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->waiting_hunt.has_value() || impl_->hunt_begins ||
         (impl_->hunted != nullptr && impl_->hunted->running);
}

bool Predictor::busy() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->waiting != nullptr || impl_->working;
}

}  // namespace ts::predict
