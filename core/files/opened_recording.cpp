#include "core/files/opened_recording.h"

#include <utility>

#include "core/allocator/snapshot_of_log.h"
#include "core/files/trace_of_run.h"
#include "core/findings/script_findings.h"
#include "core/run/recording.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::files {
namespace {

// The figures of a trace, whose names are in another table.
trace_file::TraceSummary summary_in(const trace_file::TraceFile& file, base::StringTable& strings) {
  trace_file::TraceSummary summary = trace_file::summary_of(file);
  const auto translate = [&](auto& rows) {
    for (auto& row : rows) row.name = strings.intern(file.strings->view(row.name));
  };
  translate(summary.kernels);
  translate(summary.operators);
  translate(summary.steps);
  return summary;
}

}  // namespace

base::Result<OpenedTrace> open_recording(std::string_view content, run::RunId id) {
  auto strings = std::make_shared<base::StringTable>();
  TS_TRY(auto read, run::read_recording(content, id, *strings));
  OpenedTrace opened{{}, std::move(*read), {}, {}, true};
  RecordingFigures figures = figures_of(opened.run, strings, content.size());
  opened.about = std::move(figures.about);
  opened.summary = std::move(figures.summary);
  opened.findings = std::move(figures.findings);
  return opened;
}

RecordingFigures figures_of(const run::Run& run, const std::shared_ptr<base::StringTable>& strings,
                            std::size_t bytes) {
  RecordingFigures figures;
  trace_file::TraceFile file = trace_of_run(run, *strings);
  figures.summary = summary_in(file, *strings);
  figures.findings = findings::of_script(run, *strings);
  figures.about.tracks = std::move(file.tracks);
  figures.about.devices = std::move(file.devices);
  figures.about.event_count =
      static_cast<std::size_t>(run.trace.slice_count()) + run.memory.events().size();
  figures.about.bytes = bytes;
  figures.about.strings = strings;
  if (run.dropped > 0) {
    figures.about.fault = text::message("recording.lost", {{"count", text::grouped(run.dropped)}});
  }
  return figures;
}

snapshot::SnapshotFile snapshot_of_run(const run::Run& run, const base::StringTable& strings,
                                       std::size_t bytes) {
  snapshot::SnapshotFile file;
  file.snapshot = allocator::snapshot_of(run.memory, strings);
  file.bytes = bytes;
  return file;
}

}  // namespace ts::files
