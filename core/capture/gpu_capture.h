#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/capture/buffer_pool.h"
#include "core/capture/gpu_buffer_file.h"
#include "core/capture/gpu_source.h"
#include "core/capture/recorder.h"

namespace ts::capture {

// Passes CUPTI's records to recorders. CUPTI's threads fill buffers of a pool; our thread requests
// the complete ones every 50 ms while a recording is open, reads them and passes their records on.
// We hold no lock across a flush, because CUPTI calls back inside it. One per process, never
// destroyed: CUPTI may call back at any time. Worker thread.
class GpuCapture {
 public:
  // A kernel appears at most 100 ms after its end: this period plus the collector's wait.
  static constexpr int kFlushMs = 50;

  // `source` must outlive it.
  explicit GpuCapture(const GpuSource& source);
  ~GpuCapture();
  GpuCapture(const GpuCapture&) = delete;
  GpuCapture& operator=(const GpuCapture&) = delete;

  // Checks that a write on the device is recorded. Empty if a record came within half a second;
  // else the reason why kernels cannot be recorded here.
  std::string self_test(int device);

  // Also keeps the data of the next recordings here as CUPTI wrote it, until null is given. Call it
  // between recordings only.
  void keep(GpuBufferFile* file) { kept_ = file; }

  // Everything between begin() and end() goes to the recorder. The device must be idle at end(),
  // which returns when all records were passed on. Returns a sentence when nothing is recorded.
  std::string begin(Recorder& recorder);
  void end();

 private:
  void run();
  void read_filled();
  [[nodiscard]] std::int64_t clock_ahead_ns() const;
  static base::StringId intern(void* user, const char* text, std::size_t length);
  static void take(void* user, const GpuRecord& record);
  static void keep_record(void* user, const void* record, std::size_t bytes);
  static void keep_text(void* user, const char* text);

  const GpuSource& source_;
  BufferPool pool_;
  Recorder* recorder_ = nullptr;  // null between recordings; reading_ guards it
  GpuBufferFile* kept_ = nullptr;
  std::vector<GpuRecord> read_;
  std::uint64_t counted_dropped_ = 0;
  std::int64_t ahead_at_begin_ns_ = 0;
  std::mutex reading_;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool open_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ts::capture
