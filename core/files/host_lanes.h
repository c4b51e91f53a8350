#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/run/run.h"
#include "core/trace_file/trace_file.h"

namespace ts::files {

// Puts host events, and what profilers recorded beside them, on tracks of a run: each thread has
// one for operators and annotations and one for Python, then the other kinds. The ranges of
// annotations on a device are beside the stream they are of; so are waits for a stream. A wait for
// a whole device is on the thread that waited. Private to opened_trace.cpp.
class HostLanes {
 public:
  explicit HostLanes(run::Run& run) : run_(run) {}

  // Creates the tracks; threads with the most operators come first.
  void make_tracks(const trace_file::TraceFile& file,
                   const std::function<std::string(std::uint32_t)>& name_of);
  // Call it in the order of begin, longer events first. Very deep events share the last row.
  void append(const trace_file::Event& event, const trace::Slice& slice);

 private:
  enum class Part : std::uint8_t { operators, python, device_marks, waits, overhead, other };
  struct Lane {
    trace::TrackId id = 0;
    std::vector<std::int64_t> ends;  // by depth: where the last slice ends
  };
  using Key = std::pair<std::uint32_t, Part>;  // track of the file
  static Part part_of(trace_file::EventKind kind);
  static trace::TrackKind kind_of(Part part, const std::string& name);  // of a thread
  void find_callers(const trace_file::TraceFile& file);
  [[nodiscard]] Key key_of(const trace_file::Event& event) const;
  [[nodiscard]] trace::Track track_of(const Key& key, const trace_file::TraceFile& file,
                                      std::string name) const;

  run::Run& run_;
  std::map<Key, Lane> lanes_;
  // By the correlation of a wait for a whole device: the track of the call that waited.
  std::unordered_map<std::int64_t, std::uint32_t> callers_;
};

}  // namespace ts::files
