#include "views/memory/memory_chart.h"

#include <array>
#include <cmath>

#include "core/files/opened_file.h"
#include "core/text/numbers.h"
#include "views/charts/labels.h"
#include "views/charts/run_time.h"
#include "views/common/spec_text.h"
#include "views/memory/detail_slider.h"
#include "views/memory/memory_draw_context.h"
#include "views/memory/segments.h"
#include "views/memory/step_parts.h"

namespace ts::views {
namespace {

constexpr double kFitMargin = 0.08;
constexpr double kByteMargin = 1.5;  // on each side of a block, of its size
constexpr float kHead = 52;          // pixels over the peak for its plate and the capacity's name

constexpr std::array<memory::Category, memory::kCategoryCount> kLegendOrder{
    memory::Category::parameter,  memory::Category::optimizer_state, memory::Category::gradient,
    memory::Category::activation, memory::Category::temporary,       memory::Category::input,
    memory::Category::unknown};
// For a legend name that stays longest: it explains a colour of the bands.
constexpr std::int64_t kLegendStays = std::int64_t{1} << 62;

// The field at x; with the keyboard, which has no place, the next one.
BlockColors chosen_colors(const std::vector<Rect>& fields, float x, BlockColors now) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (x >= fields[i].x0 && x < fields[i].x1) return static_cast<BlockColors>(i);
  }
  return static_cast<BlockColors>((static_cast<std::size_t>(now) + 1) % 3);
}

}  // namespace

void MemoryChart::lay_out(const DrawSink& sink, const Rect& area, ViewContext& context) {
  follow_source(context);
  regions_ = lay_out_memory(area, context.metrics, legend_row_,
                            source_.kind == MemorySource::Kind::opened);
  if (has_log_) totals_.update(source_.log->events());
  if (has_log_ && regions_.has_map()) map_.update(*source_.log, totals_, map_axis(context));
  if (has_log_) present_.update(*source_.log, axis_kind(context));
  if (has_log_ && compares(context)) {
    const run::Run* run = context.run;
    const bool broken_off = run != nullptr && run->finished && run->verdict != run::Verdict::ok;
    outline_.update(*source_.log, context.forecast->run.log, context.forecast->id, broken_off);
  } else {
    outline_.clear();
  }
  if (own_kind_ != axis_kind(context)) {
    own_kind_ = axis_kind(context);
    own_ = {};
    transition_.stop();
  }
  if (byte_transition_.running()) show_bytes(byte_transition_.at(context.now_ns));
  if (transition_.running()) show(transition_.at(context.now_ns), context);
  make_axis(context);
  make_scale(context);
  lay_out_title(sink, context);
}

void MemoryChart::follow_source(ViewContext& context) {
  const MemorySource before = source_;
  source_ = memory_source(context);
  clocked_ = has_clock(context, source_);
  const bool has_log = source_.log != nullptr;
  if (has_log == has_log_ &&
      (!has_log || (source_.id == before.id && source_.kind == before.kind))) {
    return;
  }
  // State set before the first run arrived is meant for that run. A prediction has blocks of its
  // own.
  const auto predicted = MemorySource::Kind::predicted;
  const bool same =
      context.state.of == source_.id && source_.kind != predicted && before.kind != predicted;
  if (has_log_ && !same) {
    context.state.selected_block.reset();
    context.state.hovered_block.reset();
  }
  has_log_ = has_log;
  own_ = {};
  own_bytes_ = {};
  byte_transition_.stop();
  totals_.clear();
  map_.clear();
  outline_.clear();
  stack_.clear();
  facts_.clear();
  present_ = {};
  gestures_ = {};
  transition_.stop();
  hover_.reset();
  listed_ = memory::kNone;
}

memory::Axis MemoryChart::axis_kind(const ViewContext& context) const {
  if (!clocked_) return memory::Axis::event;
  return context.live ? context.state.live_axis : context.state.memory_axis;
}

// The timeline shows the run, or a trace with its memory. Other sources do not use its clock.
bool MemoryChart::linkable(const ViewContext& context) const {
  const bool of_trace = source_.kind == MemorySource::Kind::opened && context.trace != nullptr;
  return source_.kind == MemorySource::Kind::measured || of_trace;
}

