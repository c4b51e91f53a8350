#include <array>

#include "core/text/numbers.h"
#include "views/charts/labels.h"
#include "views/common/spec_text.h"
#include "views/timeline/timeline_chart.h"

namespace ts::views {
namespace {

constexpr std::array<trace::SliceClass, 8> kLegend{
    trace::SliceClass::matmul,        trace::SliceClass::attention,   trace::SliceClass::softmax,
    trace::SliceClass::norm,          trace::SliceClass::elementwise, trace::SliceClass::copy,
    trace::SliceClass::communication, trace::SliceClass::other};

float button_width(const DrawSink& sink, Metrics metrics, std::string_view label,
                   std::string_view key) {
  return metrics.px(20) + sink.text_width(TextStyle::small, label) + metrics.px(8) +
         sink.text_width(TextStyle::small, key) + metrics.px(10);
}

}  // namespace

void TimelineChart::lay_out_title(const DrawSink& sink, const ViewContext& context) {
  legend_.clear();
  for (const trace::SliceClass slice_class : kLegend)
    if (minimap_.occurs(slice_class))
      legend_.push_back({context.texts(class_key(slice_class)),
                         context.theme.slice[static_cast<std::size_t>(slice_class)], 0,
                         static_cast<std::int64_t>(kLegend.size() - legend_.size())});
  subtitle_ = has_run_ && !bounds_.empty() ? range_text(context) : std::string();
  if (const char* const partial = partial_key(context); partial != nullptr && !subtitle_.empty()) {
    subtitle_ = context.texts("common.two_sentences",
                              {{"first", context.texts(partial)}, {"second", subtitle_}});
  }
  std::array<TitleItem, kItemCount> items;
  const Metrics& metrics = context.metrics;
  const bool searching = search_.active();
  items[kSearch] = {metrics.px(searching ? 260.F : 200.F), 3};
  items[kPrevious] = {searching ? metrics.px(18) : 0, 3};
  items[kNext] = {searching ? metrics.px(18) : 0, 3};
  items[kFit] = {button_width(sink, metrics, context.texts("timeline.fit"), "F"), 2};
  items[kMark] = {button_width(sink, metrics, context.texts("timeline.mark"), "M"), 1};
  title_ = lay_out_title_row(sink, regions_.title, metrics, context.texts("timeline.title"),
                             subtitle_, legend_, LegendSide::right, items);
  legend_row_ = lacks_legend(title_, legend_);
  if (!regions_.has_legend()) return;
  title_ = lay_out_title_row(sink, regions_.title, metrics, context.texts("timeline.title"),
                             subtitle_, {}, LegendSide::right, items);
  lay_out_legend_row(sink, regions_.legend, metrics, legend_, title_);
}

std::string TimelineChart::range_text(const ViewContext& context) const {
  const std::int64_t begin = axis_.range.begin - bounds_.begin;
  const std::int64_t end = axis_.range.end - bounds_.begin;
  // One unit for both ends, with enough digits to distinguish them.
  const Ticks fine = time_ticks(axis_.range, bounds_.begin, 100, 2);
  std::string from;
  std::string to;
  if (fine.unit.empty()) {
    from = text::duration_ns(static_cast<double>(begin)).joined();
    to = "+" + text::duration_ns(static_cast<double>(end - begin)).joined();
  } else {
    const double unit = fine.unit == "s"    ? 1e9
                        : fine.unit == "ms" ? 1e6
                        : fine.unit == "ns" ? 1
                                            : 1e3;
    const double shown = static_cast<double>(end - begin) / unit;
    const int digits = shown >= 100 ? 0 : shown >= 10 ? 1 : shown >= 1 ? 2 : 3;
    from = text::decimal(static_cast<double>(begin) / unit, digits);
    to = text::decimal(static_cast<double>(end) / unit, digits) + " " + fine.unit;
  }
  std::string words = context.texts("timeline.range", {{"from", from}, {"to", to}});
  // The step, if the middle of the view is in one and no other is in view.
  const trace::TraceStore& store = context.run->trace;
  const auto tracks = store.tracks();
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    if (tracks[t].kind != trace::TrackKind::phases) continue;
    const auto track = static_cast<trace::TrackId>(t);
    const auto first = store.slice_at(track, 0, axis_.range.begin);
    const auto last = store.slice_at(track, 0, axis_.range.end - 1);
    if (!first || !last || !(*first == *last)) break;
    const trace::Slice slice = store.slice(*first);
    const std::string name(
        slice_label(context.strings.view(slice.name), slice.slice_class, context.texts));
    if (!name.empty())
      words = context.texts("timeline.step_range", {{"step", name}, {"range", words}});
    break;
  }
  return words;
}

std::string TimelineChart::hit_text(const ViewContext& context) const {
  if (!search_.active()) return {};
  if (search_.count() == 0) return context.texts("timeline.search.none");
  std::string count = text::grouped(search_.count());
  if (search_.capped()) count += "+";
  if (search_.place() == 0) return count;
  return context.texts("timeline.search.place",
                       {{"place", text::grouped(search_.place())}, {"count", count}});
}

}  // namespace ts::views
