#include "core/capture/decoder.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/base/check.h"
#include "core/trace/slice_class.h"

namespace ts::capture {

namespace {

constexpr std::uint8_t kNotClassified = 0xFF;
constexpr trace::TrackId kPhasesTrack = 0;

}  // namespace

trace::TrackId Decoder::add_track(trace::Track track) {
  if (track_count_ == 0 && track.kind != trace::TrackKind::phases)
    add_track({trace::TrackKind::phases, "phases"});
  TS_CHECK(track_count_ <= std::numeric_limits<trace::TrackId>::max());
  const auto id = static_cast<trace::TrackId>(track_count_);
  new_tracks_.push_back({id, std::move(track)});
  ++track_count_;
  return id;
}

void Decoder::add_thread(trace::TrackKind kind, const std::string& name) {
  if (track_count_ == 0) add_track({trace::TrackKind::phases, "phases"});
  Thread thread;
  thread.track = kPhasesTrack;
  if (kind != trace::TrackKind::phases) {
    thread.track = add_track({kind, name});
  }
  threads_.push_back(std::move(thread));
}

trace::SliceClass Decoder::class_of_name(base::StringId name) {
  if (name >= classes_.size()) classes_.resize(std::size_t{name} + 1, kNotClassified);
  std::uint8_t& known = classes_[name];
  if (known == kNotClassified) {
    known = static_cast<std::uint8_t>(trace::classify_operator(strings_.view(name)));
  }
  return static_cast<trace::SliceClass>(known);
}

void Decoder::take(std::size_t thread_index, const RawRecord& record) {
  Thread& thread = threads_[thread_index];
  Batch::Row row;
  row.track = thread.track;
  row.depth = record.depth;
  row.slice.begin_ns = record.begin_ns;
  row.slice.duration_ns = std::max<std::int64_t>(0, record.end_ns - record.begin_ns);
  row.slice.name = record.name;
  row.slice.module = record.module;
  switch (record.kind) {
    case RawKind::step:
    case RawKind::phase:
      row.track = kPhasesTrack;
      row.slice.slice_class =
          record.kind == RawKind::step ? trace::SliceClass::step : trace::class_of(record.phase);
      phase_rows_.push_back(row);
      return;
    case RawKind::module:
      row.slice.slice_class = trace::SliceClass::module;
      break;
    case RawKind::op:
      row.slice.slice_class = class_of_name(record.name);
      row.slice.detail = shapes_.id(record.shapes);
      break;
    case RawKind::memory:
      TS_CHECK(record.kind != RawKind::memory);
      break;
  }
  thread.rows.push_back(row);
  thread.busy = true;
  if (record.kind == RawKind::op) link_flow(thread, record);
  if (record.depth == 0) thread.flows.outermost_ended();
}

void Decoder::link_flow(Thread& thread, const RawRecord& record) {
  if (record.backward) {
    thread.rows.back().slice.flow = thread.flows.backward(record.sequence, record.begin_ns);
    return;
  }
  thread.flows.forward(thread.rows.size() - 1, record.sequence, record.begin_ns, links_);
  apply_links(thread);
}

void Decoder::apply_links(Thread& thread) {
  for (const FlowLinker::Link& link : links_) thread.rows[link.row].slice.flow = link.flow;
  links_.clear();
}

void Decoder::hand_over(bool all, Batch& batch) {
  std::move(new_tracks_.begin(), new_tracks_.end(), std::back_inserter(batch.tracks));
  new_tracks_.clear();
  batch.slices.insert(batch.slices.end(), phase_rows_.begin(), phase_rows_.end());
  phase_rows_.clear();
  for (Thread& thread : threads_) {
    if (all || !thread.busy) {
      thread.flows.settle(links_);
      apply_links(thread);
    }
    thread.busy = false;
    const std::size_t ready =
        thread.flows.pending() ? thread.flows.pending_row() : thread.rows.size();
    const auto end = thread.rows.begin() + static_cast<std::ptrdiff_t>(ready);
    batch.slices.insert(batch.slices.end(), thread.rows.begin(), end);
    thread.rows.erase(thread.rows.begin(), end);
    thread.flows.rebase(ready);
  }
}

}  // namespace ts::capture