bool MemoryChart::linked(const ViewContext& context) const {
  return context.state.link_axes && linkable(context);
}

// The shared cursor, if it is at a time of this source.
std::optional<std::int64_t> MemoryChart::cursor(const ViewContext& context) const {
  const auto& at = context.state.cursor_ns;
  return at && *at >= source_.range.begin && *at < source_.range.end ? at : std::nullopt;
}

std::string MemoryChart::moment_text(const text::Texts& texts, std::int64_t time_ns) const {
  if (clocked_)
    return text::duration_ns(static_cast<double>(time_ns - source_.range.begin)).joined();
  const memory::EventIndex event = source_.log->event_at(time_ns);
  // Numbers start at 0, as on the axis.
  const std::int64_t number = event == memory::kNone ? 0 : source_.number_of(event);
  return texts("memory.event_number", {{"number", text::grouped(number)}});
}

base::TimeRange MemoryChart::bounds(const ViewContext& context) const {
  if (!has_log_) return {};
  const memory::AllocationLog& log = *source_.log;
  const memory::Axis kind = axis_kind(context);
  // On a linked time axis, the timeline determines the full range.
  if (linked(context) && kind == memory::Axis::time && !log.events().empty()) {
    const base::TimeRange all = source_.range;
    return {place_of_time(log, kind, all.begin), place_of_time(log, kind, all.end)};
  }
  base::TimeRange all = all_places(log, kind);
  // Blocks that lived before a recording have no order: the axis begins where all are there.
  if (kind == memory::Axis::event && source_.kind == MemorySource::Kind::opened &&
      context.file_device != nullptr && context.file_device->blocks_before > 0) {
    const std::int64_t before = (context.file_device->blocks_before - 1) * kEventUnit;
    all.begin = std::clamp(before, all.begin, std::max(all.begin, all.end - kEventUnit));
  }
  const PhaseMatch::Rest& rest = outline_.rest();
  if (kind == memory::Axis::event && rest.count > 0 && !all.empty()) {
    const std::int64_t end = (std::int64_t{rest.measured} + std::int64_t{rest.count}) * kEventUnit;
    all.end = std::max(all.end, end);
  }
  return all;
}

MemoryAxis MemoryChart::map_axis(const ViewContext& context) const {
  return {axis_kind(context), {bounds(context), regions_.map.x0, regions_.map.x1}};
}

float MemoryChart::end_of_log() const {
  const float x = axis_.axis.x_of(all_places(*source_.log, axis_.kind).end);
  return std::clamp(x, regions_.plot.x0, regions_.plot.x1);
}

void MemoryChart::make_axis(const ViewContext& context) {
  axis_.kind = axis_kind(context);
  axis_.axis.x0 = regions_.plot.x0;
  axis_.axis.x1 = regions_.plot.x1;
  const base::TimeRange all = bounds(context);
  axis_.axis.range = all.empty() ? base::TimeRange{0, 1'000'000} : all;
  if (all.empty()) return;
  base::TimeRange wanted = own_;
  const base::TimeRange& visible = context.state.visible;
  if (linked(context)) {
    wanted = {};
    const memory::AllocationLog& log = *source_.log;
    if (!visible.empty())
      wanted = {place_of_time(log, axis_.kind, visible.begin),
                place_of_time(log, axis_.kind, visible.end)};
    // A range between two events is empty on the event axis.
    if (!visible.empty() && wanted.empty()) wanted.end = wanted.begin + 1;
  }
  if (!wanted.empty()) axis_.axis.range = clamped(wanted, all);
}

