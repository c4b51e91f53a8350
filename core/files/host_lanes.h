#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/run/run.h"
#include "core/trace_file/trace_file.h"

namespace ts::files {

// Puts host events, and what profilers recorded beside them, on tracks of a run: each thread has
// one for operators and annotations and one for Python, then the other kinds. Private to
// opened_trace.cpp.
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
  static Part part_of(trace_file::EventKind kind);

  run::Run& run_;
  std::map<std::pair<std::uint32_t, Part>, Lane> lanes_;  // by track of the file
};

}  // namespace ts::files
