#include "core/predict/hunt.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "core/predict/bisect.h"
#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::predict {
namespace {

// True if other settings restrict the possible values.
bool has_gaps(spec::Field field) {
  return field == spec::Field::d_model || field == spec::Field::heads;
}

bool possible(spec::WorkloadSpec spec, spec::Field field, std::int64_t value) {
  return spec::set_number(spec, field, value).has_value() && spec::validate(spec).empty();
}

// The values of an axis by index: all of them, or only the possible ones.
class Candidates {
 public:
  Candidates(const spec::WorkloadSpec& base, const HuntAxis& axis) : low_(axis.low) {
    const bool gaps = has_gaps(axis.field);
    if (!gaps && axis.step == 1) {
      count_ = axis.high - axis.low + 1;
      return;
    }
    gaps_ = true;
    for (std::int64_t value = axis.low; value <= axis.high; value += axis.step) {
      if (!gaps || possible(base, axis.field, value)) values_.push_back(value);
    }
    count_ = static_cast<std::int64_t>(values_.size());
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t at(std::int64_t index) const {
    return gaps_ ? values_[static_cast<std::size_t>(index)] : low_ + index;
  }
  // The first index whose value is at least `value`; count() - 1 at most.
  [[nodiscard]] std::int64_t index_of(std::int64_t value) const {
    const std::int64_t index =
        gaps_ ? std::ranges::lower_bound(values_, value) - values_.begin() : value - low_;
    return std::clamp<std::int64_t>(index, 0, count_ - 1);
  }

 private:
  std::int64_t low_;
  std::int64_t count_ = 0;
  bool gaps_ = false;
  std::vector<std::int64_t> values_;
};

class EdgeSearch {
 public:
  EdgeSearch(const spec::WorkloadSpec& base, const HuntAxis& axis, const Probe& probe,
             const base::CancelToken& cancel)
      : base_(base), axis_(axis), probe_(probe), cancel_(cancel), candidates_(base, axis) {}

  base::Result<EdgeHunt> run() {
    if (candidates_.count() == 0) {
      return text::fail("prediction.no_value", {{"field", spec::field_name(axis_.field)},
                                                {"low", text::grouped(axis_.low)},
                                                {"high", text::grouped(axis_.high)}});
    }
    std::int64_t fits = -1;  // index
    std::int64_t oom = candidates_.count();
    std::int64_t next = 0;
    while (fits + 1 < oom && !hunt_.cancelled) {
      if (cancel_.cancelled()) {
        hunt_.cancelled = true;
        break;
      }
      TS_TRY(const auto fit, ask(next));
      (fit ? fits : oom) = next;
      if (fits < 0) break;  // even the first value does not fit
      // Nothing is known above: try twice the value. Else halfway.
      next = oom == candidates_.count()
                 ? std::max(fits + 1, candidates_.index_of(2 * candidates_.at(fits)))
                 : fits + (oom - fits) / 2;
      next = std::min(next, candidates_.count() - 1);
    }
    if (fits >= 0) hunt_.fits = candidates_.at(fits);
    if (oom < candidates_.count()) hunt_.oom = candidates_.at(oom);
    return std::move(hunt_);
  }

 private:
  base::Result<bool> ask(std::int64_t index) {
    const std::int64_t value = candidates_.at(index);
    spec::WorkloadSpec spec = base_;
    TS_TRY_DONE(spec::set_number(spec, axis_.field, value));
    if (const auto problems = spec::validate(spec); !problems.empty()) {
      return tl::unexpected<base::Error>(problems.front());
    }
    TS_TRY(auto answer, probe_(spec));
    const bool fit = answer.fit != Fit::oom;
    hunt_.probes.push_back({{value}, std::move(answer)});
    return fit;
  }

  const spec::WorkloadSpec& base_;
  const HuntAxis& axis_;
  const Probe& probe_;
  const base::CancelToken& cancel_;
  Candidates candidates_;
  EdgeHunt hunt_;
};

// All answers by the index of their value, and the results derived from them.
class AboveSearch {
 public:
  AboveSearch(EdgeHunt& hunt, const spec::WorkloadSpec& base, const HuntAxis& axis,
              const Probe& probe, const base::CancelToken& cancel)
      : hunt_(hunt),
        base_(base),
        axis_(axis),
        probe_(probe),
        cancel_(cancel),
        candidates_(base, axis) {}

