#include "app/output/trace_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/output/data_page.h"
#include "assets/assets.h"
#include "core/files/step_range.h"
#include "core/text/numbers.h"
#include "core/trace/each_slice.h"
#include "core/trace/slice_class.h"
#include "core/trace/track_order.h"
#include "views/common/svg_sink.h"
#include "views/common/theme.h"

namespace ts::app {
namespace {

using Json = nlohmann::json;

bool of_host(const trace::Track& track) {
  return track.kind != trace::TrackKind::phases && track.device < 0;
}

// The slices that the page has, by track, depth and time.
std::vector<trace::SliceRef> drawn_slices(const trace::TraceStore& store, std::size_t most) {
  struct Candidate {
    bool host;
    std::int64_t duration;
    trace::SliceRef ref;
    [[nodiscard]] auto place() const { return std::tuple(ref.track, ref.depth, ref.index); }
    [[nodiscard]] auto rank() const { return std::tuple(host, -duration, place()); }
  };
  std::vector<Candidate> all;
  for (const trace::TrackId track : trace::tracks_in_order(store)) {
    const bool host = of_host(store.tracks()[track]);
    for_each_slice(store, track, [&](trace::SliceRef ref, const trace::Slice& slice) {
      all.push_back({host, slice.duration_ns, ref});
    });
  }
  most = std::min(most, all.size());
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(most), {},
                           &Candidate::rank);
  all.resize(most);
  std::ranges::sort(all, {}, &Candidate::place);
  std::vector<trace::SliceRef> drawn;
  for (const Candidate& one : all) drawn.push_back(one.ref);
  return drawn;
}

// The texts of the page, each once.
class PageTexts {
 public:
  explicit PageTexts(const base::StringTable& strings) : strings_(&strings) {}
  std::size_t number(base::StringId id) {
    const auto [known, fresh] = numbers_.try_emplace(id, texts_.size());
    if (fresh) texts_.push_back(std::string(strings_->view(id)));
    return known->second;
  }
  Json take() { return std::move(texts_); }

 private:
  const base::StringTable* strings_;
  std::unordered_map<base::StringId, std::size_t> numbers_;
  Json texts_ = Json::array();
};

std::string track_name(const trace::Track& track) {
  if (track.kind == trace::TrackKind::phases && track.rank < 0) return "Steps and phases";
  std::string name = track.name.empty() ? "thread" : track.name;
  switch (track.kind) {
    case trace::TrackKind::gpu_mark:
      return name + " annotations";
    case trace::TrackKind::wait:
      return name + " waits";
    case trace::TrackKind::python:
      return name + " (Python)";
    case trace::TrackKind::overhead:
      return name + " (profiler)";
    default:
      return name;
  }
}

Json empty_lane() {
  Json lane;
  for (const char* const column : {"begin", "length", "name", "module", "class"})
    lane[column] = Json::array();
  return lane;
}

// Per track its name and its lanes; a lane is columns of slices, in nanoseconds from `begin`.
Json tracks_json(const trace::TraceStore& store, const std::vector<trace::SliceRef>& drawn,
                 std::int64_t begin, PageTexts& texts) {
  std::vector<Json> lanes(store.tracks().size(), Json::array());
  for (const trace::SliceRef& ref : drawn) {
    Json& track = lanes[ref.track];
    while (track.size() <= ref.depth) track.push_back(empty_lane());
    const trace::Slice slice = store.slice(ref);
    Json& lane = track[ref.depth];
    lane["begin"].push_back(slice.begin_ns - begin);
    lane["length"].push_back(slice.duration_ns);
    lane["name"].push_back(texts.number(slice.name));
    lane["module"].push_back(texts.number(slice.module));
    lane["class"].push_back(static_cast<int>(slice.slice_class));
  }
  auto tracks = Json::array();
  for (const trace::TrackId id : trace::tracks_in_order(store)) {
    if (lanes[id].empty()) continue;
    tracks.push_back({{"name", track_name(store.tracks()[id])}, {"lanes", std::move(lanes[id])}});
  }
  return tracks;
}

Json classes_json() {
  const views::Theme& dark = views::theme(views::ThemeKind::dark);
  const views::Theme& light = views::theme(views::ThemeKind::light);
  auto classes = Json::array();
  for (std::size_t i = 0; i < trace::kSliceClassNames.size(); ++i) {
    classes.push_back(
        {{"name", trace::kSliceClassNames[i]},
         {"dark",
          {views::hexadecimal_color(dark.slice[i]), views::hexadecimal_color(dark.slice_text[i])}},
         {"light",
          {views::hexadecimal_color(light.slice[i]),
           views::hexadecimal_color(light.slice_text[i])}}});
  }
  return classes;
}

std::string about(const trace::TraceStore& store, std::size_t tracks, std::size_t drawn) {
  const auto all = static_cast<std::int64_t>(store.slice_count());
  const auto left_out = all - static_cast<std::int64_t>(drawn);
  std::string words = text::duration_ns(static_cast<double>(store.range().length())).joined() +
                      ", " + text::counted(tracks, "track") + ", " + text::counted(all, "slice") +
                      ".";
  if (left_out > 0) {
    words += " Left out: " + text::counted(left_out, "slice") +
             ", the shortest, those of threads first.";
  }
  return words;
}

// Since the beginning of all.
std::int64_t since_begin(std::int64_t time_ns, const base::TimeRange& all) {
  return std::clamp(time_ns, all.begin, all.end) - all.begin;
}

Json marks_json(std::span<const files::Note> notes, const base::TimeRange& all) {
  auto marks = Json::array();
  for (const files::Note& note : notes)
    marks.push_back({{"time", since_begin(note.time_ns, all)}, {"text", note.text}});
  return marks;
}

}  // namespace

std::string trace_page(const trace::TraceStore& store, const base::StringTable& strings,
                       const std::string& title, const TraceStyle& look, std::size_t most) {
  const base::TimeRange all = store.range();
  const std::vector<trace::SliceRef> drawn = drawn_slices(store, most);
  PageTexts texts(strings);
  Json tracks = tracks_json(store, drawn, all.begin, texts);
  Json data = {{"title", title},
               {"about", about(store, tracks.size(), drawn.size())},
               {"length", std::max<std::int64_t>(all.length(), 1)},
               {"steps", nullptr},
               {"notes", marks_json(look.notes, all)},
               {"classes", classes_json()},
               {"texts", texts.take()},
               {"tracks", std::move(tracks)}};
  if (!look.first.empty())
    data["steps"] =
        Json::array({since_begin(look.first.begin, all), since_begin(look.first.end, all)});
  return data_page(assets::trace_page(), data);
}

std::string trace_page(const files::OpenedTrace& trace, const std::string& title,
                       std::span<const files::Note> notes) {
  return trace_page(trace.run.trace, *trace.about.strings, title,
                    {.first = files::step_range(trace.run), .notes = notes});
}

}  // namespace ts::app
