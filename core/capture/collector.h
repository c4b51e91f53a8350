#pragma once

#include <functional>
#include <memory>

#include "core/capture/batch.h"
#include "core/capture/recorder.h"

namespace ts::capture {

// The collector thread: drains the rings of a Recorder every few milliseconds, makes text of
// shapes, classifies operators, and hands batches on. Records of one thread keep their order;
// memory records of several threads are merged by time, over batches too, so that a free never
// comes before its alloc. One Collector for one Recorder, both for one run.
class Collector {
 public:
  // Called on the collector thread, for batches that hold something.
  using Sink = std::function<void(Batch&&)>;

  Collector(Recorder& recorder, Sink sink);
  ~Collector();  // stops without a last drain
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // Drains everything that was pushed before the call and hands it on; returns when that is done.
  // Called by the worker at the end of recording; any thread may, recorded ones too, but not the
  // sink.
  void flush();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::capture