void MemoryChart::make_scale(const ViewContext& context) {
  std::int64_t most = 0;
  if (has_log_ && totals_.size() > 0) {
    const memory::AllocationLog& log = *source_.log;
    const auto first = event_of_place(log, axis_.kind, axis_.axis.range.begin);
    const auto last = event_of_place(log, axis_.kind, axis_.axis.range.end);
    if (last != memory::kNone) {
      const std::uint32_t from = first == memory::kNone ? 0 : first;
      most = totals_.over(log.events(), from, std::min(last + 1, totals_.size())).most;
    }
    layers_ = {};
    // The segments of a file of our own are a model's: they say nothing of a course over time.
    const bool of_file = source_.kind == MemorySource::Kind::opened && context.file != nullptr &&
                         !has_modelled_segments(context.file->file.snapshot);
    const bool of_run = source_.kind == MemorySource::Kind::measured && context.file == nullptr;
    if (context.run != nullptr && (of_file || of_run)) {
      layers_ = device_layers(*context.run);
      most = std::max(most, log.peak_reserved());
      // Except if others use so much of the device that our part would be hardly visible.
      std::int64_t used = 0;
      for (const memory::Reserved& point : layers_.used) used = std::max(used, point.bytes);
      if (used <= 3 * std::max<std::int64_t>(most, 1)) most = std::max(most, used);
    }
    if (compares(context)) most = std::max(most, outline_.most(axis_.kind));
    if (const predict::Forecast* target = chained(context)) {
      // If that leaves most of the height to the tensors.
      const std::int64_t reserved = target->prediction.chain.reserved();
      if (reserved <= most + most / 2) most = std::max(most, reserved);
    }
    if (const auto refused = refusal(context)) {
      // The refused block is drawn too, unless it would be much larger than everything else.
      const std::int64_t wanted = refused->top();
      if (wanted <= 3 * std::max<std::int64_t>(most, 1)) most = std::max(most, wanted);
    }
  }
  const float head = std::min(context.metrics.px(kHead), regions_.plot.height() * 0.4F);
  capacity_ = context.target_bytes;
  scale_ = choose_scale(regions_.plot, most, context.target_bytes, head);
  byte_bounds_ = {0, std::max(scale_.top, own_bytes_.end)};
  if (!own_bytes_.empty()) scale_ = zoomed_scale(scale_, own_bytes_, context.target_bytes);
  const std::string size = text::bytes(context.target_bytes).joined();
  capacity_name_ = context.target_name.empty() ? size : context.target_name + "   " + size;
  y_ticks_ = byte_ticks(scale_.bottom, scale_.top, scale_.plot.height(), context.metrics.px(28));
}

void MemoryChart::lay_out_title(const DrawSink& sink, const ViewContext& context) {
  legend_.clear();
  const bool whole = source_.kind == MemorySource::Kind::opened && !source_.growing;
  for (const memory::Category category : kLegendOrder) {
    if (context.state.block_colors != BlockColors::category || !names_categories()) break;
    // A category with nothing at the peak may have memory elsewhere, as gradients do. One without
    // any is left out before it. In a log that may still grow it has its room: the chart does not
    // move when it comes.
    const std::int64_t share = present_.share(category);
    if (share == 0 && whole) continue;
    const std::int64_t least = category == memory::Category::unknown ? 0 : 1;
    legend_.push_back({context.texts(category_key(category)),
                       context.theme.category[static_cast<std::size_t>(category)],
                       category_border(context.theme, category), std::max(least, share)});
  }
  if (has_log_ && !source_.log->recomputations().empty()) {
    legend_.push_back(
        {context.texts("memory.recompute"), recompute_color(context.theme), 0, kLegendStays});
  }
  const Metrics& metrics = context.metrics;
  const text::Texts& texts = context.texts;
  std::array<TitleItem, kItemCount> items;
  const std::string detail = detail_text(context, has_log_ ? source_.log->blocks().size() : 0);
  const std::vector<std::string> colors = color_text(texts);
  const std::vector<std::string> axes = axis_text(texts);
  items[kDetail] = {sink.text_width(TextStyle::small, detail) + metrics.px(10 + 72), -1};
  items[kColor] = {segments_width(sink, metrics, colors), 1};
  items[kAxis] = {segments_width(sink, metrics, axes), 4};
  // A snapshot has no timeline to link to.
  if (source_.kind != MemorySource::Kind::opened || linkable(context))
    items[kLink] = {sink.text_width(TextStyle::small, texts("memory.link_axes")) + metrics.px(24),
                    3};
  title_ = lay_out_title_row(sink, regions_.title, metrics, texts("memory.title"),
                             subtitle(context), legend_, LegendSide::left, items);
  legend_row_ = lacks_legend(title_, legend_) || title_.items[kDetail].width() <= 0;
  if (regions_.has_legend()) {
    title_ = lay_out_title_row(sink, regions_.title, metrics, texts("memory.title"),
                               subtitle(context), {}, LegendSide::left, items);
    lay_out_second_row(sink, metrics, items[kDetail].width);
  }
  color_fields_ = lay_out_segments(sink, metrics, title_.items[kColor], colors);
}

