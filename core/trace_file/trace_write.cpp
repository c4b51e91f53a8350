#include "core/trace_file/trace_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/io/json_text.h"
#include "core/io/unpack.h"
#include "core/text/message.h"
#include "core/trace_file/event_fields.h"

namespace ts::trace_file {
namespace {

// Numeric ids of processes and threads are written without quotes.
void append_id(std::string& out, std::string_view id) {
  constexpr std::size_t kMostDigits = 18;
  const bool number = !id.empty() && id.size() <= kMostDigits &&
                      id.find_first_not_of("0123456789") == std::string_view::npos &&
                      (id.size() == 1 || id.front() != '0');
  if (number) {
    out += id;
  } else {
    io::append_json_string(out, id);
  }
}

void append_start(std::string& out, char phase, std::string_view process, std::string_view thread) {
  out += R"({"ph":")";
  out += phase;
  out += R"(","pid":)";
  append_id(out, process);
  out += R"(,"tid":)";
  append_id(out, thread);
}

std::string name_event(const Track& track, std::string_view what, std::string_view value) {
  std::string out;
  append_start(out, 'M', track.process, track.thread);
  out.append(R"(,"name":")").append(what).append(R"(","args":{"name":)");
  io::append_json_string(out, value);
  return out += "}}";
}

// True if a list, kept in its original text, holds only numbers or plain texts.
bool is_plain_list(std::string_view list) {
  constexpr std::string_view kStructure = "[]{}, \":_-+.<>*&()";
  return list.starts_with('[') && std::ranges::all_of(list, [&](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  kStructure.find(c) != std::string_view::npos;
         });
}

class Writer {
 public:
  Writer(const io::WritePiece& write, const TraceFile& file)
      : write_(write), file_(file), quoted_(file.strings->size()) {}

  void run(std::string_view metadata) {
    on_devices_ =
        std::ranges::any_of(file_.memory, [](const auto& one) { return one.device >= 0; });
    begin();
    for (const std::string& each : name_events(file_.tracks)) {
      separate();
      out_ += each;
    }
    for (const Event& each : file_.events) event(each);
    for (const FlowEnd& each : file_.flows) flow(each);
    for (const MemoryEvent& each : file_.memory) memory(each);
    out_ += "\n],\"otherData\":";
    out_ += metadata;
    out_ += "}\n";
    write_(out_);
  }

 private:
  void begin() {
    out_ += R"({"schemaVersion":1,"displayTimeUnit":"ms",)";
    if (file_.base_time_ns > 0) {
      out_ += R"("baseTimeNanoseconds":)";
      io::append_integer(out_, file_.base_time_ns);
      out_ += ',';
    }
    if (file_.rank >= 0) {
      out_ += R"("distributedInfo":{"rank":)";
      io::append_integer(out_, file_.rank);
      out_ += "},";
    }
    out_ += R"("deviceProperties":[)";
    for (std::size_t i = 0; i < file_.devices.size(); ++i) {
      out_ += i == 0 ? R"({"id":)" : R"(,{"id":)";
      io::append_integer(out_, static_cast<std::int64_t>(i));
      out_ += R"(,"name":)";
      io::append_json_string(out_, file_.devices[i]);
      out_ += '}';
    }
    out_ += R"(],"traceEvents":[)";
  }

  void event(const Event& event) {
    start('X', event.track);
    time("ts", event.begin_ns);
    time("dur", event.duration_ns);
    text("cat", to_string(event.kind));
    out_ += R"(,"name":)";
    append_string(event.name);
    out_ += R"(,"args":{)";
    first_argument_ = true;
    if (event.external != kNoNumber) number("External id", event.external);
    if (event.correlation != kNoNumber) number("correlation", event.correlation);
    if (event.module != base::kNoString) {
      key("module");
      append_string(event.module);
    }
    list("Input Dims", event.dims);
    list("Input type", event.types);
    if (is_on_device(event.kind)) device(event);
    out_ += "}}";
  }

  void device(const Event& event) {
    const Track& track = file_.tracks[event.track];
    number("device", std::max(track.device, 0));
    if (track.stream != kNoNumber) number("stream", track.stream);
    if (event.bytes > 0) number("bytes", event.bytes);
    if (event.launch == kNoLaunch) return;
    const Launch& launch = file_.launches[event.launch];
    number("registers per thread", launch.registers);
    number("shared memory", launch.shared_memory);
    triple("grid", launch.grid);
    triple("block", launch.block);
  }

  void flow(const FlowEnd& end) {
    const bool launch = end.kind == FlowEnd::Kind::launch;
    const std::string_view category = launch                                ? "ac2g"
                                      : end.kind == FlowEnd::Kind::autograd ? "fwdbwd"
                                                                            : "flow";
    start(end.begins ? 's' : 'f', end.track);
    time("ts", end.time_ns);
    text("cat", category);
    text("name", category);
    if (!end.begins) text("bp", "e");
    out_ += R"(,"id":)";
    io::append_integer(out_, end.id);
    out_ += '}';
  }

