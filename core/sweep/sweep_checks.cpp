#include "core/sweep/sweep_checks.h"

#include <algorithm>
#include <optional>

#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::sweep {
namespace {

using report::CheckResult;
using report::CheckState;

constexpr std::int64_t kShortForFlash = 512;
constexpr double kMostOfDoubling = 6;
constexpr int kFewestBatches = 2;

// The median of a measured point; unset for the others.
std::optional<double> median_of(const Sweep& sweep, std::size_t point) {
  const SweepPoint& one = sweep.points()[point];
  if (one.status != PointStatus::ok || one.measurement.step.median_ms <= 0) return std::nullopt;
  return one.measurement.step.median_ms;
}

// The other curve's point at the same place; unset if it has none.
std::optional<std::size_t> beside(const Sweep& sweep, const SweepCurve& other, std::size_t point) {
  const auto found = std::ranges::find_if(other.points, [&](std::size_t one) {
    return sweep.points()[one].at == sweep.points()[point].at;
  });
  return found == other.points.end() ? std::nullopt : std::optional(*found);
}

// Where a curve of flash gains least over another one, among short sequences.
struct LeastGain {
  std::int64_t length = 0;
  double times = 0;
};
std::optional<LeastGain> least_gain(const Sweep& sweep, const SweepCurve& flash,
                                    const SweepCurve& other) {
  std::optional<LeastGain> least;
  for (const std::size_t point : flash.points) {
    const SweepPoint& here = sweep.points()[point];
    if (here.at[0] > kShortForFlash || here.measurement.backend_ran != "flash") continue;
    const auto there = beside(sweep, other, point);
    const auto time = median_of(sweep, point);
    const auto other_time = there ? median_of(sweep, *there) : std::nullopt;
    if (!time || !other_time) continue;
    const double times = *other_time / *time;
    if (!least || times < least->times) least = LeastGain{here.at[0], times};
  }
  return least;
}

void add_short_flash(const Sweep& sweep, std::vector<CheckResult>& all) {
  const std::vector<SweepCurve> curves = curves_of(sweep);
  for (const SweepCurve& flash : curves) {
    for (const SweepCurve& other : curves) {
      if (other.series == flash.series) continue;
      const auto least = least_gain(sweep, flash, other);
      if (!least) continue;
      all.push_back(
          {"C-11", least->times >= 1 ? CheckState::passed : CheckState::noted,
           text::message("check.flash_compared", {{"T", text::grouped(least->length)},
                                                  {"times", text::decimal(least->times, 2)},
                                                  {"series", other.label}}),
           text::message("check.why.short_flash")});
    }
  }
}

void add_batches(const Sweep& sweep, std::vector<CheckResult>& all) {
  const auto measured = std::ranges::count_if(sweep.points(), [](const SweepPoint& point) {
    return point.status == PointStatus::ok && point.measurement.peak_allocated > 0;
  });
  if (measured < kFewestBatches) return;
  all.push_back({"C-17", CheckState::passed,
                 text::message("check.batches", {{"count", std::to_string(measured)}}),
                 text::message("check.why.batches")});
}

// The largest step of each curve.
void add_doublings(const Sweep& sweep, std::vector<CheckResult>& all) {
  for (const SweepCurve& curve : curves_of(sweep)) {
    double most = 0;
    std::size_t worst = 0;
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
      const auto before = median_of(sweep, curve.points[i - 1]);
      const auto after = median_of(sweep, curve.points[i]);
      const std::int64_t from = sweep.points()[curve.points[i - 1]].at[0];
      if (!before || !after || sweep.points()[curve.points[i]].at[0] != 2 * from) continue;
      if (*after / *before <= most) continue;
      most = *after / *before;
      worst = i;
    }
    if (worst == 0) continue;
    const auto length = [&](std::size_t i) {
      return text::grouped(sweep.points()[curve.points[i]].at[0]);
    };
    all.push_back({"C-27", most <= kMostOfDoubling ? CheckState::passed : CheckState::failed,
                   text::message("check.doubled", {{"series", curve.label},
                                                   {"from", length(worst - 1)},
                                                   {"to", length(worst)},
                                                   {"times", text::decimal(most, 2)},
                                                   {"most", text::decimal(kMostOfDoubling, 0)}}),
                   text::message("check.why.doubled")});
  }
}

}  // namespace

std::vector<CheckResult> checks_of(const Sweep& sweep) {
  std::vector<CheckResult> all;
  const spec::Field axis = sweep.spec().axes[0].field;
  if (axis == spec::Field::T) {
    add_short_flash(sweep, all);
    add_doublings(sweep, all);
  }
  if (axis == spec::Field::B) add_batches(sweep, all);
  return all;
}

}  // namespace ts::sweep
