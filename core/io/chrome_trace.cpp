#include "core/io/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/io/json_text.h"

namespace ts::io {
namespace {

// Order as in trace::SliceClass.
constexpr std::array<std::string_view, trace::kSliceClassCount> kCategory = {
    "step",   "setup",   "forward",     "loss", "backward", "optimizer", "module",
    "matmul", "softmax", "elementwise", "norm", "copy",     "attention", "other"};

constexpr int kCpuProcess = 1;
constexpr int kGpuProcess = 2;

int process_of(const trace::Track& track) {
  return track.device >= 0 || track.kind >= trace::TrackKind::gpu_stream ? kGpuProcess
                                                                         : kCpuProcess;
}

// Writes one document, event by event, in pieces of about a megabyte.
class Writer {
 public:
  Writer(const WritePiece& write, const base::StringTable& strings, std::int64_t origin_ns)
      : write_(write), strings_(strings), origin_ns_(origin_ns), quoted_(strings.size()) {}

  void begin() { out_ += R"({"displayTimeUnit":"ns","traceEvents":[)"; }

  void process_name(int process, std::string_view name) {
    name_event("process_name", process, 0, name);
  }

  void track_name(trace::TrackId id, const trace::Track& track) {
    name_event("thread_name", process_of(track), thread_of(id), track.name);
    begin_event('M', process_of(track), thread_of(id));
    out_ += R"(,"name":"thread_sort_index","args":{"sort_index":)";
    append_integer(out_, id);
    out_ += "}}";
  }

  void slice(int process, trace::TrackId track, const trace::Slice& slice) {
    begin_event('X', process, thread_of(track));
    out_ += R"(,"ts":)";
    append_microseconds(out_, slice.begin_ns - origin_ns_);
    out_ += R"(,"dur":)";
    append_microseconds(out_, slice.duration_ns);
    out_ += R"(,"cat":")";
    out_ += kCategory[static_cast<std::size_t>(slice.slice_class)];
    out_ += R"(","name":)";
    append_string(slice.name);
    if (slice.module != base::kNoString || slice.detail != base::kNoString) {
      out_ += R"(,"args":{)";
      if (slice.module != base::kNoString) {
        out_ += R"("module":)";
        append_string(slice.module);
        if (slice.detail != base::kNoString) out_ += ',';
      }
      if (slice.detail != base::kNoString) {
        out_ += R"("shapes":)";
        append_string(slice.detail);
      }
      out_ += '}';
    }
    out_ += '}';
  }

  // One end of an arrow; bp "e" ties the point to the slice around it, not to the next one.
  void flow(bool start, int process, trace::TrackId track, const trace::Slice& slice) {
    begin_event(start ? 's' : 'f', process, thread_of(track));
    if (!start) out_ += R"(,"bp":"e")";
    out_ += R"(,"cat":"forward_backward","name":"forward to backward","id":)";
    append_integer(out_, slice.flow);
    out_ += R"(,"ts":)";
    append_microseconds(out_, slice.begin_ns - origin_ns_);
    out_ += '}';
  }

  void allocated(std::int64_t time_ns, std::int64_t bytes) {
    begin_event('C', kCpuProcess, 0);
    out_ += R"(,"name":"allocated","ts":)";
    append_microseconds(out_, time_ns - origin_ns_);
    out_ += R"(,"args":{"bytes":)";
    append_integer(out_, bytes);
    out_ += "}}";
  }

  void end(std::string_view metadata) {
    out_ += "\n],\"otherData\":";
    out_ += metadata;
    out_ += "}\n";
    write_(out_);
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;

  // Thread 0 of a process is the process itself to some viewers.
  static int thread_of(trace::TrackId track) { return track + 1; }

  void begin_event(char kind, int process, int thread) {
    if (out_.size() >= kPiece) {
      write_(out_);
      out_.clear();
    }
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
    out_ += R"({"ph":")";
    out_ += kind;
    out_ += R"(","pid":)";
    append_integer(out_, process);
    out_ += R"(,"tid":)";
    append_integer(out_, thread);
  }

  void name_event(std::string_view what, int process, int thread, std::string_view name) {
    begin_event('M', process, thread);
    out_ += R"(,"name":")";
    out_ += what;
    out_ += R"(","args":{"name":)";
    append_json_string(out_, name);
    out_ += "}}";
  }

  // Escaped once for each string of the table.
  void append_string(base::StringId id) {
    if (id >= quoted_.size()) {
      append_json_string(out_, strings_.view(id));
      return;
    }
    std::string& quoted = quoted_[id];
    if (quoted.empty()) append_json_string(quoted, strings_.view(id));
    out_ += quoted;
  }

  const WritePiece& write_;
  const base::StringTable& strings_;
  std::int64_t origin_ns_;
  std::vector<std::string> quoted_;
  std::string out_;
  bool first_ = true;
};

