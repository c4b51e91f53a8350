#include "views/memory/live_list.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/labels.h"
#include "views/common/exact_bytes.h"

namespace ts::views {
namespace {

// Step, phase and module of an event, as far as known.
std::string place_text(const LiveListDrawContext& drawing, const memory::AllocationLog& log,
                       memory::EventIndex event) {
  const memory::BlockIndex block = log.events()[event].block;
  std::string words;
  const auto add = [&](std::string_view part) {
    if (part.empty()) return;
    if (!words.empty()) words += drawing.texts("memory.list_comma");
    words += part;
  };
  for (const memory::PhaseSpan& span : log.phases()) {
    if (event < span.first_event || event >= span.end_event) continue;
    if (span.step >= 0)
      add(drawing.texts("timeline.step", {{"number", text::grouped(span.step + 1)}}));
    add(drawing.texts(phase_key(span.phase)));
    break;
  }
  if (block != memory::kNone && log.events()[event].action == memory::Action::alloc)
    add(drawing.strings.view(log.blocks()[block].module));
  return words;
}

}  // namespace

void PresentCategories::update(const memory::AllocationLog& log, memory::Axis axis) {
  const std::uint64_t version = log.version();
  const bool rests = std::exchange(last_frame_, version) == version;
  const auto blocks = log.blocks();
  const bool as_read = axis == axis_;
  if (as_read && (read_ == version || (!rests && blocks.size() < blocks_ + blocks_ / 8))) return;
  read_ = version;
  blocks_ = blocks.size();
  axis_ = axis;
  std::array<double, memory::kCategoryCount> areas{};
  share_.fill(0);
  const std::int64_t end = all_places(log, axis).end;
  for (const memory::Block& block : blocks) {
    const auto category = static_cast<std::size_t>(block.category);
    const bool stays = block.free_event == memory::kNone;
    const std::int64_t stretch = (stays ? end : place_of_event(log, axis, block.free_event)) -
                                 place_of_event(log, axis, block.alloc_event);
    areas[category] += static_cast<double>(block.size) * static_cast<double>(stretch);
    if (block.size > 0) share_[category] = 1;
  }
  const double all = std::max(std::accumulate(areas.begin(), areas.end(), 0.0), 1.0);
  for (std::size_t i = 0; i < areas.size(); ++i)
    share_[i] = std::max(share_[i], static_cast<std::int64_t>(areas[i] / all * 1'000'000));
}

bool PresentCategories::known() const {
  return std::ranges::any_of(kListOrder, [this](memory::Category category) {
    return category != memory::Category::unknown && share(category) > 0;
  });
}

Color category_border(const Theme& theme, memory::Category category) {
  const bool pale = category == memory::Category::temporary && theme.kind == ThemeKind::light;
  return pale ? 0xFF00656EU : 0;
}

LiveFacts live_facts(const memory::AllocationLog& log, memory::EventIndex event) {
  LiveFacts facts;
  facts.event = event;
  if (event == memory::kNone) return facts;
  const auto blocks = log.blocks();
  std::vector<memory::BlockIndex> live = log.live_after(event);
  for (const memory::BlockIndex index : live) {
    const memory::Block& block = blocks[index];
    const auto category = static_cast<std::size_t>(block.category);
    ++facts.count[category];
    facts.bytes[category] += block.size;
    ++facts.total_count;
    facts.total_bytes += block.size;
  }
  const std::size_t most = std::min(kMostLargest, live.size());
  const auto larger = [&](memory::BlockIndex a, memory::BlockIndex b) {
    return blocks[a].size != blocks[b].size ? blocks[a].size > blocks[b].size : a < b;
  };
  std::partial_sort(live.begin(), live.begin() + static_cast<std::ptrdiff_t>(most), live.end(),
                    larger);
  live.resize(most);
  facts.largest = std::move(live);
  return facts;
}

void LiveFactsCache::clear() {
  made_ = false;
  facts_ = {};
}

const LiveFacts& LiveFactsCache::at(const memory::AllocationLog& log, memory::EventIndex event) {
  if (!made_ || version_ != log.version() || facts_.event != event) {
    facts_ = live_facts(log, event);
    version_ = log.version();
    made_ = true;
  }
  return facts_;
}

memory::BlockIndex draw_live_list(const LiveListDrawContext& drawing, const Rect& area,
                                  const memory::AllocationLog& log, const LiveFacts& facts,
                                  const LiveMoment& moment, Point mouse) {
  const Theme& theme = drawing.theme;
  const Metrics& metrics = drawing.metrics;
  DrawSink& sink = drawing.sink;
  memory::BlockIndex pointed = memory::kNone;
  if (facts.event == memory::kNone) return pointed;
  sink.push_clip(area);
  const float body = sink.text_height(TextStyle::body);
  const float small = sink.text_height(TextStyle::small);
  const auto px = [&](float value) { return std::round(metrics.px(value)); };
  float y = area.y0 + px(2);
  const auto row = [&](float height) {
    const Rect rect{area.x0, y, area.x1, y + height};
    y += height;
    return rect;
  };

  const std::string time = moment.words(moment.time_ns);
  text_in(sink, row(body + px(5)), TextStyle::body_strong, theme.text,
          drawing.texts(moment.title, {{"time", time}}));
  text_in(sink, row(small + px(10)), TextStyle::small, theme.text3,
          place_text(drawing, log, facts.event));

  // One unit for the column, that of the total, as in the inspector.
  const std::string unit = text::bytes(facts.total_bytes).unit;
  const float unit_width = sink.text_width(TextStyle::small, "MiB") + px(6);
  const float value_width = px(56);
  const float count_width = px(52);
  const auto figures = [&](const Rect& at, std::int64_t count, std::int64_t bytes, bool strong) {
    const text::Quantity size =
        bytes == 0 ? text::Quantity{"0", unit} : bytes_in_column(bytes, unit.front());
    const float unit_x = at.x1 - unit_width + px(6);
    text_in(sink, {unit_x, at.y0, at.x1 + 1, at.y1}, TextStyle::small, theme.text3, size.unit);
    const Rect value{at.x1 - unit_width - value_width, at.y0, at.x1 - unit_width, at.y1};
    text_right(sink, value, strong ? TextStyle::body_strong : TextStyle::body,
               bytes == 0 ? theme.text3 : theme.text, size.value);
    text_right(sink, {value.x0 - count_width, at.y0, value.x0, at.y1}, TextStyle::body, theme.text3,
               text::grouped(count));
    return value.x0 - count_width;
  };
  const float swatch = px(9);
  const auto draw_swatch = [&](const Rect& at, memory::Category category) {
    const float top = std::round((at.y0 + at.y1 - swatch) / 2);
    const Rect box{at.x0, top, at.x0 + swatch, top + swatch};
    sink.fill(box, theme.category[static_cast<std::size_t>(category)]);
    const Color border = category_border(theme, category);
    if (border != 0) sink.outline(box, border);
  };
  for (const memory::Category category : kListOrder) {
    if (!drawing.categories && category != memory::Category::unknown) continue;
    const auto index = static_cast<std::size_t>(category);
    const Rect at = row(px(24));
    if (at.y1 > area.y1) break;
    draw_swatch(at, category);
    const float end = figures(at, facts.count[index], facts.bytes[index], false);
    text_in(sink, {at.x0 + swatch + px(8), at.y0, end + px(20), at.y1}, TextStyle::body,
            theme.text2, drawing.texts(category_key(category)));
  }
  if (y + px(28) <= area.y1) {
    sink.fill({area.x0, y + px(1), area.x1, y + px(2)}, theme.line);
    y += px(3);
    const Rect at = row(px(25));
    const float end = figures(at, facts.total_count, facts.total_bytes, true);
    text_in(sink, {at.x0, at.y0, end, at.y1}, TextStyle::body_strong, theme.text,
            drawing.texts("memory.total"));
  }

  y += px(10);
  const float item = body + small + px(10);
  if (y + px(22) + item <= area.y1 && !facts.largest.empty()) {
    const Rect head = row(px(22));
    text_in(sink, head, TextStyle::small, theme.text3, drawing.texts("memory.largest"));
    text_right(sink, head, TextStyle::small, theme.text3, drawing.texts("memory.freed_at"));
    for (const memory::BlockIndex index : facts.largest) {
      if (y + item > area.y1) break;
      const memory::Block& block = log.blocks()[index];
      const Rect at = row(item);
      if (at.contains(mouse)) {
        pointed = index;
        sink.fill({at.x0 - px(4), at.y0, std::min(at.x1 + px(4), area.x1), at.y1}, theme.surface2,
                  px(3));
      }
      const Rect first{at.x0, at.y0 + px(3), at.x1, at.y0 + px(3) + body};
      const Rect second{at.x0, first.y1 + px(3), at.x1, first.y1 + px(3) + small};
      draw_swatch(first, block.category);
      const float x = at.x0 + swatch + px(8);
      // A block without a module is named by its category: "input empty".
      const std::string_view module = drawing.strings.view(block.module);
      std::string name(
          module.empty() ? std::string_view(drawing.texts(category_key(block.category))) : module);
      const std::string op =
          slice_label(drawing.strings.view(block.op), trace::SliceClass::other, drawing.texts);
      if (!op.empty()) name += " " + op;
      text_in(sink, {x, first.y0, first.x1, first.y1}, TextStyle::body, theme.text, name);
      text_in(sink, {x, second.y0, second.x1, second.y1}, TextStyle::small, theme.text3,
              text::bytes(block.size).joined());
      const std::string freed = block.free_event == memory::kNone
                                    ? std::string("–")
                                    : moment.words(log.events()[block.free_event].time_ns);
      text_right(sink, second, TextStyle::small, theme.text3, freed);
    }
  }
  sink.pop_clip();
  return pointed;
}

}  // namespace ts::views