// The legend, and the slider where the title row has no room for it: the legend is shortened first.
void MemoryChart::lay_out_second_row(const DrawSink& sink, const Metrics& metrics, float slider) {
  constexpr float kLeastLegend = 260;  // what fills the picture keeps its name
  Rect room = regions_.legend;
  if (title_.items[kDetail].width() <= 0 && room.width() - slider >= metrics.px(kLeastLegend)) {
    title_.items[kDetail] = {room.x1 - slider, room.y0, room.x1, room.y1};
    room.x1 -= slider + metrics.px(14);
  }
  lay_out_legend_row(sink, room, metrics, legend_, title_);
}

// By whose rules a prediction is. That of this machine has the card's memory at most, and its name.
std::string MemoryChart::predicted_text(const ViewContext& context) {
  const predict::PredictionTarget& target = context.forecast->target;
  const bool ended = ended_before_memory(context);
  if (!ended && target.kind == spec::DeviceKind::cpu) return context.texts("memory.predicted_here");
  return context.texts(ended ? "memory.predicted_ended" : "memory.predicted_for",
                       {{"target", limit_text(context.texts, target.name)}});
}

// Says if the content was not measured, or explains the dashes.
std::string MemoryChart::subtitle(const ViewContext& context) const {
  if (source_.kind == MemorySource::Kind::predicted && context.forecast != nullptr)
    return predicted_text(context);
  std::string words;
  const auto add = [&](const char* key) {
    if (key == nullptr) return;
    const std::string next = context.texts(key);
    words =
        words.empty() ? next : context.texts("memory.notes", {{"first", words}, {"second", next}});
  };
  if (has_log_ && !source_.growing && !names_categories())  // a script names them as it goes on
    return context.texts("memory.no_categories");
  if (source_.guessed_share && context.state.block_colors == BlockColors::category) {
    const auto percent = static_cast<std::int64_t>(std::floor(*source_.guessed_share * 100));
    return context.texts("memory.guessed", {{"share", text::grouped(percent)}});
  }
  if (source_.kind == MemorySource::Kind::measured) add(partial_key(context));
  if (compares(context)) add("memory.dashes_predicted");
  return words;
}

Rect MemoryChart::item(Item item) const {
  return item < title_.items.size() ? title_.items[item] : Rect{};
}

void MemoryChart::use(Item item, float x, ViewContext& context) {
  ViewState& state = context.state;
  switch (item) {
    case kDetail: {
      const Rect track = slider_track(context.metrics, title_.items[kDetail]);
      state.detail = detail_at((x - track.x0) / std::max(track.width(), 1.0F));
      break;
    }
    case kColor:
      state.block_colors = chosen_colors(color_fields_, x, state.block_colors);
      break;
    case kAxis: {
      memory::Axis& axis = context.live ? state.live_axis : state.memory_axis;
      axis = axis == memory::Axis::time ? memory::Axis::event : memory::Axis::time;
      break;
    }
    case kLink:
      // After unlinking it keeps its range, so that nothing jumps.
      own_ = linked(context) && !state.visible.empty() ? axis_.axis.range : base::TimeRange{};
      state.link_axes = !state.link_axes;
      break;
    case kItemCount:
      break;
  }
}

void MemoryChart::show(base::TimeRange places, ViewContext& context) {
  const base::TimeRange all = bounds(context);
  if (all.empty()) return;
  const base::TimeRange inside = clamped(places, all);
  if (!linked(context)) {
    own_ = inside == all ? base::TimeRange{} : inside;
    return;
  }
  if (inside == all) {
    context.state.visible = {};
    return;
  }
  const memory::AllocationLog& log = *source_.log;
  const base::TimeRange times{time_of_place(log, axis_.kind, inside.begin),
                              time_of_place(log, axis_.kind, inside.end)};
  context.state.visible = clamped(times, source_.range);
}