  base::Result<void> run() {
    if (!hunt_.fits || !hunt_.oom || hunt_.cancelled) return {};
    for (const HuntProbe& one : hunt_.probes) {
      if (!one.answer.filling) return {};
      asked_.emplace(candidates_.index_of(one.at[0]), one.answer);
    }
    const std::int64_t edge = candidates_.index_of(*hunt_.oom);
    const std::int64_t end =
        first_where(edge, [](const auto& filling) { return filling.live > 1; });
    if (!ask_between(edge + 1, end, kMost)) return stopped();
    const bool again = std::any_of(asked_.upper_bound(edge), asked_.end(),
                                   [](const auto& one) { return holds(one.second); });
    if (again && !look_below(edge)) return stopped();
    if (!problem_.empty() || cancelled_) return stopped();
    conclude();
    return {};
  }

 private:
  static constexpr std::int64_t kMost = 160;

  static bool holds(const ProbeAnswer& answer) { return answer.fit != Fit::oom; }

  base::Result<void> stopped() {
    if (cancelled_ || problem_.empty()) return {};
    return tl::unexpected(problem_);
  }

  // The answer for that index, probed if not yet known; null if cancelled or if the probe failed.
  const ProbeAnswer* ask(std::int64_t index) {
    if (const auto known = asked_.find(index); known != asked_.end()) return &known->second;
    cancelled_ = cancelled_ || cancel_.cancelled();
    if (cancelled_) return nullptr;
    spec::WorkloadSpec spec = base_;
    static_cast<void>(spec::set_number(spec, axis_.field, candidates_.at(index)));
    auto answer = probe_(spec);
    cancelled_ = cancelled_ || cancel_.cancelled();
    if (!answer) problem_ = answer.error();
    if (!answer || !answer->filling) return nullptr;
    return &asked_.emplace(index, std::move(*answer)).first->second;
  }

  // The first index from `begin` on for which the condition is true; once true, it stays true for
  // all larger sizes.
  template <class Condition>
  std::int64_t first_where(std::int64_t begin, Condition condition) {
    std::int64_t before = begin - 1;
    std::int64_t after = candidates_.count();
    for (const auto& [index, answer] : asked_) {
      if (index < begin) continue;
      if (condition(*answer.filling)) {
        after = std::min(after, index);
      } else {
        before = std::max(before, index);
      }
    }
    bisect(before, after, [&](std::int64_t index) -> std::optional<bool> {
      const ProbeAnswer* const answer = ask(index);
      if (answer == nullptr) return std::nullopt;
      return !condition(*answer->filling);
    });
    return after;
  }

  // Probes indices from begin up to, not including, end: all, or at most `most`, evenly spaced.
  bool ask_between(std::int64_t begin, std::int64_t end, std::int64_t most) {
    const std::int64_t step = std::max<std::int64_t>(1, (end - begin + most - 1) / most);
    hunt_step_ = std::max(hunt_step_, step);
    for (std::int64_t index = begin; index < end; index += step) {
      if (ask(index) == nullptr) return false;
    }
    return true;
  }

  // The allocator holds at most `worst` times the live bytes, so a size far enough below the edge
  // fits.
  bool look_below(std::int64_t edge) {
    double worst = 1;
    for (const auto& [index, answer] : asked_) {
      const ProbeAnswer::Filling& filling = *answer.filling;
      if (filling.live > 0.5) worst = std::max(worst, filling.held / filling.live);
    }
    const std::int64_t begin =
        first_where(0, [worst](const auto& filling) { return filling.live * worst > 1; });
    return ask_between(begin, edge, kMost);
  }

  void conclude() {
    const auto refused = std::find_if(asked_.begin(), asked_.end(),
                                      [](const auto& one) { return !holds(one.second); });
    if (refused == asked_.end() || refused == asked_.begin()) return;
    hunt_.fits = candidates_.at(std::prev(refused)->first);
    hunt_.oom = candidates_.at(refused->first);
    hunt_.sampled = hunt_step_ > 1;
    hunt_.again.clear();
    for (auto at = refused; at != asked_.end(); ++at) {
      if (!holds(at->second)) continue;
      const auto first = at;
      while (std::next(at) != asked_.end() && holds(std::next(at)->second)) ++at;
      hunt_.again.push_back({candidates_.at(first->first), candidates_.at(at->first)});
      add_probe(first);
      if (at != first) add_probe(at);
      if (std::next(at) != asked_.end()) add_probe(std::next(at));
    }
  }

