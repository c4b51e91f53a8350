#include "core/predict/outlook_search.h"

#include <algorithm>

#include "core/predict/bisect.h"
#include "core/spec/repairs.h"
#include "core/spec/size_steps.h"

namespace ts::predict {
namespace {

// Backends that nobody chooses for their memory are suggested only if they fit at once.
bool worth_saying(const Remedy& remedy) {
  const bool helps_at_once = remedy.fit != Fit::oom && remedy.runs_here;
  const bool backend = remedy.kind == RemedyKind::tiled || remedy.kind == RemedyKind::automatic;
  return !backend || helps_at_once;
}

}  // namespace

const SizeEdge* Outlook::edge(spec::Field field) const {
  const auto found = std::ranges::find(edges, field, &SizeEdge::field);
  return found == edges.end() ? nullptr : &*found;
}

OutlookSearch::OutlookSearch(DryRunner& runner, base::StringTable& strings,
                             const OutlookRequest& request, const base::CancelToken& cancel,
                             std::uint64_t& last_id)
    : runner_(runner), strings_(strings), request_(request), cancel_(cancel), last_id_(last_id) {}

run::Outcome<std::shared_ptr<const Forecast>> OutlookSearch::forecast(
    const spec::WorkloadSpec& spec, const PredictionTarget& target) {
  spec::WorkloadSpec there = spec;
  there.device = target.kind;
  TS_TRY(auto run, runner_.dry_run(there, dry_run_options(target), strings_, cancel_));
  auto found = std::make_shared<Forecast>();
  found->run = std::move(run);
  found->run.spec = spec;
  found->id = ++last_id_;
  found->target = target;
  found->prediction =
      predict(found->run, strings_, target, allocator_settings_of(spec), request_.scratch.get());
  return std::shared_ptr<const Forecast>(std::move(found));
}

std::optional<ExpandableNeed> OutlookSearch::expandable_need(const Forecast& now) const {
  allocator::AllocatorSettings settings = allocator_settings_of(now.run.spec);
  if (now.target.kind != spec::DeviceKind::cuda || settings.expandable_segments)
    return std::nullopt;
  settings.expandable_segments = true;
  const Prediction with = predict(now.run, strings_, now.target, settings, request_.scratch.get());
  return ExpandableNeed{with.needed, with.fit};
}

BackendNeed OutlookSearch::need_of(spec::AttentionBackend backend) {
  spec::WorkloadSpec spec = request_.spec;
  spec.backend = backend;
  BackendNeed need;
  need.backend = backend;
  if (const auto problems = validate_there(spec); !problems.empty()) {
    need.unavailable = problems.front();
    return need;
  }
  if (auto found = forecast(spec, request_.target)) {
    need.needed = (*found)->prediction.needed;
    need.fit = (*found)->prediction.fit;
  } else {
    need.unavailable = found.error();
  }
  return need;
}

std::optional<Remedy> OutlookSearch::remedy_of(const Change& change, const Forecast& now) {
  Change tried = change;
  while (true) {
    const auto found = this->forecast(tried.spec, request_.target);
    if (!found) return std::nullopt;
    const Forecast& forecast = **found;
    Remedy remedy;
    remedy.kind = tried.kind;
    remedy.spec = tried.spec;
    remedy.runs_here = spec::validate(tried.spec).empty();
    remedy.needed = forecast.prediction.needed;
    remedy.fit = forecast.prediction.fit;
    const std::optional<spec::Gpu>& card = request_.target.card;
    const auto before = card ? estimated_step_s(now.run, *card) : std::nullopt;
    const auto after = card ? estimated_step_s(forecast.run, *card) : std::nullopt;
    if (before && after && *before > 0) remedy.time_ratio = *after / *before;
    const bool halve = tried.kind == RemedyKind::smaller_batch && remedy.fit == Fit::oom &&
                       tried.spec.batch % 2 == 0;
    if (!halve && !worth_saying(remedy)) return std::nullopt;
    if (!halve) return remedy;
    tried.spec.batch /= 2;
    tried.spec.accumulate *= 2;
    if (!validate_there(tried.spec).empty()) return remedy;
  }
}

std::optional<SizeEdge> OutlookSearch::edge_of(spec::Field field, bool fits_now) {
  const auto* number = field_as<spec::NumberField>(field);
  if (number == nullptr) return std::nullopt;
  const std::vector<std::int64_t> sizes = sizes_of(*number);
  const std::int64_t now = request_.spec.*number->member;
  const auto here = std::lower_bound(sizes.begin(), sizes.end(), now) - sizes.begin();
  const auto above = std::upper_bound(sizes.begin(), sizes.end(), now) - sizes.begin();
  const auto count = static_cast<std::int64_t>(sizes.size());
  // sizes[fits] fits and sizes[breaks] does not; -1 and count stand for "nothing there".
  std::int64_t fits = fits_now ? above - 1 : -1;
  std::int64_t breaks = fits_now ? count : here;
  const auto ask = [&](std::int64_t at) {
    return fits_with(field, sizes[static_cast<std::size_t>(at)]);
  };
  const auto try_at = [&](std::int64_t at) {
    const auto answer = ask(at);
    if (answer) (*answer ? fits : breaks) = at;
    return answer.has_value();
  };
  std::int64_t stride = 1;
  while (fits_now && breaks == count && fits + 1 < count) {
    if (!try_at(std::min(fits + stride, count - 1))) return std::nullopt;
    stride *= 2;
  }
  while (!fits_now && fits == -1 && breaks > 0) {
    if (!try_at(std::max(breaks - stride, std::int64_t{0}))) return std::nullopt;
    stride *= 2;
  }
  if (!bisect(fits, breaks, ask)) return std::nullopt;
  SizeEdge edge;
  edge.field = field;
  if (fits >= 0) edge.last_that_fits = sizes[static_cast<std::size_t>(fits)];
  if (breaks < count) edge.first_too_large = sizes[static_cast<std::size_t>(breaks)];
  // The current value may lie between two of the sizes.
  if (!fits_now && breaks == here) edge.first_too_large = now;
  return edge;
}

std::optional<EdgeHunt> OutlookSearch::exact_edge(const SizeEdge& edge) {
  if (!edge.last_that_fits || !edge.first_too_large) return std::nullopt;
  spec::WorkloadSpec there = request_.spec;
  there.device = request_.target.kind;
  const Probe probe = [this](const spec::WorkloadSpec& spec) -> base::Result<ProbeAnswer> {
    const auto found = forecast(spec, request_.target);
    if (!found) return tl::unexpected<base::Error>(found.error());
    return answer_of((*found)->prediction, request_.target);
  };
  const std::string& target = request_.target.name;
  const HuntAxis between{edge.field, *edge.last_that_fits, *edge.first_too_large};
  auto hunt = hunt_edge(there, between, target, probe, cancel_);
  if (!hunt || hunt->cancelled) return std::nullopt;
  // The tensors of twice the length are too large however they are packed.
  const std::int64_t most = std::min(2 * *edge.first_too_large, spec::field_range(edge.field).max);
  const HuntAxis around{edge.field, 1, most};
  if (!search_above(*hunt, there, around, target, probe, cancel_) || cancel_.cancelled())
    return std::nullopt;
  return std::move(*hunt);
}

std::vector<spec::SpecProblem> OutlookSearch::validate_there(const spec::WorkloadSpec& spec) const {
  return spec::problems_on(spec, request_.target.kind);
}

std::vector<std::int64_t> OutlookSearch::sizes_of(const spec::NumberField& number) const {
  std::vector<std::int64_t> sizes;
  spec::WorkloadSpec spec = request_.spec;
  std::int64_t size = std::max<std::int64_t>(1, number.slider.min);
  for (; size <= number.slider.max; size = spec::next_size(size)) {
    spec.*number.member = size;
    if (validate_there(spec).empty()) sizes.push_back(size);
  }
  return sizes;
}

std::optional<bool> OutlookSearch::fits_with(spec::Field field, std::int64_t size) {
  spec::WorkloadSpec spec = request_.spec;
  spec.*field_as<spec::NumberField>(field)->member = size;
  const auto found = forecast(spec, request_.target);
  if (!found) return std::nullopt;
  return (*found)->prediction.fit != Fit::oom;
}

}  // namespace ts::predict