  void memory(const MemoryEvent& event) {
    start('i', event.track);
    time("ts", event.time_ns);
    text("s", "t");
    text("cat", "cpu_instant_event");
    text("name", "[memory]");
    out_ += R"(,"args":{)";
    first_argument_ = true;
    key("Addr");
    out_ += std::to_string(event.address);
    number("Bytes", event.bytes);
    number("Device Type", event.device >= 0 ? 1 : 0);
    number("Device Id", std::max(event.device, -1));
    if (event.total_reserved != kNoNumber) number("Total Reserved", event.total_reserved);
    if (event.total_allocated != kNoNumber) number("Total Allocated", event.total_allocated);
    out_ += "}}";
    if (event.total_allocated != kNoNumber) counter(event);
  }

  // A counter event, which Perfetto draws as a curve.
  void counter(const MemoryEvent& event) {
    start('C', event.track);
    time("ts", event.time_ns);
    // Curves of one name and process are one.
    const std::string name = event.device > 0 ? fmt::format("allocated on GPU {}", event.device)
                             : event.device < 0 && on_devices_ ? "allocated on the host"
                                                               : "allocated";
    text("name", name);
    out_ += R"(,"args":{"bytes":)";
    io::append_integer(out_, event.total_allocated);
    out_ += "}}";
  }

  void separate() {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    if (out_.size() >= kPiece) {
      write_(out_);
      out_.clear();
    }
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
  }
  void start(char phase, std::uint32_t track) {
    separate();
    const bool known = track < file_.tracks.size();
    append_start(out_, phase, known ? std::string_view(file_.tracks[track].process) : "0",
                 known ? std::string_view(file_.tracks[track].thread) : "0");
  }
  void time(std::string_view name, std::int64_t nanoseconds) {
    out_ += ",\"";
    out_ += name;
    out_ += "\":";
    io::append_microseconds(out_, nanoseconds);
  }
  // For our own words, which need no escapes.
  void text(std::string_view name, std::string_view value) {
    out_ += ",\"";
    out_ += name;
    out_ += "\":\"";
    out_ += value;
    out_ += '"';
  }
  void key(std::string_view name) {
    if (!first_argument_) out_ += ',';
    first_argument_ = false;
    out_ += '"';
    out_ += name;
    out_ += "\":";
  }
  void number(std::string_view name, std::int64_t value) {
    key(name);
    io::append_integer(out_, value);
  }
  void triple(std::string_view name, const std::array<std::int32_t, 3>& numbers) {
    key(name);
    out_ += fmt::format("[{},{},{}]", numbers[0], numbers[1], numbers[2]);
  }
  void list(std::string_view name, base::StringId id) {
    const std::string_view raw = file_.strings->view(id);
    if (!is_plain_list(raw)) return;
    key(name);
    out_ += raw;
  }
  // Escapes each string of the table once.
  void append_string(base::StringId id) {
    std::string& quoted = quoted_[id];
    if (quoted.empty()) io::append_json_string(quoted, file_.strings->view(id));
    out_ += quoted;
  }

  const io::WritePiece& write_;
  const TraceFile& file_;
  std::vector<std::string> quoted_;
  std::string out_;
  bool first_ = true;
  bool first_argument_ = true;
  bool on_devices_ = false;  // memory of a device is told
};

void append_csv(std::string& out, std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_number(std::string& out, std::int64_t number) {
  out += ',';
  if (number != kNoNumber) io::append_integer(out, number);
}

}  // namespace

std::vector<std::string> name_events(const std::vector<Track>& tracks) {
  std::vector<std::string> events;
  std::set<std::string_view> told;
  for (const Track& track : tracks) {
    if (!track.process_name.empty() && told.insert(track.process).second)
      events.push_back(name_event(track, "process_name", track.process_name));
    if (!track.thread_name.empty())
      events.push_back(name_event(track, "thread_name", track.thread_name));
  }
  return events;
}

base::Result<void> write_trace(const std::filesystem::path& path, const TraceFile& file,
                               const std::string& metadata) {
  const std::string_view extra = metadata.empty() ? std::string_view("{}") : metadata;
  if (const auto json = io::parse_json(extra); !json || !json->is_object()) {
    return text::fail("file_error.write",
                      {{"path", path.string()},
                       text::argument("reason", text::message("file_error.reason.metadata"))});
  }
  return io::write_file(path, [&](const io::WritePiece& write) { Writer(write, file).run(extra); });
}

base::Result<void> write_trace_csv(const std::filesystem::path& path, const TraceFile& file) {
  return io::write_as_named(path, [&](const io::WritePiece& write) {
    std::string line = "name,category,process,thread,begin_us,dur_us,correlation,external_id\n";
    for (const Event& event : file.events) {
      const Track& track = file.tracks[event.track];
      append_csv(line, file.strings->view(event.name));
      line += ',';
      line += to_string(event.kind);
      line += ',';
      append_csv(line, track.process);
      line += ',';
      append_csv(line, track.thread);
      line += ',';
      io::append_microseconds(line, event.begin_ns);
      line += ',';
      io::append_microseconds(line, event.duration_ns);
      append_number(line, event.correlation);
      append_number(line, event.external);
      line += '\n';
      write(line);
      line.clear();
    }
    if (!line.empty()) write(line);
  });
}

}  // namespace ts::trace_file
