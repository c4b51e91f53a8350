#include "views/charts/run_time.h"

#include "core/allocator/snapshot_figures.h"
#include "core/allocator/snapshot_of_log.h"
#include "core/files/opened_file.h"

namespace ts::views {

bool may_have_memory(const run::Run& run) {
  return !run.finished || !run.memory.events().empty();
}

MemorySource memory_source(const ViewContext& context) {
  if (context.run == nullptr) return context.memory;
  const run::Run& run = *context.run;
  if (context.memory.log != nullptr) {
    MemorySource source = context.memory;
    // A file's timeline and its memory have one clock.
    if (source.kind == MemorySource::Kind::opened) source.range = run.range();
    return source;
  }
  MemorySource source;
  source.log = &run.memory;
  source.id = run.id;
  source.range = run.range();
  source.growing =
      !run.finished && run.stage != run::Stage::warmup && run.stage != run::Stage::timing;
  source.limit = run.limit;
  if (run.finished) source.owner = context.memory.owner;
  return source;
}

bool has_clock(const ViewContext& context, const MemorySource& source) {
  if (source.kind == MemorySource::Kind::predicted) return false;
  return context.file == nullptr || has_clock(context.file->file.snapshot);
}

bool holds(const trace::TraceStore& store, trace::SliceRef ref) {
  return ref.track < store.tracks().size() && ref.depth < store.depth_count(ref.track) &&
         ref.index < store.lane_size(ref.track, ref.depth);
}

std::optional<trace::SliceRef> slice_of_allocation(const run::Run& run, std::int64_t time_ns,
                                                   base::StringId op) {
  std::optional<trace::SliceRef> deepest;
  const auto tracks = run.trace.tracks();
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    if (tracks[t].kind == trace::TrackKind::phases) continue;
    const auto track = static_cast<trace::TrackId>(t);
    for (int depth = run.trace.depth_count(track) - 1; depth >= 0; --depth) {
      const auto found = run.trace.slice_at(track, static_cast<std::uint16_t>(depth), time_ns);
      if (!found) continue;
      const trace::Slice slice = run.trace.slice(*found);
      if (slice.name == op) return found;
      const bool deeper = !deepest || found->depth > deepest->depth;
      if (slice.slice_class >= trace::SliceClass::matmul && deeper) deepest = found;
    }
  }
  return deepest;
}

}  // namespace ts::views