  void add_probe(std::map<std::int64_t, ProbeAnswer>::const_iterator at) {
    const std::int64_t value = candidates_.at(at->first);
    const bool there = std::any_of(hunt_.probes.begin(), hunt_.probes.end(),
                                   [value](const HuntProbe& one) { return one.at[0] == value; });
    if (!there) hunt_.probes.push_back({{value}, at->second});
  }

  EdgeHunt& hunt_;
  const spec::WorkloadSpec& base_;
  const HuntAxis& axis_;
  const Probe& probe_;
  const base::CancelToken& cancel_;
  Candidates candidates_;
  std::map<std::int64_t, ProbeAnswer> asked_;
  std::int64_t hunt_step_ = 1;
  base::Message problem_;
  bool cancelled_ = false;
};

std::string ranges_text(const EdgeHunt& hunt) {
  std::string words;
  for (const EdgeHunt::Range& range : hunt.again) {
    words += words.empty() ? "" : ", ";
    words += text::grouped(range.first);
    if (range.last > range.first) words += " to " + text::grouped(range.last);
  }
  return words;
}

std::string edge_sentence(const EdgeHunt& hunt, const HuntAxis& axis, const std::string& target) {
  const char* const name = spec::field_name(axis.field);
  if (hunt.cancelled) {
    return fmt::format("Cancelled: {} = {} fits {}, above it nothing is sure", name,
                       hunt.fits ? text::grouped(*hunt.fits) : "nothing", target);
  }
  if (!hunt.fits) {
    // Nothing is known about values below the range.
    const std::string which = axis.low == 1
                                  ? fmt::format("{} never fits", name)
                                  : fmt::format("No {} from {} to {} fits", name,
                                                text::grouped(axis.low), text::grouped(axis.high));
    return fmt::format("{} {}: {} = {} is already out of memory", which, target, name,
                       text::grouped(*hunt.oom));
  }
  if (!hunt.oom) {
    return fmt::format("Every {} up to {} fits {}", name, text::grouped(*hunt.fits), target);
  }
  const std::string largest = text::grouped(*hunt.largest());
  if (hunt.again.empty()) {
    return fmt::format(
        "The largest {} that fits {} is {}{}", name, target, largest,
        hunt.largest_needs_flush() ? ", but only after the allocator flushes its cache: slow" : "");
  }
  return fmt::format(
      "The largest {} that fits {} is {}{}, but not every smaller one does: all up to {}, then {}",
      name, target, largest, hunt.sampled ? " of those that were asked" : "",
      text::grouped(*hunt.fits), ranges_text(hunt));
}

}  // namespace

bool EdgeHunt::largest_needs_flush() const {
  const auto found = std::ranges::find_if(
      probes, [&](const HuntProbe& probe) { return largest() && probe.at.front() == *largest(); });
  return found != probes.end() && found->answer.fit == Fit::fits_after_flush;
}

namespace {

// The steps of the ends of a range of a map: quarters between powers of two.
std::int64_t end_step(std::int64_t value) {
  return value < 8
             ? 1
             : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value))) / 4;
}

std::int64_t round_below(std::int64_t value) {
  return value / end_step(value) * end_step(value);
}

std::int64_t round_above(std::int64_t value) {
  const std::int64_t step = end_step(value);
  return (value + step - 1) / step * step;
}

}  // namespace

