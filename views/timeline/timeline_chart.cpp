#include "views/timeline/timeline_chart.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/files/opened_trace.h"
#include "core/text/numbers.h"
#include "views/charts/run_time.h"

namespace ts::views {
namespace {

constexpr double kFitMargin = 0.08;
constexpr float kLowPanel = 110;  // pixels at scale 1: five rows

// The slice of a lane that covers a time, else the last one before it, else the first.
std::optional<trace::SliceRef> nearest_in_lane(const trace::TraceStore& store, trace::TrackId track,
                                               std::uint16_t depth, std::int64_t time_ns) {
  const std::uint32_t count = store.lane_size(track, depth);
  if (count == 0) return std::nullopt;
  std::uint32_t low = 0;
  std::uint32_t high = count;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    trace::SliceRef ref{track, depth, middle};
    (store.slice(ref).begin_ns <= time_ns ? low : high) = middle;
  }
  return trace::SliceRef{track, depth, low};
}

}  // namespace

void TimelineChart::lay_out(const DrawSink& sink, const Rect& area, ViewContext& context) {
  follow_run(context);
  lanes_.new_frame();
  const bool has_memory = !has_run_ || may_have_memory(*context.run);
  regions_ = lay_out_timeline(area, context.metrics, legend_row_, has_memory);
  bounds_ = has_run_ ? context.run->range() : base::TimeRange{};
  for (const CounterStrip& strip : strips_)
    bounds_.end = std::max(bounds_.end, strip.points.back().time_ns + 1);
  gestures_.advance(context.state, bounds_, context.now_ns);
  make_axis(context);
  if (has_run_) {
    lay_out_rows(context);
    follow_queues(*context.run);
    minimap_.update(context.run->trace, bounds_, static_cast<std::int32_t>(regions_.map.width()),
                    context.now_ns);
    search_.update(context.run->trace, context.strings, context.state.search, context.now_ns);
  }
  lay_out_title(sink, context);
}

void TimelineChart::lay_out_rows(const ViewContext& context) {
  const trace::TraceStore& store = context.run->trace;
  // On a low panel threads start folded, so that every track is visible.
  const float height = regions_.plot.height() + regions_.legend.height();
  const bool low = height < context.metrics.px(kLowPanel);
  std::set<trace::TrackId> collapsed;
  const auto tracks = store.tracks();
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const auto id = static_cast<trace::TrackId>(t);
    const auto chosen = folded_.find(id);
    const bool by_default = low && tracks[t].kind != trace::TrackKind::phases;
    if (chosen != folded_.end() ? chosen->second : by_default) collapsed.insert(id);
  }
  rows_ = lay_out_tracks(store, collapsed, context.metrics, strips_.size());
  give_room_to_counter(regions_, rows_.height, context.metrics);
}

// Runs only after recording, because it reads all slices of the streams.
void TimelineChart::follow_queues(const run::Run& run) {
  const std::uint64_t slices = run.trace.slice_count();
  if (slices == queue_slices_ || (!run.finished && run.stage <= run::Stage::recording)) return;
  queue_slices_ = slices;
  queues_.clear();
  const auto tracks = run.trace.tracks();
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    if (tracks[t].kind != trace::TrackKind::gpu_idle) continue;
    Queue& queue = queues_[static_cast<trace::TrackId>(t)];
    queue.points = stats::queue_depth(run.trace, tracks[t].device);
    for (const stats::QueuePoint& point : queue.points)
      queue.most = std::max(queue.most, point.depth);
  }
}

// For another run: slice references into the old store are no longer valid.
void TimelineChart::follow_run(const ViewContext& context) {
  const bool has_run = context.run != nullptr;
  if (has_run == has_run_ && (!has_run || context.run->id == run_id_)) return;
  // State set before the first run arrived is meant for that run.
  if (has_run_ && !(has_run && context.state.of == context.run->id)) {
    ViewState& state = context.state;
    state.visible = {};
    state.marked.reset();
    state.selected_slice.reset();
    state.hovered_slice.reset();
  }
  has_run_ = has_run;
  run_id_ = has_run ? context.run->id : 0;
  rows_ = {};
  hover_.reset();
  lanes_.clear();
  minimap_.clear();
  totals_.clear();
  search_.clear();
  queues_.clear();
  queue_slices_ = 0;
  strips_.clear();
  if (context.trace != nullptr)
    strips_ = counter_strips(context.trace->counters, *context.trace->about.strings);
  gestures_ = {};
  folded_.clear();
  marked_seen_.reset();
}