void MemoryChart::show_bytes(base::TimeRange bytes) {
  const base::TimeRange inside = clamped(bytes, byte_bounds_);
  own_bytes_ = inside == byte_bounds_ ? base::TimeRange{} : inside;
}

std::optional<base::TimeRange> MemoryChart::bytes_of(memory::BlockIndex block) const {
  const auto tracked = stack_.bytes_of_tracked(*source_.log, block);
  if (tracked) return tracked;
  if (hover_ && hover_->block == block) return base::TimeRange{hover_->bottom, hover_->top};
  return std::nullopt;
}

void MemoryChart::update(const ChartInput& input, ViewContext& context) {
  mouse_ = input.mouse;
  mouse_over_ = input.hovered;
  if (!has_log_ || totals_.size() == 0) return;
  const MemoryGestures::Scene scene{.plot = regions_.plot,
                                    .axis = axis_.axis,
                                    .map = map_axis(context).axis,
                                    .map_area = regions_.map,
                                    .bounds = bounds(context),
                                    .bytes = bytes_in_view(),
                                    .byte_bounds = byte_bounds_,
                                    .scale = context.metrics.scale};
  const MemoryGestures::Asked asked = gestures_.apply(input, scene);
  answer(asked, input, context);
  if (const int by = input.step_x != 0 ? input.step_x : input.step_y; by != 0)
    step_selection(by, context);
  make_axis(context);
  make_scale(context);

  const memory::AllocationLog& log = *source_.log;
  const StackSettings look{context.theme.kind, context.state.block_colors, context.state.detail,
                           context.metrics.scale};
  const memory::BlockIndex tracked = context.state.selected_block.value_or(memory::kNone);
  if (context.file == nullptr || context.file_device == nullptr) {
    hits_.clear();
  } else {
    hits_.update(context.file_device->run.id, files::blocks_of(*context.file, *context.file_device),
                 context.state.search, context.state.picks);
  }
  stack_.update({.source = source_,
                 .strings = context.strings,
                 .axis = axis_,
                 .scale = scale_,
                 .look = look,
                 .tracked = tracked,
                 .now_ns = context.now_ns,
                 .at_once = context.picture,
                 .hits = hits_.marks()});
  hover_.reset();
  if (input.hovered) {
    if (!gestures_.dragging()) hover_ = stack_.hit(log, axis_, scale_, input.mouse);
    context.state.hovered_block.reset();
    if (hover_) context.state.hovered_block = hover_->block;
    if (listed_ != memory::kNone) context.state.hovered_block = listed_;
    if (regions_.plot.contains(input.mouse))
      context.state.cursor_ns = time_of_place(log, axis_.kind, axis_.axis.time_at(input.mouse.x));
  }
}

