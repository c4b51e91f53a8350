#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "core/base/string_table.h"
#include "core/capture/batch.h"
#include "core/live/meeting_place.h"
#include "core/run/recording_stream.h"

namespace ts::live {

// A recording on its way to a window, in the process of the script. No call but end() waits: a
// thread sends what the others leave. At most `most_waiting` bytes and one piece are kept for a
// slow window; records beyond count as lost for it. After the window is gone nothing is kept.
class Outgoing {
 public:
  static constexpr std::size_t kMostWaiting = std::size_t{8} << 20;

  Outgoing(Descriptor socket, const base::StringTable& strings, const run::Run& run,
           std::size_t most_waiting = kMostWaiting);
  // Discards everything that was not sent.
  ~Outgoing();
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;

  // One thread. `peak`: the most bytes that were live so far.
  void add(const capture::Batch& batch, std::int64_t peak);
  // Any thread.
  void step(const run::StepTimes& times) { writer_.step(times); }
  // The last piece; `file`: see RecordingStreamWriter::end(). Waits until all is sent, or the
  // window took nothing for that long.
  void end(const run::Run& run, const std::string& file, std::chrono::milliseconds patience);
  // In a process forked from this one, whose thread is not here: the window must not wait for it.
  void leave_in_child() noexcept { socket_.close(); }

  // The window closed its end, or was closed.
  [[nodiscard]] bool gone() const { return gone_.load(std::memory_order_relaxed); }
  // Records that the window did not get while it was there.
  [[nodiscard]] std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  void push(std::string piece);
  void run();
  bool send_all(const std::string& piece);

  Descriptor socket_;
  run::RecordingStreamWriter writer_;
  const std::size_t most_waiting_;
  std::atomic<bool> gone_{false};
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<std::uint64_t> sent_{0};  // bytes
  std::mutex mutex_;                    // of the two below
  std::deque<std::string> waiting_;     // the first one is being sent
  std::size_t waiting_bytes_ = 0;
  std::condition_variable changed_;
  std::thread thread_;  // last: it uses all members above
};

}  // namespace ts::live