void TimelineChart::make_axis(const ViewContext& context) {
  const base::TimeRange all = bounds_.empty() ? base::TimeRange{0, 1'000'000} : bounds_;
  const base::TimeRange wanted = context.state.visible;
  axis_.range = wanted.empty() ? all : clamped(wanted, all);
  axis_.x0 = regions_.plot.x0;
  axis_.x1 = regions_.plot.x1;
  lanes_.look_at(axis_.range, axis_.pixels());
  ticks_ = time_ticks(axis_.range, all.begin, axis_.x1 - axis_.x0, context.metrics.px(84));
}

void TimelineChart::update(const ChartInput& input, ViewContext& context) {
  mouse_ = input.mouse;
  mouse_over_ = input.hovered;
  if (!has_run_ || bounds_.empty()) return;
  totals_.update(context.run->memory.events());
  const TimelineGestures::Scene scene{.regions = regions_,
                                      .axis = axis_,
                                      .bounds = bounds_,
                                      .scroll_most = rows_.height - regions_.plot.height(),
                                      .scale = context.metrics.scale};
  find_hover(input, context);
  const TimelineGestures::Asked asked = gestures_.apply(input, scene, context.state);
  answer(asked, input, context);
  if (input.step_x != 0 || input.step_y != 0)
    step_selection(input.step_x, input.step_x != 0 ? 0 : input.step_y, context);
  make_axis(context);
  find_hover(input, context);
  const bool over = input.hovered && regions_.body().contains(input.mouse);
  if (over) context.state.cursor_ns = axis_.time_at(input.mouse.x);
}

void TimelineChart::find_hover(const ChartInput& input, ViewContext& context) {
  hover_.reset();
  if (input.hovered && regions_.plot.contains(input.mouse) && !gestures_.dragging()) {
    const float y = input.mouse.y - regions_.plot.y0 + gestures_.scroll();
    // From the deepest row up: in a collapsed track the deepest is on top.
    for (auto row = rows_.rows.rbegin(); row != rows_.rows.rend(); ++row) {
      if (y < row->y || y >= row->y + row->height) continue;
      const auto slices = lanes_.visible(context.run->trace, row->track, row->depth);
      place_boxes(slices, axis_, {axis_.x0, 0, axis_.x1, row->height}, 1, boxes_);
      const SliceBox* box = box_at(boxes_, input.mouse.x, context.metrics.px(1.5F));
      if (box == nullptr) continue;
      const float top = regions_.plot.y0 + row->y - gestures_.scroll();
      hover_ = Hover{box->slice, {box->rect.x0, top, box->rect.x1, top + row->height}};
      break;
    }
  }
  if (input.hovered) {
    context.state.hovered_slice.reset();
    if (hover_) context.state.hovered_slice = hover_->box.ref;
  }
}

void TimelineChart::answer(const TimelineGestures::Asked& asked, const ChartInput& input,
                           ViewContext& context) {
  ViewState& state = context.state;
  if (asked.click) {
    state.selected_slice.reset();
    state.selected_block.reset();
    if (hover_) state.selected_slice = hover_->box.ref;
  }
  if (asked.double_click && hover_) {
    const base::TimeRange range{hover_->box.begin_ns, hover_->box.end_ns};
    gestures_.go_to(with_margin(range, kFitMargin, bounds_), bounds_, state, input.now_ns);
  }
  if (asked.label_click) {
    if (const auto track = track_at(input.mouse)) fold(*track);
  }
  if (asked.fit) fit(context);
  if (asked.mark) mark(context);
  if (asked.clear) {
    // Clears one thing at a time, the most visible first.
    if (state.selected_slice || state.selected_block) {
      state.selected_slice.reset();
      state.selected_block.reset();
    } else if (state.marked) {
      state.marked.reset();
    } else {
      state.search.clear();
    }
  }
}

std::optional<trace::TrackId> TimelineChart::track_at(Point place) const {
  const Rect all{regions_.labels.x0, regions_.plot.y0, regions_.plot.x1, regions_.plot.y1};
  if (!has_run_ || !all.contains(place)) return std::nullopt;
  const TrackBand* const band = rows_.band_at(place.y - regions_.plot.y0 + gestures_.scroll());
  return band != nullptr ? std::optional(band->track) : std::nullopt;
}

void TimelineChart::fold(trace::TrackId track) {
  for (const TrackBand& band : rows_.bands) {
    if (band.track == track && band.depths > 1) folded_[track] = !band.collapsed;
  }
}

