#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/message.h"
#include "core/base/string_table.h"

namespace ts::trace_file {

// The kind of a trace event, by its category; category names changed from 2021 to 2026 and differ
// between GPU vendors.
enum class EventKind : std::uint8_t {
  op,               // an operator or autograd node on the host
  annotation,       // record_function and ProfilerStep
  python,           // a call of Python
  runtime,          // a call of CUDA, HIP or another maker's library
  kernel,           // on the device, like the next four
  copy,             //
  fill,             //
  gpu_annotation,   // the time range of an annotation's kernels
  synchronisation,  // waiting for the device
  overhead,         // of the profiler
  window,           // the whole time in which the profiler recorded
  other,
};
inline constexpr int kEventKindCount = 12;
// The category name that current Kineto versions write.
std::string_view to_string(EventKind kind);

inline constexpr std::uint32_t kNoLaunch = 0xFFFFFFFF;
inline constexpr std::int64_t kNoNumber = -1;

// A time interval. Times are those of the file, in nanoseconds.
struct Event {
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  std::int64_t correlation = kNoNumber;  // a call and what it started on the device share it
  std::int64_t external = kNoNumber;     // an operator and what it started share it
  std::int64_t bytes = 0;                // of a copy or fill
  base::StringId name = base::kNoString;
  base::StringId module = base::kNoString;  // path, in traces of our own
  base::StringId dims = base::kNoString;    // of its inputs, as JSON: "[[2, 3], []]"
  base::StringId types = base::kNoString;   // the same: "[\"float\", \"\"]"
  std::uint32_t track = 0;
  std::uint32_t launch = kNoLaunch;  // of a kernel: TraceFile::launches
  EventKind kind = EventKind::other;
  [[nodiscard]] std::int64_t end_ns() const { return begin_ns + duration_ns; }
};

// Launch parameters of kernels; each combination is stored once.
struct Launch {
  std::array<std::int32_t, 3> grid{};
  std::array<std::int32_t, 3> block{};
  std::int32_t registers = 0;
  std::int64_t shared_memory = 0;
  friend bool operator==(const Launch&, const Launch&) = default;
};

// A thread of the host or a stream of a device, as written in the file: numbers may be texts.
struct Track {
  std::string process;
  std::string thread;
  std::string process_name = {};
  std::string thread_name = {};
  std::int32_t device = -1;  // of events that ran there
  std::int64_t stream = kNoNumber;
};

// 1 in the traces of ranks that became one, whose processes are named "rank 1"; else kNoNumber.
std::int64_t rank_number(const Track& track);
inline bool is_of_rank(const Track& track) {
  return rank_number(track) != kNoNumber;
}

// One end of an arrow.
struct FlowEnd {
  enum class Kind : std::uint8_t { launch, autograd, other };
  std::int64_t id = 0;
  std::int64_t time_ns = 0;
  std::uint32_t track = 0;
  Kind kind = Kind::other;
  bool begins = false;
};

// An allocation or free that the profiler recorded: a "[memory]" event.
struct MemoryEvent {
  std::int64_t time_ns = 0;
  std::uint64_t address = 0;
  std::int64_t bytes = 0;  // negative: a free
  std::int64_t total_allocated = kNoNumber;
  std::int64_t total_reserved = kNoNumber;
  std::int32_t device = -1;  // -1: the host
  std::uint32_t track = 0;   // of the thread that asked
};

// A number over time: one series of the events of one counter ("C").
struct CounterPoint {
  std::int64_t time_ns = 0;
  double value = 0;  // finite; from then on
};
struct Counter {
  std::string process;  // as written in the file
  base::StringId name = base::kNoString;
  base::StringId series = base::kNoString;  // its name among the args
  std::vector<CounterPoint> points;         // by time
};

// A trace of torch.profiler or another program that writes Chrome's format.
struct TraceFile {
  std::shared_ptr<base::StringTable> strings = std::make_shared<base::StringTable>();
  std::vector<Track> tracks;
  std::vector<Event> events;  // by begin; among equal begins the longer first
  std::vector<Launch> launches;
  std::vector<FlowEnd> flows;
  std::vector<MemoryEvent> memory;
  std::vector<Counter> counters;  // in the order of the file
  std::size_t event_count = 0;    // entries of traceEvents, of every kind
  std::int64_t schema = kNoNumber;
  std::int64_t base_time_ns = 0;  // Unix time of time 0; 0: unknown
  std::int64_t rank = kNoNumber;
  std::vector<std::string> devices;  // their names
  std::size_t bytes = 0;             // unpacked
  std::size_t packed = 0;            // size of the file where it is packed; 0: it is not
  // Where only a part was asked for: its time, out of which events may last, or that it is a part
  // by the numbers of the events, whose kernels may be missing.
  std::optional<base::TimeRange> window;
  bool by_number = false;
  std::size_t in_range = 0;  // then: events that lie there, at least in part; names do not count
  // The reason why the file was not read completely, with the position; earlier values are kept.
  base::Message fault;
};

}  // namespace ts::trace_file
