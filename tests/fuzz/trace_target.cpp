#include "tests/fuzz/trace_target.h"

#include <utility>

#include "core/base/check.h"
#include "core/files/opened_trace.h"
#include "core/io/unpack.h"
#include "core/trace_file/trace_read.h"
#include "core/trace_file/trace_summary.h"

namespace ts::fuzz {

void feed_trace(std::string bytes) {
  auto unpacked = io::unpack(std::move(bytes));
  if (!unpacked) {
    TS_CHECK(!unpacked.error().sentence.empty());
    return;
  }
  auto file = trace_file::parse_trace(std::move(unpacked->content));
  if (!file) {
    TS_CHECK(!file.error().sentence.empty());
    return;
  }
  TS_CHECK(file->event_count >= file->memory.size() + file->flows.size());
  for (std::size_t i = 0; i < file->events.size(); ++i) {
    const trace_file::Event& event = file->events[i];
    TS_CHECK(event.track < file->tracks.size() && event.duration_ns >= 0);
    TS_CHECK(i == 0 || file->events[i - 1].begin_ns <= event.begin_ns);
    TS_CHECK(event.launch == trace_file::kNoLaunch || event.launch < file->launches.size());
  }
  const trace_file::TraceSummary summary = trace_file::summary_of(*file);
  TS_CHECK(summary.gpu_busy_ns >= 0 && summary.gpu_busy_ns <= summary.span_ns);
  const auto opened = files::open_trace(std::move(*file), 1);
  TS_CHECK(opened || !opened.error().sentence.empty());
  TS_CHECK(!opened || opened->run.trace.disordered() == 0);
}

}  // namespace ts::fuzz
