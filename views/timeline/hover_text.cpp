#include "views/timeline/hover_text.h"

#include <algorithm>
#include <string>

#include "core/text/numbers.h"
#include "views/charts/labels.h"

namespace ts::views {
namespace {

constexpr std::uint32_t kMostChildren = 4096;

std::string duration(std::int64_t nanoseconds) {
  return text::duration_ns(static_cast<double>(nanoseconds)).joined();
}

}  // namespace

std::optional<std::int64_t> self_time(const trace::TraceStore& store, trace::SliceRef ref) {
  const trace::Slice slice = store.slice(ref);
  const auto below = static_cast<std::uint16_t>(ref.depth + 1);
  if (below >= store.depth_count(ref.track)) return slice.duration_ns;
  // First child, by bisection: slice_at finds none if the slice begins with its own work.
  std::uint32_t low = 0;
  std::uint32_t high = store.lane_size(ref.track, below);
  const std::uint32_t size = high;
  while (low < high) {
    const std::uint32_t half = low + (high - low) / 2;
    if (store.slice({ref.track, below, half}).begin_ns < slice.begin_ns) {
      low = half + 1;
    } else {
      high = half;
    }
  }
  std::int64_t children = 0;
  for (std::uint32_t i = low; i < size; ++i) {
    if (i - low >= kMostChildren) return std::nullopt;
    const trace::Slice child = store.slice({ref.track, below, i});
    if (child.begin_ns >= slice.end_ns()) break;
    children += std::min(child.end_ns(), slice.end_ns()) - child.begin_ns;
  }
  return std::max<std::int64_t>(0, slice.duration_ns - children);
}

std::vector<ReadOutLine> read_out(const trace::TraceStore& store, const base::StringTable& strings,
                                  const text::Texts& texts, const trace::VisibleSlice& box) {
  const trace::Slice slice = store.slice(box.ref);
  const std::string_view raw = strings.view(slice.name);
  const bool code = slice.slice_class >= trace::SliceClass::module;
  // Operators keep their full name here, so the prefix is readable.
  const std::string name(code ? raw : slice_label(raw, slice.slice_class, texts));
  const TextStyle name_style = code ? TextStyle::mono : TextStyle::body_medium;
  std::vector<ReadOutLine> lines;
  if (box.count > 1) {
    lines.push_back({texts("timeline.hover.merged", {{"count", text::grouped(box.count)}}),
                     TextStyle::body_medium, true});
    const std::string busy = text::decimal(static_cast<double>(box.busy) * 100, 0);
    lines.push_back({texts("timeline.hover.busy",
                           {{"duration", duration(box.end_ns - box.begin_ns)}, {"percent", busy}}),
                     TextStyle::small, false});
    lines.push_back({texts("timeline.hover.longest",
                           {{"name", name}, {"duration", duration(slice.duration_ns)}}),
                     TextStyle::small, false});
    return lines;
  }
  lines.push_back({name, name_style, true});
  const auto self = self_time(store, box.ref);
  if (self && *self != slice.duration_ns) {
    lines.push_back({texts("timeline.hover.self",
                           {{"duration", duration(slice.duration_ns)}, {"self", duration(*self)}}),
                     TextStyle::small, true});
  } else {
    lines.push_back({duration(slice.duration_ns), TextStyle::small, true});
  }
  const std::string module(strings.view(slice.module));
  if (!module.empty() && module != name) lines.push_back({module, TextStyle::mono, false});
  const std::string detail(strings.view(slice.detail));
  if (!detail.empty()) lines.push_back({detail, TextStyle::mono, false});
  return lines;
}

}  // namespace ts::views
