#include "views/memory/predicted_outline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ts::views {
namespace {

using memory::EventIndex;
using memory::EventSpan;
using memory::PhaseSpan;

EventIndex end_of(const PhaseSpan& span, const memory::AllocationLog& log) {
  return span.end_event == memory::kNone ? static_cast<EventIndex>(log.events().size())
                                         : span.end_event;
}

// Converts a path to dashes.
class DashedPen {
 public:
  DashedPen(DrawSink& sink, Color color, float thickness, float on, float off)
      : sink_(sink), color_(color), half_(thickness / 2), on_(on), period_(on + off) {}

  void go(Point from, Point to) {
    const float length = std::abs(to.x - from.x) + std::abs(to.y - from.y);
    const float dx = to.x > from.x ? 1.0F : to.x < from.x ? -1.0F : 0.0F;
    const float dy = to.y > from.y ? 1.0F : to.y < from.y ? -1.0F : 0.0F;
    float done = 0;
    while (done < length) {
      const bool down = phase_ < on_;
      const float part = std::min((down ? on_ : period_) - phase_, length - done);
      if (down) dash({from.x + dx * done, from.y + dy * done}, dx * part, dy * part);
      done += part;
      phase_ += part;
      if (phase_ >= period_) phase_ = 0;
    }
  }

 private:
  void dash(Point at, float dx, float dy) {
    const Rect line{std::min(at.x, at.x + dx), std::min(at.y, at.y + dy), std::max(at.x, at.x + dx),
                    std::max(at.y, at.y + dy)};
    // Pixels in a row at one level become one rectangle.
    const Rect rect{dx == 0 ? line.x0 - half_ : line.x0, dy == 0 ? line.y0 - half_ : line.y0,
                    dx == 0 ? line.x1 + half_ : line.x1, dy == 0 ? line.y1 + half_ : line.y1};
    sink_.fill(rect, color_);
  }

  DrawSink& sink_;
  Color color_;
  float half_;
  float on_;
  float period_;
  float phase_ = 0;
};

}  // namespace

void PhaseMatch::make(const memory::AllocationLog& measured, const memory::AllocationLog& predicted,
                      bool broken_off) {
  anchors_.clear();
  rest_ = {};
  std::map<std::pair<std::int32_t, base::Phase>, std::vector<EventSpan>> known;
  std::map<std::int32_t, EventIndex> end_of_step;
  for (const PhaseSpan& span : predicted.phases()) {
    const EventSpan found{span.first_event, end_of(span, predicted)};
    known[{span.step, span.phase}].push_back(found);
    end_of_step[span.step] = std::max(end_of_step[span.step], found.end);
  }
  const std::int32_t last_step = end_of_step.empty() ? -1 : end_of_step.rbegin()->first;
  std::map<std::pair<std::int32_t, base::Phase>, std::size_t> used;
  const auto refused = measured.out_of_memory();
  for (const PhaseSpan& span : measured.phases()) {
    const std::int32_t step = std::min(span.step, last_step);
    const auto found = known.find({step, span.phase});
    const std::size_t ordinal = used[{span.step, span.phase}]++;
    if (found == known.end() || ordinal >= found->second.size()) continue;
    const EventSpan expected = found->second[ordinal];
    const EventIndex length = expected.end - expected.first;
    const bool stopped = broken_off && &span == &measured.phases().back();
    EventIndex end = end_of(span, measured);
    // Events after a refusal are frees.
    if (stopped && refused && refused->event > span.first_event)
      end = std::min(end, refused->event);
    // A phase that is in progress or was cut short is matched as far as its events go.
    const bool open = span.end_event == memory::kNone;
    const EventIndex reached = open || stopped ? std::min(length, end - span.first_event) : length;
    const EventIndex came_to = expected.first + reached;
    anchors_.push_back({span.first_event, expected.first});
    // Buffers of threads that got no work shift what comes after them.
    if (!open && !stopped && length != end - span.first_event)
      add_equal(measured, {span.first_event, end}, predicted, expected);
    anchors_.push_back({end, came_to});
    if (stopped) rest_ = {end, came_to, std::max(end_of_step[step], came_to) - came_to};
  }
}

void PhaseMatch::add_equal(const memory::AllocationLog& measured, EventSpan of_measured,
                           const memory::AllocationLog& predicted, EventSpan of_predicted) {
  for (const memory::EqualEvents& one :
       memory::equal_events(predicted, of_predicted, measured, of_measured)) {
    if (one.measured > of_measured.first) anchors_.push_back({one.measured, one.predicted});
    const EventIndex end = one.measured + one.count;
    if (one.count > 0 && end < of_measured.end)
      anchors_.push_back({end, one.predicted + one.count});
  }
}