void MemoryChart::answer(const MemoryGestures::Asked& asked, const ChartInput& input,
                         ViewContext& context) {
  if (asked.show) {
    transition_.stop();
    show(*asked.show, context);
  }
  if (asked.show_bytes) {
    byte_transition_.stop();
    show_bytes(*asked.show_bytes);
  }
  const auto go_to_bytes = [&](base::TimeRange bytes) {
    byte_transition_.start(bytes_in_view(), bytes, input.now_ns);
  };
  if (asked.go_to_bytes) go_to_bytes(*asked.go_to_bytes);
  if (asked.go_to) transition_.start(axis_.axis.range, *asked.go_to, input.now_ns);
  const memory::AllocationLog& log = *source_.log;
  const bool in_list = input.left_pressed && input.hovered && listed_ != memory::kNone;
  if (in_list) select(listed_, context);
  if (asked.click) {
    if (hover_) {
      select(hover_->block, context);
    } else {
      context.state.selected_block.reset();
      context.state.picks.clear();
    }
  }
  const auto life = [&](memory::BlockIndex index) -> base::TimeRange {
    const memory::Block& block = log.blocks()[index];
    const std::int64_t begin = place_of_event(log, axis_.kind, block.alloc_event);
    const std::int64_t end = block.free_event == memory::kNone
                                 ? all_places(log, axis_.kind).end
                                 : place_of_event(log, axis_.kind, block.free_event);
    return {begin, std::max(end, begin + 1)};
  };
  const auto go_to_bytes_of = [&](memory::BlockIndex block) {
    if (const auto bytes = bytes_of(block))
      go_to_bytes(with_margin(*bytes, kByteMargin, byte_bounds_));
  };
  if (asked.double_click && hover_) {
    transition_.start(axis_.axis.range,
                      with_margin(life(hover_->block), kFitMargin, bounds(context)), input.now_ns);
    go_to_bytes_of(hover_->block);
  }
  if (asked.fit) {
    base::TimeRange target = bounds(context);
    const auto& selected = context.state.selected_block;
    if (selected && *selected < log.blocks().size()) {
      const base::TimeRange close = with_margin(life(*selected), kFitMargin, target);
      if (close != axis_.axis.range) target = close;
    }
    if (target == bounds(context)) {
      go_to_bytes(byte_bounds_);
    } else {
      go_to_bytes_of(*selected);
    }
    transition_.start(axis_.axis.range, target, input.now_ns);
  }
  if (asked.mark) {
    base::TimeRange places = axis_.axis.range;
    const auto& selected = context.state.selected_block;
    if (selected && *selected < log.blocks().size()) places = life(*selected);
    const base::TimeRange times{time_of_place(log, axis_.kind, places.begin),
                                time_of_place(log, axis_.kind, places.end)};
    if (context.state.marked == times) {
      context.state.marked.reset();
    } else if (!times.empty()) {
      context.state.marked = times;
    }
  }
  if (asked.clear) {
    context.state.picks.clear();
    if (context.state.selected_block) {
      context.state.selected_block.reset();
    } else {
      context.state.marked.reset();
    }
  }
}

// Selects the block, and in the timeline the operator that allocated it.
void MemoryChart::select(memory::BlockIndex block, ViewContext& context) {
  const memory::AllocationLog& log = *source_.log;
  if (block >= log.blocks().size()) return;
  const memory::Block& life = log.blocks()[block];
  context.state.selected_block = block;
  const std::int64_t time = log.events()[life.alloc_event].time_ns;
  context.state.cursor_ns = time;
  if (source_.kind == MemorySource::Kind::measured && context.run != nullptr)
    context.state.selected_slice = slice_of_allocation(*context.run, time, life.op);
}

void MemoryChart::step_selection(int by, ViewContext& context) {
  const memory::AllocationLog& log = *source_.log;
  if (log.blocks().empty()) return;
  const auto& selected = context.state.selected_block;
  const auto last = static_cast<std::int64_t>(log.blocks().size()) - 1;
  const std::int64_t now = selected ? static_cast<std::int64_t>(*selected) : -1;
  const std::int64_t next = selected ? now + by : 0;
  if (next < 0 || next > last) return;
  const auto block = static_cast<memory::BlockIndex>(next);
  select(block, context);
  const std::int64_t born = place_of_event(log, axis_.kind, log.blocks()[block].alloc_event);
  const base::TimeRange seen = axis_.axis.range;
  if (born >= seen.begin && born < seen.end) return;
  show(panned(seen, born - (seen.begin + seen.length() / 2), bounds(context)), context);
}

float MemoryChart::x_of_event(memory::EventIndex event) const {
  return axis_.axis.x_of(place_of_event(*source_.log, axis_.kind, event));
}

// The event that the list shows: the cursor, else the refusal, else the peak.
memory::EventIndex MemoryChart::shown_event(const ViewContext& context) const {
  const memory::AllocationLog& log = *source_.log;
  const auto at = cursor(context);
  const auto refused = refusal(context);
  // A predicted refusal is the event of the block itself: the blocks before it filled the card.
  if (!at && refused) return refused->event - (refused->predicted && refused->event > 0 ? 1U : 0U);
  if (!at) return log.peak_event();
  const memory::EventIndex event = log.event_at(*at);
  return event == memory::kNone ? log.peak_event() : event;
}

}  // namespace ts::views
