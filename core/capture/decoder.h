#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/phase.h"
#include "core/base/string_table.h"
#include "core/capture/batch.h"
#include "core/capture/flow_linker.h"
#include "core/capture/raw_record.h"
#include "core/capture/shape_text.h"

namespace ts::capture {

// Turns raw slices of threads into rows of tracks. Track 0 holds steps and phases; after it every
// thread gets its own track, in the order of add_thread(). One owner thread.
class Decoder {
 public:
  explicit Decoder(base::StringTable& strings) : strings_(strings), shapes_(strings) {}

  // Threads are numbered from 0. A thread of kind phases shares track 0.
  void add_thread(trace::TrackKind kind, const std::string& name);
  // Adds a track for rows that other classes produce.
  trace::TrackId add_track(trace::Track track);
  [[nodiscard]] std::size_t thread_count() const { return threads_.size(); }

  // Adds a slice (not a memory record) of a thread. Slices come in the order in which they end.
  void take(std::size_t thread, const RawRecord& record);

  // Moves rows and new tracks to a batch. The row whose flow is not settled yet and the rows after
  // it stay until the next call, unless their thread had no records since the last call or `all` is
  // set.
  void hand_over(bool all, Batch& batch);

 private:
  struct Thread {
    trace::TrackId track = 0;
    std::vector<Batch::Row> rows;
    FlowLinker flows;
    bool busy = false;  // had records since the last hand_over()
  };

  trace::SliceClass class_of_name(base::StringId name);
  void link_flow(Thread& thread, const RawRecord& record);
  void apply_links(Thread& thread);

  base::StringTable& strings_;
  ShapeTexts shapes_;
  std::vector<std::uint8_t> classes_;  // by StringId
  std::vector<Thread> threads_;
  std::vector<Batch::Row> phase_rows_;
  std::vector<Batch::NewTrack> new_tracks_;
  std::size_t track_count_ = 0;
  std::vector<FlowLinker::Link> links_;  // kept to spare an allocation per record
};

}  // namespace ts::capture