EventIndex PhaseMatch::predicted_of(EventIndex measured) const {
  if (anchors_.empty() || measured == memory::kNone) return memory::kNone;
  // Frees after the run stopped have no counterpart.
  if (rest_.measured != memory::kNone && measured >= rest_.measured) return memory::kNone;
  // Anchors count the events before; the event itself has also happened. An event at the border of
  // two phases belongs to the phase that ends.
  const EventIndex passed = measured + 1;
  const auto after = std::ranges::lower_bound(anchors_, passed, {}, &Anchor::measured);
  const auto minus_one = [](EventIndex count) { return count == 0 ? memory::kNone : count - 1; };
  if (after != anchors_.end() && after->measured == passed) return minus_one(after->predicted);
  if (after == anchors_.begin()) return memory::kNone;
  const Anchor& a = *(after - 1);
  if (after == anchors_.end() || after->predicted <= a.predicted) return minus_one(a.predicted);
  const double part =
      static_cast<double>(passed - a.measured) / static_cast<double>(after->measured - a.measured);
  const double events = part * static_cast<double>(after->predicted - a.predicted);
  return minus_one(a.predicted + static_cast<EventIndex>(std::llround(events)));
}

void PredictedOutline::clear() {
  *this = PredictedOutline();
}

void PredictedOutline::update(const memory::AllocationLog& measured,
                              const memory::AllocationLog& predicted, std::uint64_t id,
                              bool broken_off) {
  if (!made_ || id != id_) {
    totals_.clear();
    totals_.update(predicted.events());
  } else if (version_ == measured.version() && broken_off_ == broken_off) {
    return;
  }
  match_.make(measured, predicted, broken_off);
  const auto most_before = [&](EventIndex end) {
    return end == 0 ? 0 : totals_.over(predicted.events(), 0, end).most;
  };
  const EventIndex all = totals_.size();
  most_ = most_before(all);
  const PhaseMatch::Rest& rest = match_.rest();
  most_in_time_ =
      rest.measured == memory::kNone ? most_ : most_before(std::min(all, rest.predicted));
  broken_off_ = broken_off;
  id_ = id;
  version_ = measured.version();
  made_ = true;
}

std::int64_t PredictedOutline::most(memory::Axis kind) const {
  return kind == memory::Axis::time ? most_in_time_ : most_;
}

EventIndex PredictedOutline::predicted_at(const memory::AllocationLog& measured, memory::Axis kind,
                                          std::int64_t place) const {
  const PhaseMatch::Rest& rest = match_.rest();
  if (kind == memory::Axis::event && rest.measured != memory::kNone) {
    const std::int64_t past = place / kEventUnit - std::int64_t{rest.measured};
    if (past >= std::int64_t{rest.count}) return memory::kNone;
    if (past >= 0) return rest.predicted + static_cast<EventIndex>(past);
  }
  return match_.predicted_of(event_of_place(measured, kind, place));
}

void PredictedOutline::draw(DrawSink& sink, const memory::AllocationLog& measured,
                            const memory::AllocationLog& predicted, const MemoryAxis& axis,
                            const MemoryScale& scale, Color color, float thickness, float on,
                            float off) const {
  if (!made_ || measured.events().empty() || predicted.events().empty()) return;
  DashedPen pen(sink, color, thickness, on, off);
  const std::int32_t columns = axis.axis.pixels();
  bool drawing = false;
  Point at;
  EventIndex before = memory::kNone;
  for (std::int32_t column = 0; column < columns; ++column) {
    const float x = axis.axis.x0 + static_cast<float>(column);
    const EventIndex now = predicted_at(measured, axis.kind, axis.axis.time_at(x + 1));
    if (now == memory::kNone) {
      if (drawing) pen.go(at, {x, at.y});
      drawing = false;
      before = now;
      continue;
    }
    // The largest value since the last pixel. Else a spike between two pixels would be lost.
    const EventIndex from = before == memory::kNone || before >= now ? now : before + 1;
    before = now;
    const EventIndex first = std::min(from, totals_.size() - 1);
    const EventIndex end = std::min(now + 1, totals_.size());
    const std::int64_t most = totals_.over(predicted.events(), first, end).most;
    const Point next{x, std::clamp(scale.y_of(most), scale.plot.y0, scale.plot.y1)};
    if (drawing && next.y == at.y) continue;
    if (drawing) {
      pen.go(at, {next.x, at.y});
      pen.go({next.x, at.y}, next);
    }
    at = next;
    drawing = true;
  }
  if (drawing) pen.go(at, {axis.axis.x1, at.y});
}

}  // namespace ts::views