// Fits the selection. If that is already in view, or without a selection, fits everything.
void TimelineChart::fit(ViewContext& context) {
  base::TimeRange target = bounds_;
  const auto& selected = context.state.selected_slice;
  if (selected && holds(context.run->trace, *selected)) {
    const trace::Slice slice = context.run->trace.slice(*selected);
    const base::TimeRange close =
        with_margin({slice.begin_ns, slice.end_ns()}, kFitMargin, bounds_);
    if (close != axis_.range) target = close;
  }
  gestures_.go_to(target, bounds_, context.state, context.now_ns);
}

// Marks the selection, else the visible range. Again: removes the mark.
void TimelineChart::mark(ViewContext& context) {
  base::TimeRange range = axis_.range;
  const auto& selected = context.state.selected_slice;
  if (selected && holds(context.run->trace, *selected)) {
    const trace::Slice slice = context.run->trace.slice(*selected);
    range = {slice.begin_ns, std::max(slice.end_ns(), slice.begin_ns + 1)};
  }
  if (context.state.marked == range) {
    context.state.marked.reset();
  } else {
    context.state.marked = range;
  }
}

void TimelineChart::step_search(int by, ViewContext& context) {
  if (!has_run_) return;
  const auto hit = search_.step(context.run->trace, by, axis_.range.begin);
  if (!hit) return;
  context.state.selected_slice = hit;
  show_slice(*hit, context);
}

void TimelineChart::step_selection(int along, int down, ViewContext& context) {
  const trace::TraceStore& store = context.run->trace;
  std::optional<trace::SliceRef>& selected = context.state.selected_slice;
  std::optional<trace::SliceRef> found;
  const TrackRow* const row = selected && holds(store, *selected)
                                  ? rows_.row_of(selected->track, selected->depth)
                                  : nullptr;
  if (row == nullptr) {
    for (const TrackRow& one : rows_.rows) {
      found = nearest_in_lane(store, one.track, one.depth, axis_.range.begin);
      if (found) break;
    }
  } else if (along != 0) {
    const std::int64_t index = static_cast<std::int64_t>(selected->index) + along;
    if (index < 0 || index >= store.lane_size(row->track, row->depth)) return;
    found = *selected;
    found->index = static_cast<std::uint32_t>(index);
  } else {
    const trace::Slice slice = store.slice(*selected);
    auto at = row - rows_.rows.data() + down;
    while (!found && at >= 0 && at < static_cast<std::ptrdiff_t>(rows_.rows.size())) {
      const TrackRow& one = rows_.rows[static_cast<std::size_t>(at)];
      found = nearest_in_lane(store, one.track, one.depth, slice.begin_ns + slice.duration_ns / 2);
      at += down;
    }
  }
  if (!found) return;
  selected = found;
  context.state.selected_block.reset();
  show_slice(*found, context);
}

// Moves to the slice if it is out of sight or too small to see.
void TimelineChart::show_slice(trace::SliceRef ref, ViewContext& context) {
  const trace::Slice slice = context.run->trace.slice(ref);
  const bool in_view = slice.begin_ns >= axis_.range.begin && slice.end_ns() <= axis_.range.end;
  const bool readable = static_cast<double>(slice.duration_ns) / axis_.ns_per_pixel() >= 8;
  if (!in_view || !readable) {
    const std::int64_t margin = std::max<std::int64_t>(slice.duration_ns * 4, 2000);
    const base::TimeRange around{slice.begin_ns - margin, slice.end_ns() + margin};
    gestures_.go_to(clamped(around, bounds_), bounds_, context.state, context.now_ns);
  }
  if (const TrackRow* row = rows_.row_of(ref.track, ref.depth)) {
    const float height = regions_.plot.height();
    if (row->y < gestures_.scroll() || row->y + row->height > gestures_.scroll() + height)
      gestures_.set_scroll(row->y - height / 2);
  }
}

std::optional<Rect> TimelineChart::rect_of(const ViewContext& context, trace::SliceRef ref) const {
  const trace::TraceStore& store = context.run->trace;
  if (!holds(store, ref)) return std::nullopt;
  const TrackRow* row = rows_.row_of(ref.track, ref.depth);
  if (row == nullptr) return std::nullopt;
  const trace::Slice slice = store.slice(ref);
  const float x0 = std::round(axis_.x_of(slice.begin_ns));
  const float x1 = std::max(std::round(axis_.x_of(slice.end_ns())), x0 + 3);
  const float y0 = regions_.plot.y0 + row->y - gestures_.scroll();
  return Rect{x0, y0, x1, y0 + row->height};
}

Rect TimelineChart::item(Item item) const {
  return item < title_.items.size() ? title_.items[item] : Rect{};
}

}  // namespace ts::views
