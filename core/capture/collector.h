#pragma once

#include <functional>
#include <memory>

#include "core/capture/batch.h"
#include "core/capture/recorder.h"

namespace ts::capture {

// The collector thread: drains the rings of a Recorder every few milliseconds, converts shapes to
// text, classifies operators, and passes batches on. Records of one thread keep their order; memory
// records of several threads are merged by time, also across batches, so that a free never comes
// before its alloc. One Collector for one Recorder, both for one run.
class Collector {
 public:
  // Called on the collector thread, only for batches that are not empty.
  using Sink = std::function<void(Batch&&)>;

  Collector(Recorder& recorder, Sink sink);
  ~Collector();  // stops without a last drain
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // Drains everything that was pushed before the call, passes it on, and then returns. The worker
  // calls it at the end of recording; any thread may, including recorded ones, but not the sink.
  void flush();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::capture
