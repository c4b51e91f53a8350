#include "core/trace_file/trace_read.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/io/file.h"
#include "core/io/file_kind.h"
#include "core/io/json_parse.h"
#include "core/io/json_scanner.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "core/trace_file/counter_reader.h"
#include "core/trace_file/event_fields.h"
#include "core/trace_file/stretch_ends.h"
#include "core/trace_file/text_cache.h"

namespace ts::trace_file {
namespace {

using io::JsonScanner;

constexpr std::uint64_t kBytesOfAnEvent = 200;  // at least, mostly

std::pair<std::int64_t, std::int64_t> order_of(const Event& event) {
  return {event.begin_ns, -event.duration_ns};
}

bool is_of_pair(const RawEvent& raw) {
  return raw.phase == 'B' || raw.phase == 'E';
}

class TraceReader {
 public:
  // With a copy events are handed to it and not kept.
  TraceReader(io::Input& input, const base::FileRange& range, RawCopy* copy)
      : input_(input), range_(range), copy_(copy), scanner_(input.text()) {}

  base::Result<TraceFile> read() {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    const bool empty = input_.text().empty();
    if (input_.text().starts_with(kByteOrderMark)) go_on(kByteOrderMark.size());
    const char first = scanner_.peek();
    const bool is_list = first == '[';
    if (!is_list && first != '{') {
      return text::fail(empty ? "file_error.reason.empty" : "trace_error.no_json");
    }
    if (copy_ != nullptr) copy_->begin(is_list);
    const bool whole = is_list ? read_events() : read_object();
    if (input_.problem()) return tl::unexpected(*input_.problem());
    if (!has_events_) return text::fail("trace_error.no_events");
    // Chrome's own format allows a list without its end.
    if (!whole && !(is_list && scanner_.at_end() && !in_event_)) note_fault();
    if (!input_.fault().empty()) file_.fault = input_.fault();
    finish();
    if (impossible_ > 0 && file_.fault.empty()) {
      file_.fault =
          text::message("trace_error.impossible", {{"count", std::to_string(impossible_)}});
    }
    return std::move(file_);
  }

 private:
  // Drops what the scanner has read up to there, and goes on there with more of the file behind.
  // False: no more came.
  bool go_on(std::size_t from) {
    const bool came = input_.more(from);
    scanner_.go_on(input_.text());
    return came;
  }
  // So that the scanner stands before something, if there is anything.
  void settle() {
    while (scanner_.at_end() && !input_.ended()) go_on(scanner_.position());
  }
  // Reads a value with all of it at hand; `read` may begin anew. Then something stands behind it.
  template <class Read>
  bool at_hand(const Read& read) {
    for (;;) {
      const std::size_t from = scanner_.position();
      const bool done = read();
      // A number may go on behind the end.
      if (done ? !scanner_.at_end() : !scanner_.cut_off()) return done;
      if (input_.ended()) return done;
      if (!go_on(from)) return read();
    }
  }
  // Text that was read from there on, as long as nothing more is read.
  [[nodiscard]] std::string_view text_since(std::size_t from) const {
    return input_.text().substr(from, scanner_.position() - from);
  }
  bool read_object();
  bool read_events();
  void pass_on(const RawEvent& raw, std::string_view written);
  [[nodiscard]] bool asks_for_time() const {
    return !range_.is_all() && range_.unit == base::FileRange::Unit::seconds;
  }
  bool is_asked(const RawEvent& raw);
  [[nodiscard]] bool is_asked(std::int64_t begin_ns, std::int64_t end_ns) const;
  bool read_metadata(std::string_view key);
  void note_fault();
  void take(const RawEvent& raw, std::string_view written);
  void take_name(const RawEvent& raw);
  void take_stretch(const RawEvent& raw);
  void take_flow(const RawEvent& raw);
  void take_memory(const RawEvent& raw);
  void note_end(const RawEvent& raw);
  void pass_on_pairs();
  void add_pairs();
  Event event_of(const RawEvent& raw);
  void add(const Event& event);
  std::uint32_t launch_of(const RawEvent& raw);
  std::uint32_t track_of(const RawEvent& raw);
  std::uint32_t track_of_wait(const RawEvent& raw);
  void place_on_device(const RawEvent& raw, Track& track);
  base::StringId text(const JsonScanner::String& string);
  EventKind kind(const RawEvent& raw);
  void finish();
  void leave_out_far_ones();
  void note_range();

