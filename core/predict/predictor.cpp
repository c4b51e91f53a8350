#include "core/predict/predictor.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/base/job_thread.h"
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
  };

  Impl(DryRunnerLoader dry_runner_loader, base::StringTable& string_table)
      : loader(std::move(dry_runner_loader)),
        strings(string_table),
        thread({.work = [this](const Job& job,
                               const base::CancelToken& cancel) { make_outlook(job, cancel); },
                .end = [this] { runner.reset(); },
                .idle = [this](const base::CancelToken& cancel) { return probe(cancel); }}) {}

  const base::Result<std::unique_ptr<DryRunner>>& loaded() {
    if (!runner) runner = load_dry_runner(loader);
    return *runner;
  }

  // Makes one probe of the hunt. Returns whether there are more.
  bool probe(const base::CancelToken& cancel) {
    std::optional<HuntRequest> request;
    bool stop = false;
    {
      const std::lock_guard lock(mutex);
      request = std::exchange(waiting_hunt, std::nullopt);
      hunt_begins = request.has_value();
      stop = std::exchange(stop_hunt, false);
    }
    if (request) {
      const std::optional<HuntSearch> earlier = std::exchange(hunting, std::nullopt);
      hunting.emplace(++last_hunt, std::move(*request), earlier ? &earlier->progress() : nullptr);
    }
    if (!hunting) return false;
    if (stop) hunting->cancel();
    if (const auto& ready = loaded()) {
      hunting->probe(**ready, strings, cancel);
    } else {
      hunting->cancel();
    }
    auto copy = std::make_shared<const HuntProgress>(hunting->progress());
    const std::lock_guard lock(mutex);
    hunted = std::move(copy);
    hunt_begins = false;
    return hunting->running();
  }

  void publish(const Outlook& outlook) {
    auto copy = std::make_shared<const Outlook>(outlook);
    {
      const std::lock_guard lock(mutex);
      published = std::move(copy);
    }
    is_published.notify_all();
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
        if (thread.superseded()) return;
        ahead = next;
      }
      auto made = search.forecast(next, request.target);
      const std::lock_guard lock(mutex);
      ahead.reset();
      if (!made) return;
      recent.keep(*made);
    }
  }

  void make_outlook(const Job& job, const base::CancelToken& cancel) {
    const OutlookRequest& request = job.request;
    Outlook outlook;
    outlook.id = job.id;
    outlook.spec = request.spec;
    keep_old_parts(outlook);
    const auto end = [&] {
      outlook.complete = true;
      publish(outlook);
    };
    const auto& ready = loaded();
    if (!ready) {
      outlook.problem = ready.error();
      return end();
    }
    OutlookSearch search(**ready, strings, request, cancel, last_forecast);
    find_problems(outlook, request);
    // A card may be able to run what this machine cannot: then only measurements are missing.
    if (outlook.problem.sentence.empty()) {
      auto on_target = forecast_on_target(search, request);
      if (cancel.cancelled()) return;
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
    if (thread.superseded_within(kRest)) return;

    // The prediction for this machine; a card known only from its catalogue entry stays as it is.
    if (request.own.kind != request.target.kind && outlook.not_here.sentence.empty()) {
      auto own = search.forecast(request.spec, request.own);
      if (cancel.cancelled()) return;
      if (own) outlook.own = *own;
    }
    outlook.expandable.reset();
    if (outlook.target != nullptr) outlook.expandable = search.expandable_need(*outlook.target);
    publish(outlook);

    if (spec::field_applies(request.spec, spec::Field::backend)) {
      const int count = static_cast<int>(spec::field_choices(spec::Field::backend).size());
      std::vector<BackendNeed> needs;
      for (int i = 0; i < count && !cancel.cancelled(); ++i)
        needs.push_back(search.need_of(static_cast<spec::AttentionBackend>(i)));
      if (cancel.cancelled()) return;
      outlook.backends = std::move(needs);
      publish(outlook);
    }
    const bool fits = outlook.target != nullptr && outlook.target->prediction.fit != Fit::oom;
    if (fits) outlook.remedies.clear();
    if (!fits && outlook.target != nullptr) {
      std::vector<Remedy> remedies;
      for (const Change& change : changes_for(request.spec, request.target.kind)) {
        auto remedy = search.remedy_of(change, *outlook.target);
        if (cancel.cancelled()) return;
        if (remedy) remedies.push_back(std::move(*remedy));
      }
      outlook.remedies = std::move(remedies);
      publish(outlook);
    }
    for (const spec::Field field : request.sizes) {
      if (outlook.target == nullptr || !spec::field_applies(request.spec, field)) continue;
      auto edge = search.edge_of(field, fits);
      if (cancel.cancelled()) return;
      if (!edge) continue;
      // Until it is found again.
      const SizeEdge* const old = outlook.edge(field);
      if (old != nullptr && old->current && old->last_that_fits == edge->last_that_fits &&
          old->first_too_large == edge->first_too_large)
        edge->exact = old->exact;
      std::erase_if(outlook.edges, [field](const SizeEdge& one) { return one.field == field; });
      outlook.edges.push_back(*edge);
      publish(outlook);
    }
    // The sentence names the largest length that fits, which need not be a slider step. Computed
    // last, because it takes more dry runs than all the rest.
    for (SizeEdge& edge : outlook.edges) {
      if (edge.field != spec::Field::T || !edge.current) continue;
      edge.exact = search.exact_edge(edge);
      if (cancel.cancelled()) return;
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
  mutable std::mutex mutex;  // guards all below; locked before that of the thread
  std::condition_variable is_published;
  std::optional<spec::WorkloadSpec> ahead;  // its dry run is made before it is requested
  std::shared_ptr<const Outlook> published;
  std::optional<HuntRequest> waiting_hunt;
  bool stop_hunt = false;
  bool hunt_begins = false;  // taken from the queue and not yet published
  std::shared_ptr<const HuntProgress> hunted;
  std::uint64_t last_id = 0;
  base::JobThread<Job> thread;  // last: it uses all members above
};

Predictor::Predictor(DryRunnerLoader loader, base::StringTable& strings)
    : impl_(std::make_unique<Impl>(std::move(loader), strings)) {}

Predictor::~Predictor() = default;

std::uint64_t Predictor::ask(OutlookRequest request) {
  using InProgress = base::JobThread<Impl::Job>::InProgress;
  const std::lock_guard lock(impl_->mutex);
  // A dry run that was made ahead for this request is not cancelled.
  const bool foreseen = impl_->ahead && *impl_->ahead == request.spec;
  const std::uint64_t id = ++impl_->last_id;
  impl_->thread.submit({id, std::move(request)}, foreseen ? InProgress::keep : InProgress::cancel);
  return id;
}

std::shared_ptr<const Outlook> Predictor::latest() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->published;
}

std::shared_ptr<const Outlook> Predictor::latest_by(
    std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(impl_->mutex);
  impl_->is_published.wait_until(lock, deadline, [this] {
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
  }
  impl_->thread.wake();
}

void Predictor::cancel_hunt() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->waiting_hunt.reset();
    impl_->stop_hunt = true;
  }
  impl_->thread.wake();
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
  return impl_->thread.busy();
}

}  // namespace ts::predict