std::int64_t origin_of(const trace::TraceStore& trace, const memory::AllocationLog& memory) {
  if (memory.events().empty()) return trace.range().begin;
  const std::int64_t memory_begin = memory.events().front().time_ns;
  return trace.slice_count() == 0 ? memory_begin : std::min(trace.range().begin, memory_begin);
}

void write_names(Writer& writer, const trace::TraceStore& trace) {
  writer.process_name(kCpuProcess, "CPU");
  const auto tracks = trace.tracks();
  const bool gpu = std::any_of(tracks.begin(), tracks.end(), [](const trace::Track& track) {
    return process_of(track) == kGpuProcess;
  });
  if (gpu) writer.process_name(kGpuProcess, "GPU");
  for (std::size_t id = 0; id < tracks.size(); ++id) {
    writer.track_name(static_cast<trace::TrackId>(id), tracks[id]);
  }
}

// The end of the link that `ref` stands for, if it stands for one: each arrow has two ends only.
void write_flow(Writer& writer, const trace::TraceStore& trace, int process, trace::SliceRef ref,
                const trace::Slice& slice) {
  const auto partner = trace.flow_partner(ref);
  if (!partner || trace.flow_partner(*partner) != ref) return;
  const trace::Slice other = trace.slice(*partner);
  const bool start = slice.begin_ns != other.begin_ns ? slice.begin_ns < other.begin_ns
                                                      : ref.track < partner->track;
  writer.flow(start, process, ref.track, slice);
}

// Lane by lane, outer before inner: viewers sort by time and keep the order of what begins
// together.
void write_slices(Writer& writer, const trace::TraceStore& trace) {
  const auto tracks = trace.tracks();
  for (std::size_t id = 0; id < tracks.size(); ++id) {
    const auto track = static_cast<trace::TrackId>(id);
    const int process = process_of(tracks[id]);
    for (std::uint16_t depth = 0; depth < trace.depth_count(track); ++depth) {
      const std::uint32_t count = trace.lane_size(track, depth);
      for (std::uint32_t index = 0; index < count; ++index) {
        const trace::SliceRef ref{.track = track, .depth = depth, .index = index};
        const trace::Slice slice = trace.slice(ref);
        writer.slice(process, track, slice);
        if (slice.flow != 0) write_flow(writer, trace, process, ref, slice);
      }
    }
  }
}

void write_allocated(Writer& writer, const memory::AllocationLog& memory) {
  std::int64_t last = -1;
  for (const memory::Event& event : memory.events()) {
    if (event.total_after == last) continue;
    last = event.total_after;
    writer.allocated(event.time_ns, last);
  }
}

}  // namespace

base::Result<void> write_chrome_trace(const std::filesystem::path& path,
                                      const base::StringTable& strings,
                                      const trace::TraceStore& trace,
                                      const memory::AllocationLog& memory,
                                      const std::string& metadata) {
  const std::string_view extra = metadata.empty() ? std::string_view("{}") : metadata;
  if (const auto json = parse_json(extra); !json || !json->is_object()) {
    return base::fail(
        fmt::format("Cannot write {}: the metadata is not a JSON object.", path.string()));
  }
  return write_file(path, [&](const WritePiece& write) {
    Writer writer(write, strings, origin_of(trace, memory));
    writer.begin();
    write_names(writer, trace);
    write_slices(writer, trace);
    write_allocated(writer, memory);
    writer.end(extra);
  });
}

}  // namespace ts::io