  io::Input& input_;
  base::FileRange range_;
  RawCopy* copy_ = nullptr;
  std::vector<std::string> written_;      // begins and ends, where a copy asks for a time
  std::uint64_t number_ = 0;              // of the next event, where a range is asked for
  std::optional<std::int64_t> first_ns_;  // the time of the first one
  JsonScanner scanner_;
  TraceFile file_;
  TextCache texts_{*file_.strings};
  std::unordered_map<std::string, std::uint32_t> tracks_;
  std::string last_process_;
  std::string last_thread_;
  std::uint32_t last_track_ = 0;
  std::string last_category_;
  EventKind last_kind_ = EventKind::other;
  std::unordered_map<std::string, std::string> process_names_;
  StretchEnds ends_;
  std::vector<Event> begun_;  // of ends_
  CounterReader counters_{*file_.strings};
  std::unordered_multimap<std::size_t, std::uint32_t> launches_;
  bool has_events_ = false;
  bool in_event_ = false;
  bool sorted_ = true;
  std::size_t impossible_ = 0;  // events that were left out for their values
};

bool TraceReader::read_object() {
  if (!scanner_.take('{')) return false;
  do {
    settle();
    if (scanner_.peek() == '}') break;
    bool events = false;
    JsonScanner::String key;
    std::string_view value;
    const bool read = at_hand([&] {
      if (!scanner_.string(key) || !scanner_.take(':')) return false;
      events = key.raw == "traceEvents" && scanner_.peek() == '[';
      const std::size_t from = (scanner_.peek(), scanner_.position());
      if (!events && !read_metadata(key.raw)) return false;
      value = text_since(from);
      return true;
    });
    if (read && !events && copy_ != nullptr) copy_->entry(key.raw, value);
    if (!read || (events && !read_events())) return false;
    settle();
  } while (scanner_.take(','));
  return scanner_.take('}');
}

bool TraceReader::read_events() {
  has_events_ = true;
  file_.events.reserve(static_cast<std::size_t>(input_.expected() / kBytesOfAnEvent));
  RawEvent raw;
  std::string_view written;
  if (!scanner_.take('[')) return false;
  if (copy_ != nullptr) copy_->begin_events();
  do {
    settle();
    if (scanner_.peek() == ']') break;
    if (scanner_.at_end()) return false;
    in_event_ = true;
    // Some programs end a list with null because of the trailing comma.
    const bool is_event = scanner_.peek() == '{';
    const bool read = at_hand([&] {
      const std::size_t from = (scanner_.peek(), scanner_.position());
      if (is_event ? !read_event(scanner_, raw) : !scanner_.skip()) return false;
      written = text_since(from);
      return true;
    });
    if (!read) return false;
    in_event_ = false;
    if (!is_event) continue;
    if (!range_.is_all() && !is_asked(raw)) continue;
    copy_ != nullptr ? pass_on(raw, written) : take(raw, written);
    ++file_.event_count;
    if (raw.phase != 'M' && !(is_of_pair(raw) && asks_for_time())) ++file_.in_range;
  } while (scanner_.take(','));
  if (!scanner_.take(']')) return false;
  if (copy_ != nullptr) {
    pass_on_pairs();
    copy_->end_events();
  }
  return true;
}

// Names always are; of what lasts a part.
bool TraceReader::is_asked(const RawEvent& raw) {
  using Place = base::FileRange::Place;
  const std::uint64_t number = number_++;
  if (raw.phase == 'M') return true;
  if (range_.unit == base::FileRange::Unit::events)
    return range_.place_of(number, 0) == Place::inside;
  const std::int64_t time = nanoseconds(raw.time);
  if (!first_ns_ && is_number(raw.time)) first_ns_ = time;
  const std::int64_t since = time - first_ns_.value_or(0);
  // Both ends of what begins and ends in two events are needed to tell where it lies.
  if (is_of_pair(raw)) return true;
  const std::int64_t lasts =
      raw.phase == 'X' ? std::max<std::int64_t>(nanoseconds(raw.duration), 0) : 0;
  return range_.place_of(number, since) != Place::after &&
         range_.place_of(number, since + lasts) != Place::before;
}

bool TraceReader::is_asked(std::int64_t begin_ns, std::int64_t end_ns) const {
  using Place = base::FileRange::Place;
  if (range_.unit == base::FileRange::Unit::events || !first_ns_) return true;
  return range_.place_of(0, begin_ns - *first_ns_) != Place::after &&
         range_.place_of(0, end_ns - *first_ns_) != Place::before;
}

void TraceReader::pass_on(const RawEvent& raw, std::string_view written) {
  if (!asks_for_time() || !is_of_pair(raw)) return copy_->event(written);
  ends_.add(track_of(raw), {nanoseconds(raw.time), written_.size(), raw.phase == 'B'});
  written_.emplace_back(written);
}

// The two events of one stretch follow each other.
void TraceReader::pass_on_pairs() {
  using Mark = StretchEnds::Mark;
  const auto pass = [this](const Mark& begin, const Mark& end) {
    if (!is_asked(begin.time_ns, end.time_ns)) return;
    copy_->event(written_[begin.number]);
    copy_->event(written_[end.number]);
  };
  ends_.take(pass, [](const Mark&) {});
  written_.clear();
}

bool TraceReader::read_metadata(std::string_view key) {
  if (key == "schemaVersion" || key == "baseTimeNanoseconds") {
    std::string_view number;
    if (scanner_.peek() == '"' || !scanner_.scalar(number)) return scanner_.skip();
    if (key == "schemaVersion") {
      file_.schema = integer(number);
      return true;
    }
    // Until 2116; sums with times of events do not overflow.
    constexpr std::int64_t kLast = (std::int64_t{1} << 62) - 1;
    const std::int64_t base = integer(number);
    file_.base_time_ns = base > 0 && base <= kLast ? base : 0;
    return true;
  }
  if (key != "deviceProperties" && key != "distributedInfo") return scanner_.skip();
  std::string_view raw;
  if (!scanner_.raw(raw)) return false;
  const auto json = io::parse_json(raw);
  if (!json) return true;
  if (key == "distributedInfo") {
    if (json->is_object() && json->contains("rank") && json->at("rank").is_number_integer())
      file_.rank = json->at("rank").get<std::int64_t>();
    return true;
  }
  if (!json->is_array()) return true;
  file_.devices.clear();
  for (const nlohmann::json& device : *json) {
    const bool named = device.is_object() && device.contains("name") && device["name"].is_string();
    file_.devices.push_back(named ? device["name"].get<std::string>() : std::string());
  }
  return true;
}

void TraceReader::note_fault() {
  const std::string events = text::grouped(file_.event_count);
  if (scanner_.cut_off()) {
    file_.fault = text::message("trace_error.cut", {{"events", events}});
  } else {
    file_.fault = text::message(
        "trace_error.damaged",
        {{"byte", std::to_string(input_.offset() + scanner_.position())}, {"events", events}});
  }
}

void TraceReader::take(const RawEvent& raw, std::string_view written) {
  // At no time: it would stand before all others.
  constexpr std::string_view kTimed = "XBECsfiI";
  if (kTimed.find(raw.phase) != std::string_view::npos && !is_number(raw.time)) {
    ++impossible_;
    return;
  }
  switch (raw.phase) {
    case 'X':
      return take_stretch(raw);
    case 'B':
    case 'E':
      return note_end(raw);
    case 'C':
      return counters_.take(raw, written);
    case 's':
    case 'f':
      return take_flow(raw);
    case 'i':
    case 'I':
      if (raw.name.raw == "[memory]") take_memory(raw);
      return;
    case 'M':
      return take_name(raw);
    default:
      return;
  }
}

void TraceReader::take_name(const RawEvent& raw) {
  const std::string name =
      raw.value_name.escaped ? io::unescaped(raw.value_name.raw) : std::string(raw.value_name.raw);
  if (raw.name.raw == "process_name") process_names_[std::string(raw.process)] = name;
  if (raw.name.raw == "thread_name") file_.tracks[track_of(raw)].thread_name = name;
}

void TraceReader::take_stretch(const RawEvent& raw) {
  const std::int64_t duration = nanoseconds(raw.duration);
  if (duration < 0 || (!raw.duration.empty() && !is_number(raw.duration))) {
    ++impossible_;
    return;
  }
  Event event = event_of(raw);
  event.duration_ns = duration;
  add(event);
}

Event TraceReader::event_of(const RawEvent& raw) {
  Event event;
  event.begin_ns = nanoseconds(raw.time);
  event.name = text(raw.name);
  event.kind = kind(raw);
  event.track = event.kind == EventKind::synchronisation ? track_of_wait(raw) : track_of(raw);
  event.correlation = integer(raw.correlation);
  event.external = integer(raw.external);
  if (!raw.module.raw.empty()) event.module = text(raw.module);
  if (!raw.dims.empty()) event.dims = texts_.id_of(raw.dims);
  if (!raw.types.empty()) event.types = texts_.id_of(raw.types);
  if (is_on_device(event.kind)) place_on_device(raw, file_.tracks[event.track]);
  if (!raw.copied.empty()) event.bytes = std::max<std::int64_t>(integer(raw.copied), 0);
  if (event.kind == EventKind::kernel && !raw.grid.empty()) event.launch = launch_of(raw);
  return event;
}

void TraceReader::add(const Event& event) {
  if (!file_.events.empty() && order_of(event) < order_of(file_.events.back())) sorted_ = false;
  file_.events.push_back(event);
}

void TraceReader::note_end(const RawEvent& raw) {
  const bool begins = raw.phase == 'B';
  ends_.add(track_of(raw), {nanoseconds(raw.time), begun_.size(), begins});
  if (begins) begun_.push_back(event_of(raw));
}

void TraceReader::add_pairs() {
  using Mark = StretchEnds::Mark;
  const auto add_until = [this](const Mark& begin, std::int64_t end_ns, std::size_t events) {
    Event event = begun_[begin.number];
    event.duration_ns = end_ns - event.begin_ns;
    if (!is_asked(event.begin_ns, end_ns)) return;
    add(event);
    if (asks_for_time()) file_.in_range += events;
  };
  ends_.take([&](const Mark& begin, const Mark& end) { add_until(begin, end.time_ns, 2); },
             [&](const Mark& begin) { add_until(begin, begin.time_ns, 1); });
  begun_ = {};
}

void TraceReader::take_flow(const RawEvent& raw) {
  FlowEnd end;
  end.kind = flow_kind_of(raw.category.raw);
  end.begins = raw.phase == 's';
  end.time_ns = nanoseconds(raw.time);
  end.track = track_of(raw);
  end.id = flow_id_of(raw.id);
  file_.flows.push_back(end);
}

void TraceReader::take_memory(const RawEvent& raw) {
  MemoryEvent event;
  event.time_ns = nanoseconds(raw.time);
  event.track = track_of(raw);
  event.address = static_cast<std::uint64_t>(integer(raw.address));
  event.bytes = raw.bytes.empty() ? 0 : integer(raw.bytes);
  // 2^63 and more would be negative, which is a free.
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
  if (event.bytes > kMostBytes || event.bytes < -kMostBytes ||
      (event.bytes < 0 && !raw.bytes.starts_with('-'))) {
    ++impossible_;
    return;
  }
  event.total_allocated = integer(raw.total_allocated);
  event.total_reserved = integer(raw.total_reserved);
  event.device = memory_device_of(raw);
  file_.memory.push_back(event);
}

std::uint32_t TraceReader::launch_of(const RawEvent& raw) {
  const auto hash = std::hash<std::string_view>{};
  const std::size_t key =
      hash(raw.grid) * 31 + hash(raw.block) * 7 + hash(raw.registers) * 3 + hash(raw.shared_memory);
  Launch launch;
  launch.grid = triple(raw.grid);
  launch.block = triple(raw.block);
  const std::int64_t registers = std::clamp<std::int64_t>(integer(raw.registers), 0, 1 << 20);
  launch.registers = static_cast<std::int32_t>(registers);
  launch.shared_memory = std::max<std::int64_t>(integer(raw.shared_memory), 0);
  const auto [begin, end] = launches_.equal_range(key);
  for (auto known = begin; known != end; ++known) {
    if (file_.launches[known->second] == launch) return known->second;
  }
  const auto index = static_cast<std::uint32_t>(file_.launches.size());
  file_.launches.push_back(launch);
  launches_.emplace(key, index);
  return index;
}

std::uint32_t TraceReader::track_of(const RawEvent& raw) {
  if (!file_.tracks.empty() && raw.process == last_process_ && raw.thread == last_thread_)
    return last_track_;
  std::string key(raw.process);
  key += '\0';
  key += raw.thread;
  const auto [known, fresh] =
      tracks_.try_emplace(std::move(key), static_cast<std::uint32_t>(file_.tracks.size()));
  if (fresh) file_.tracks.push_back({std::string(raw.process), std::string(raw.thread)});
  last_process_ = raw.process;
  last_thread_ = raw.thread;
  last_track_ = known->second;
  return last_track_;
}

// Kineto's thread is the stream; annotations have no "stream" among their args.
void TraceReader::place_on_device(const RawEvent& raw, Track& track) {
  if (track.device < 0) track.device = device_of(raw);
  if (track.stream == kNoNumber) track.stream = integer(raw.stream);
  if (track.stream == kNoNumber) track.stream = integer(raw.thread);
}

// Kineto puts a wait for a stream on the row of that stream, or on one of its own, and a wait for a
// whole device on row 1, whichever stream that is: "stream" among the args tells them apart, and is
// -1, also as 32 bits without a sign, where there is none. A wait without a device is a host's.
std::uint32_t TraceReader::track_of_wait(const RawEvent& raw) {
  const std::int32_t device = small_number(raw.device);
  if (device < 0) return track_of(raw);
  constexpr std::int64_t kNone = 0xFFFFFFFF;
  const std::int64_t told = integer(raw.stream);
  const std::int64_t stream = told == kNone ? kNoNumber : told;
  std::string key(raw.process);
  key.append(2, '\0').append(std::to_string(stream));
  const auto [known, fresh] =
      tracks_.try_emplace(std::move(key), static_cast<std::uint32_t>(file_.tracks.size()));
  if (fresh) {
    Track& made = file_.tracks.emplace_back();
    made.process = raw.process;
    made.thread = raw.thread;
    made.device = device;
    made.stream = stream;
  }
  return known->second;
}

base::StringId TraceReader::text(const JsonScanner::String& string) {
  return string.escaped ? file_.strings->intern(io::unescaped(string.raw))
                        : texts_.id_of(string.raw);
}

EventKind TraceReader::kind(const RawEvent& raw) {
  if (raw.category.raw.empty()) return kind_of({}, raw.process);
  if (raw.category.raw != last_category_) {
    last_category_ = raw.category.raw;
    last_kind_ = kind_of(last_category_, {});
  }
  return last_kind_;
}

void TraceReader::finish() {
  if (copy_ != nullptr) {
    pass_on_pairs();
    return copy_->end();
  }
  add_pairs();
  file_.counters = counters_.finish();
  if (!sorted_) {
    std::ranges::stable_sort(file_.events, {}, order_of);
  }
  leave_out_far_ones();
  for (Track& track : file_.tracks) {
    const auto name = process_names_.find(track.process);
    if (name != process_names_.end()) track.process_name = name->second;
  }
  note_range();
}

// No recording lasts so long; times so far from the others are wrong.
void TraceReader::leave_out_far_ones() {
  constexpr std::int64_t kMonth = std::int64_t{30} * 24 * 3600 * 1'000'000'000;
  if (file_.events.empty()) return;
  const std::int64_t middle = file_.events[file_.events.size() / 2].begin_ns;
  impossible_ += std::erase_if(file_.events, [middle](const Event& event) {
    return event.begin_ns < middle - kMonth || event.begin_ns > middle + kMonth ||
           event.duration_ns > kMonth;
  });
  impossible_ += std::erase_if(file_.memory, [middle](const MemoryEvent& event) {
    return event.time_ns < middle - kMonth || event.time_ns > middle + kMonth;
  });
  for (Counter& counter : file_.counters) {
    impossible_ += std::erase_if(counter.points, [middle](const CounterPoint& point) {
      return point.time_ns < middle - kMonth || point.time_ns > middle + kMonth;
    });
  }
  std::erase_if(file_.counters, [](const Counter& counter) { return counter.points.empty(); });
}

void TraceReader::note_range() {
  if (range_.is_all()) return;
  file_.by_number = range_.unit == base::FileRange::Unit::events;
  if (file_.by_number) return;
  const auto time_of = [&](double seconds) {
    constexpr double kMost = 1e9;  // seconds
    const double since_ns = std::ceil(std::clamp(seconds, 0.0, kMost) * 1e9);
    return first_ns_.value_or(0) + static_cast<std::int64_t>(since_ns);
  };
  file_.window = base::TimeRange{time_of(range_.from), time_of(range_.to)};
}

}  // namespace

base::Result<TraceFile> parse_trace(io::Input& input, const base::FileRange& range, RawCopy* copy) {
  if (io::kind_of(input) == io::FileKind::snapshot) {
    return text::fail("trace_error.is_snapshot");
  }
  auto file = TraceReader(input, range, copy).read();
  if (!file) return file;
  while (input.packed() > 0 && input.more(input.text().size())) {
  }
  file->bytes = static_cast<std::size_t>(input.packed() > 0 ? input.offset() + input.text().size()
                                                            : input.expected());
  file->packed = input.packed();
  return file;
}

base::Result<TraceFile> parse_trace(std::string content) {
  io::Input input = io::Input::of(std::move(content));
  return parse_trace(input);
}

base::Result<TraceFile> read_trace(const std::filesystem::path& path) {
  TS_TRY(auto input, io::Input::open(path));
  return read_trace(path, input);
}

base::Result<TraceFile> read_trace(const std::filesystem::path& path, io::Input& input,
                                   const base::FileRange& range, RawCopy* copy) {
  auto file = parse_trace(input, range, copy);
  if (input.problem()) return tl::unexpected(*input.problem());
  if (!file) {
    return text::fail("file_error.trace",
                      {{"path", path.string()}, text::argument("reason", std::move(file.error()))});
  }
  if (!range.is_all() && file->fault.empty()) file->fault = io::only_range(range);
  if (!file->fault.empty()) {
    file->fault = io::read_in_part(path, std::move(file->fault));
  }
  return file;
}

}  // namespace ts::trace_file