HuntAxis zoomed(const HuntAxis& axis, std::int64_t centre, double factor,
                const spec::FieldRange& limits, std::size_t cells) {
  const bool every_value = axis.high - axis.low < static_cast<std::int64_t>(cells);
  if (factor < 1 && every_value) return axis;
  const std::int64_t least = std::max<std::int64_t>(1, limits.min);
  const double low = std::log(static_cast<double>(axis.low));
  const double high = std::log(static_cast<double>(axis.high));
  const double at = std::log(static_cast<double>(std::clamp(centre, axis.low, axis.high)));
  const auto value = [&](double logarithm) {
    const double most = std::log(static_cast<double>(limits.max));
    return std::clamp<std::int64_t>(std::llround(std::exp(std::min(logarithm, most))), least,
                                    limits.max);
  };
  HuntAxis out = axis;
  out.low = value(at + (low - at) * factor);
  out.high = value(at + (high - at) * factor);
  if (factor > 1) {
    // A range of one value has no length to stretch.
    out.low = std::max(least, round_below(std::min(out.low, axis.low - 1)));
    out.high = std::min(limits.max, round_above(std::max(out.high, axis.high + 1)));
    return out;
  }
  out.low = std::max(axis.low, round_below(out.low));
  out.high = std::min(axis.high, round_above(out.high));
  // No shorter than one value per cell.
  const auto shortest = static_cast<std::int64_t>(cells) - 1;
  if (out.high - out.low < shortest) {
    out.low = std::max(axis.low, out.high - shortest);
    out.high = std::min(axis.high, out.low + shortest);
  }
  return out;
}

HuntAxis within(const HuntAxis& axis, const spec::WorkloadSpec& spec) {
  const auto [least, most] = spec::size_range(spec, axis.field);
  const HuntAxis whole{axis.field, std::max<std::int64_t>(1, least), most};
  const HuntAxis inside{axis.field, std::max(axis.low, whole.low), std::min(axis.high, whole.high)};
  return inside.low <= inside.high ? inside : whole;
}

base::Result<HuntAxis> parse_hunt_axis(std::string_view written) {
  const std::size_t equals = written.find('=');
  TS_TRY(const auto field, spec::field_from_name(written.substr(0, equals)));
  if (!spec::memory_grows_with(field)) {
    return text::fail("hunt_error.no_size", {{"field", spec::field_name(field)}});
  }
  HuntAxis axis;
  axis.field = field;
  axis.low = std::max<std::int64_t>(1, spec::field_range(field).min);
  axis.high = spec::field_range(field).max;
  if (equals == std::string_view::npos) return axis;
  const std::string_view ends = written.substr(equals + 1);
  const std::size_t colon = ends.find(':');
  if (colon == std::string_view::npos) {
    return text::fail("hunt_error.form",
                      {{"field", spec::field_name(field)}, {"value", std::string(written)}});
  }
  const auto read = [&](std::string_view word) -> base::Result<std::int64_t> {
    spec::WorkloadSpec spec;
    TS_TRY_DONE(spec::set_field(spec, spec::field_name(field), word));
    return spec::number_of(spec, field);
  };
  TS_TRY(const auto low, read(ends.substr(0, colon)));
  TS_TRY(const auto high, read(ends.substr(colon + 1)));
  if (low > high) {
    return text::fail("sweep_error.downwards", {{"field", spec::field_name(field)},
                                                {"low", std::to_string(low)},
                                                {"high", std::to_string(high)}});
  }
  axis.low = low;
  axis.high = high;
  return axis;
}

base::Result<EdgeHunt> hunt_edge(const spec::WorkloadSpec& base, const HuntAxis& axis,
                                 const std::string& target, const Probe& probe,
                                 const base::CancelToken& cancel) {
  auto hunt = EdgeSearch(base, axis, probe, cancel).run();
  if (hunt) hunt->sentence = edge_sentence(*hunt, axis, target);
  return hunt;
}

base::Result<void> search_above(EdgeHunt& hunt, const spec::WorkloadSpec& base,
                                const HuntAxis& axis, const std::string& target, const Probe& probe,
                                const base::CancelToken& cancel) {
  auto searched = AboveSearch(hunt, base, axis, probe, cancel).run();
  if (searched && !hunt.again.empty()) hunt.sentence = edge_sentence(hunt, axis, target);
  return searched;
}

ProbeAnswer answer_of(const Prediction& prediction, const PredictionTarget& target) {
  ProbeAnswer answer{prediction.fit, prediction.needed, prediction.sentence,
                     prediction.peak_requested};
  if (const auto capacity = static_cast<double>(target.capacity()); capacity > 0) {
    answer.filling = {static_cast<double>(prediction.peak_allocated) / capacity,
                      static_cast<double>(prediction.peak_reserved) / capacity};
  }
  return answer;
}

}  // namespace ts::predict
