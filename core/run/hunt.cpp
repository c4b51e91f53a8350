#include "core/run/hunt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/run/spec_values.h"
#include "core/run/sweep_spec.h"
#include "core/text/numbers.h"

namespace ts::run {
namespace {

// Whether other settings restrict which values are possible.
bool has_gaps(Field field) {
  return field == Field::d_model || field == Field::heads;
}

bool possible(WorkloadSpec spec, Field field, std::int64_t value) {
  return set_number(spec, field, value).has_value() && validate(spec).empty();
}

// The values of an axis by index: all of them, or those that are possible.
class Candidates {
 public:
  Candidates(const WorkloadSpec& base, const HuntAxis& axis) : low_(axis.low) {
    if (!has_gaps(axis.field)) {
      count_ = axis.high - axis.low + 1;
      return;
    }
    gaps_ = true;
    for (std::int64_t value = axis.low; value <= axis.high; ++value) {
      if (possible(base, axis.field, value)) values_.push_back(value);
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
        gaps_ ? std::lower_bound(values_.begin(), values_.end(), value) - values_.begin()
              : value - low_;
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
  EdgeSearch(const WorkloadSpec& base, const HuntAxis& axis, const Probe& probe,
             const base::CancelToken& cancel)
      : base_(base), axis_(axis), probe_(probe), cancel_(cancel), candidates_(base, axis) {}

  base::Result<EdgeHunt> run() {
    if (candidates_.count() == 0) {
      return base::fail(fmt::format("No value of {} from {} to {} is possible here",
                                    field_name(axis_.field), text::grouped(axis_.low),
                                    text::grouped(axis_.high)));
    }
    std::int64_t fits = -1;  // index
    std::int64_t oom = candidates_.count();
    std::int64_t next = 0;
    while (fits + 1 < oom && !hunt_.cancelled) {
      if (cancel_.cancelled()) {
        hunt_.cancelled = true;
        break;
      }
      const auto fit = ask(next);
      if (!fit) return tl::unexpected(fit.error());
      (*fit ? fits : oom) = next;
      if (fits < 0) break;  // not even the first
      // Nothing is known above: on to twice the value. Else halfway.
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
    WorkloadSpec spec = base_;
    if (auto set = set_number(spec, axis_.field, value); !set) return tl::unexpected(set.error());
    if (const auto problems = validate(spec); !problems.empty()) {
      return base::fail(problems.front().sentence);
    }
    auto answer = probe_(spec);
    if (!answer) return tl::unexpected(answer.error());
    const bool fit = answer->fit != Fit::oom;
    hunt_.probes.push_back({{value}, std::move(*answer)});
    return fit;
  }

  const WorkloadSpec& base_;
  const HuntAxis& axis_;
  const Probe& probe_;
  const base::CancelToken& cancel_;
  Candidates candidates_;
  EdgeHunt hunt_;
};

std::string edge_sentence(const EdgeHunt& hunt, const HuntAxis& axis, const std::string& target) {
  const char* const name = field_name(axis.field);
  if (hunt.cancelled) {
    return fmt::format("Cancelled: {} = {} fits {}, above it nothing is sure", name,
                       hunt.fits ? text::grouped(*hunt.fits) : "nothing", target);
  }
  if (!hunt.fits) {
    return fmt::format("{} never fits {}: {} = {} is already out of memory", name, target, name,
                       text::grouped(*hunt.oom));
  }
  if (!hunt.oom) {
    return fmt::format("Every {} up to {} fits {}", name, text::grouped(*hunt.fits), target);
  }
  return fmt::format("The largest {} that fits {} is {}", name, target, text::grouped(*hunt.fits));
}

}  // namespace

HuntAxis zoomed(const HuntAxis& axis, std::int64_t centre, double factor, const FieldRange& limits,
                std::size_t cells) {
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
    // One value has no length to be made longer.
    out.low = std::max(least, std::min(out.low, axis.low - 1));
    out.high = std::min(limits.max, std::max(out.high, axis.high + 1));
    return out;
  }
  // No closer than a cell for every value.
  const auto shortest = static_cast<std::int64_t>(cells) - 1;
  if (out.high - out.low < shortest) {
    out.low = std::max(axis.low, out.high - shortest);
    out.high = std::min(axis.high, out.low + shortest);
  }
  return out;
}

bool memory_grows_with(Field field) {
  switch (field) {
    case Field::B:
    case Field::T:
    case Field::d_model:
    case Field::heads:
    case Field::d_head:
    case Field::layers:
    case Field::d_ff:
    case Field::vocab:
      return true;
    default:
      return false;
  }
}

base::Result<HuntAxis> parse_hunt_axis(std::string_view text) {
  const std::size_t equals = text.find('=');
  const auto field = field_from_name(text.substr(0, equals));
  if (!field) return tl::unexpected(field.error());
  if (!memory_grows_with(*field)) {
    return base::fail(
        fmt::format("{} is not a size that memory grows with: hunt along B, T, "
                    "d_model, heads, d_head, layers, d_ff or vocab",
                    field_name(*field)));
  }
  HuntAxis axis;
  axis.field = *field;
  axis.low = std::max<std::int64_t>(1, field_range(*field).min);
  axis.high = field_range(*field).max;
  if (equals == std::string_view::npos) return axis;
  const std::string_view ends = text.substr(equals + 1);
  const std::size_t colon = ends.find(':');
  if (colon == std::string_view::npos) {
    return base::fail(
        fmt::format("--axis takes {0} or {0}=FROM:TO, not \"{1}\"", field_name(*field), text));
  }
  const auto read = [&](std::string_view word) -> base::Result<std::int64_t> {
    WorkloadSpec spec;
    if (auto set = set_field(spec, field_name(*field), word); !set) {
      return tl::unexpected(set.error());
    }
    return number_of(spec, *field);
  };
  const auto low = read(ends.substr(0, colon));
  if (!low) return tl::unexpected(low.error());
  const auto high = read(ends.substr(colon + 1));
  if (!high) return tl::unexpected(high.error());
  if (*low > *high) {
    return base::fail(fmt::format("The range of {} goes from {} down to {}: write it upwards",
                                  field_name(*field), *low, *high));
  }
  axis.low = *low;
  axis.high = *high;
  return axis;
}

base::Result<EdgeHunt> hunt_edge(const WorkloadSpec& base, const HuntAxis& axis,
                                 const std::string& target, const Probe& probe,
                                 const base::CancelToken& cancel) {
  auto hunt = EdgeSearch(base, axis, probe, cancel).run();
  if (hunt) hunt->sentence = edge_sentence(*hunt, axis, target);
  return hunt;
}

}  // namespace ts::run
