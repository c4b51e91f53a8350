#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/clock.h"
#include "core/base/message.h"
#include "core/loader/caches.h"
#include "core/loader/data_set.h"
#include "core/loader/image.h"
#include "core/loader/loading.h"
#include "core/loader/order.h"
#include "core/loader/plan.h"
#include "core/simulate/simulation.h"

namespace ts::loader {

// Numbers of a batch: pixels of images, tokens with their rows padded by 0, and where sequences
// begin, as kernels for packed rows take them.
struct Buffers {
  std::vector<float> pixels;
  std::vector<std::uint8_t> stacked;
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> begins;
  std::size_t slot = 0;  // of memory that processes share
};

struct MadeBatch {
  double begun = 0;
  Buffers buffers;
};

// Times of one load, shared by its threads and processes.
class Watch {
 public:
  explicit Watch(std::int64_t begin_ns = base::now_ns()) : begin_(begin_ns) {}
  [[nodiscard]] double now() const { return static_cast<double>(base::now_ns() - begin_) * 1e-9; }
  [[nodiscard]] std::int64_t begin_ns() const { return begin_; }

 private:
  std::int64_t begin_;
};

// Shared by all workers, which only read it, but for the caches, which guard themselves.
struct Shop {
  const Plan& plan;
  const DataSet& set;
  const std::vector<Batch>& batches;
  std::vector<std::size_t> first_use;  // of each batch, among the uses of all
  ImageCaches& caches;
  const base::CancelToken& cancel;
  Watch watch = Watch();
  std::vector<std::string> kept = {};  // all samples, where they were read first
};

std::vector<std::size_t> first_uses(const std::vector<Batch>& batches);
ImageCaches caches_for(const Plan& plan, const std::vector<Batch>& batches,
                       const std::filesystem::path& folder);
// Empty ones cannot be read; whoever needs them says why.
std::vector<std::string> all_samples(const DataSet& set, const base::CancelToken& cancel);

// The times and counts of one worker.
struct Made {
  WorkerTimes times;
  std::uint64_t samples = 0, tokens = 0, left_out = 0, bytes = 0, preloaded = 0;
  std::uint64_t handed = 0;    // bytes of batches that came from another process
  std::uint64_t resident = 0;  // most memory of a process of its own
  std::vector<base::Message> faults;
  std::vector<simulate::Interval> spans;
  ImageCaches::Counts caches;  // of a process of its own
  bool ended = false;          // early

  void note(base::Message fault);
  void span(std::size_t lane, const char* name, double from, double to,
            simulate::Interval::Kind kind);
  // Waited for room since then.
  void waited(std::size_t lane, double from, double to);
};

// Makes batches. One thread each.
class Maker {
 public:
  Maker(const Shop& shop, std::size_t lane)
      : shop_(&shop), lane_(lane), reader_(shop.set, shop.plan.mapped) {}

  MadeBatch make(std::size_t number, Buffers buffers);

  Made made;

 private:
  void stage(const char* name, double& from, double WorkerTimes::*sum,
             simulate::Interval::Kind kind = simulate::Interval::Kind::compute);
  void leave_out(const Sample& sample, base::Message why);
  bool read(std::uint32_t number);
  ImageCaches::Pixels image(std::uint32_t number, std::size_t use, double& from);
  void make_images(std::size_t number, Buffers& to);
  void make_tokens(std::size_t number, Buffers& to);

  const Shop* shop_;
  std::size_t lane_;
  SampleReader reader_;
  JpegCoder coder_;
  std::string room_;
  std::string_view content_;  // of the sample that was read last
};

}  // namespace ts::loader
