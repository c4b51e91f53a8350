// The only threads of the loader, and where batches are made.
#include "core/loader/loading.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "core/base/clock.h"
#include "core/loader/image.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::loader {
namespace {

using Kind = simulate::Interval::Kind;

constexpr auto kLook = std::chrono::milliseconds(20);  // how often a cancel is seen
constexpr double kShortWait = 20e-6;                   // shorter ones are not drawn
constexpr std::size_t kMostSpans = 400'000;            // of a worker

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// That this thread could have run, but another one had the core. Linux tells it where it is built
// to (proc(5), schedstat).
double queued_seconds() {
  std::ifstream file("/proc/thread-self/schedstat");
  double ran = 0, queued = 0;
  return file >> ran >> queued ? queued * 1e-9 : 0;
}

std::size_t cores_here() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

// Numbers of a batch: pixels of images, tokens with their rows padded by 0, and where sequences
// begin, as kernels for packed rows take them.
struct Buffers {
  std::vector<float> pixels;
  std::vector<std::uint8_t> stacked;
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> begins;
};

struct MadeBatch {
  double begun = 0;
  Buffers buffers;
};

// Times of one load, shared by its threads.
class Watch {
 public:
  [[nodiscard]] double now() const { return static_cast<double>(base::now_ns() - begin_) * 1e-9; }

 private:
  std::int64_t begin_ = base::now_ns();
};

// Shared by all workers, which only read it, but for the caches, which guard themselves.
struct Shop {
  const Plan& plan;
  const DataSet& set;
  const std::vector<Batch>& batches;
  std::vector<std::size_t> first_use;  // of each batch, among the uses of all
  ImageCaches& caches;
  const base::CancelToken& cancel;
  Watch watch = {};
  std::vector<std::string> kept = {};  // all samples, where they were read first
};

// Makes batches. One thread each.
class Maker {
 public:
  Maker(const Shop& shop, std::size_t lane) : shop_(&shop), lane_(lane), reader_(shop.set) {}

  MadeBatch make(std::size_t number, Buffers buffers) {
    const double processor = processor_seconds();
    const double queued = queued_seconds();
    MadeBatch made{.begun = shop_->watch.now(), .buffers = std::move(buffers)};
    if (shop_->plan.images) {
      make_images(number, made.buffers);
    } else {
      make_tokens(number, made.buffers);
    }
    times.processor += processor_seconds() - processor;
    times.queued += queued_seconds() - queued;
    return made;
  }
  void waited(double from) {
    const double to = shop_->watch.now();
    times.idle += to - from;
    if (to - from >= kShortWait) span("waits", from, to, Kind::waiting);
  }
  void note(base::Message fault) {
    if (faults.size() < kMostFaults) faults.push_back(std::move(fault));
  }

  WorkerTimes times;
  std::uint64_t samples = 0, tokens = 0, left_out = 0, bytes = 0;
  std::vector<base::Message> faults;
  std::vector<simulate::Interval> spans;
  bool ended = false;  // early

 private:
  void span(const char* name, double from, double to, Kind kind) {
    if (spans.size() < kMostSpans) spans.push_back({lane_, name, from, to, kind});
  }
  // Since `from`, which becomes now.
  void stage(const char* name, double& from, double WorkerTimes::*sum, Kind kind = Kind::compute) {
    const double to = shop_->watch.now();
    times.*sum += to - from;
    span(name, from, to, kind);
    from = to;
  }
  void leave_out(const Sample& sample, base::Message why) {
    ++left_out;
    note(text::message("loader.left_out",
                       {{"name", sample.name}, text::argument("reason", std::move(why))}));
  }
  // Null: it cannot be read.
  bool read(std::uint32_t number) {
    const Sample& sample = shop_->set.samples[number];
    if (!shop_->kept.empty() && shop_->kept[number].size() == sample.bytes) {
      content_ = shop_->kept[number];
      return true;
    }
    const auto done = reader_.read(sample, content_);
    if (!done) leave_out(sample, done.error());
    if (done) bytes += content_.size();
    return done.has_value();
  }
  ImageCaches::Pixels image(std::uint32_t number, std::size_t use, double& from) {
    ImageCaches::Pixels pixels = shop_->caches.find(number, use);
    if (pixels != nullptr) {
      stage("kept", from, &WorkerTimes::read, Kind::communication);
      return pixels;
    }
    const Sample& sample = shop_->set.samples[number];
    const bool is_there = read(number);
    stage("read", from, &WorkerTimes::read, Kind::communication);
    if (!is_there) return nullptr;
    auto decoded = coder_.decompress(content_, shop_->plan.scaled_decode ? shop_->plan.side : 0);
    stage("decode", from, &WorkerTimes::decode);
    if (!decoded) {
      leave_out(sample, decoded.error());
      return nullptr;
    }
    pixels = std::make_shared<const std::vector<std::uint8_t>>(
        resized(*decoded, shop_->plan.side).pixels);
    shop_->caches.keep(number, pixels);
    stage("resize", from, &WorkerTimes::resize);
    return pixels;
  }
  // All pixels of a batch in one block first.
  static void stack(const std::vector<ImageCaches::Pixels>& images,
                    std::vector<std::uint8_t>& block) {
    block.clear();
    for (const ImageCaches::Pixels& one : images)
      block.insert(block.end(), one->begin(), one->end());
  }
  void make_images(std::size_t number, Buffers& to) {
    const std::size_t numbers = image_bytes(shop_->plan);
    std::vector<ImageCaches::Pixels> images;
    std::size_t use = shop_->first_use[number];
    double from = shop_->watch.now();
    for (const Row& row : shop_->batches[number].rows) {
      if (shop_->cancel.cancelled()) return;
      for (const std::uint32_t sample : row.samples) {
        if (auto pixels = image(sample, use++, from)) images.push_back(std::move(pixels));
      }
    }
    to.pixels.resize(images.size() * numbers);
    if (shop_->plan.stacked) stack(images, to.stacked);
    for (std::size_t i = 0; i < images.size(); ++i) {
      const std::span pixels =
          shop_->plan.stacked
              ? std::span<const std::uint8_t>(to.stacked).subspan(i * numbers, numbers)
              : std::span<const std::uint8_t>(*images[i]);
      normalise(pixels, std::span(to.pixels).subspan(i * numbers, numbers));
    }
    samples += images.size();
    stage("assemble", from, &WorkerTimes::assemble);
  }
  void make_tokens(std::size_t number, Buffers& to) {
    const Batch& batch = shop_->batches[number];
    double from = shop_->watch.now();
    std::vector<std::vector<std::string>> rows(batch.rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (shop_->cancel.cancelled()) return;
      for (const std::uint32_t sample : batch.rows[i].samples) {
        if (read(sample)) rows[i].push_back(content_);
      }
    }
    stage("read", from, &WorkerTimes::read, Kind::communication);
    to.tokens.assign(rows.size() * batch.width, 0);
    to.begins.assign(1, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::size_t at = i * batch.width;
      for (const std::string& words : rows[i]) {
        // A byte is a token; 0 is padding.
        const std::size_t count = std::min(words.size(), (i + 1) * batch.width - at);
        for (std::size_t k = 0; k < count; ++k)
          to.tokens[at + k] = 1 + static_cast<unsigned char>(words[k]);
        at += count;
        to.begins.push_back(static_cast<std::int32_t>(at));
        tokens += count;
        ++samples;
      }
    }
    stage("assemble", from, &WorkerTimes::assemble);
  }

  const Shop* shop_;
  std::size_t lane_;
  SampleReader reader_;
  JpegCoder coder_;
  std::string content_;
};

// Deals batches out to the workers and hands them to the steps in their order.
class Counter {
 public:
  Counter(std::size_t batches, std::size_t room, std::size_t workers)
      : batches_(batches), room_(room), workers_(workers) {}

  // The next batch for a worker, as soon as there is room for it; none: it is over. Who finds all
  // dealt waits on, because another worker may end and leave one.
  std::optional<std::size_t> deal() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_ || !again_.empty() || has_room(); });
    return over_ ? std::nullopt : std::optional(next_locked());
  }
  void put(std::size_t number, MadeBatch made) {
    {
      const std::lock_guard lock(mutex_);
      ready_.emplace(number, std::move(made));
    }
    changed_.notify_all();
  }
  // A worker ended and leaves this batch.
  void give_back(std::size_t number) {
    {
      const std::lock_guard lock(mutex_);
      again_.push_back(number);
      --workers_;
    }
    changed_.notify_all();
  }
  // Batch `number`, in their order; none: cancelled, or no worker is left to make it.
  std::optional<MadeBatch> take(std::size_t number, const base::CancelToken& cancel) {
    std::unique_lock lock(mutex_);
    const auto is_ready = [&] { return ready_.contains(number); };
    while (!changed_.wait_for(lock, kLook, [&] { return is_ready() || workers_ == 0; })) {
      if (cancel.cancelled()) return std::nullopt;
    }
    if (!is_ready()) return std::nullopt;
    MadeBatch made = std::move(ready_.extract(number).mapped());
    taken_ = number + 1;
    changed_.notify_all();
    return made;
  }
  Buffers buffers() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return {};
    Buffers taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }
  void free(Buffers buffers) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffers));
  }
  void end() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
  }

 private:
  [[nodiscard]] bool has_room() const { return next_ < batches_ && next_ < taken_ + room_; }
  std::size_t next_locked() {
    if (again_.empty()) return next_++;
    const std::size_t number = again_.front();
    again_.pop_front();
    return number;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t batches_, room_, workers_;
  std::size_t next_ = 0, taken_ = 0;
  std::deque<std::size_t> again_;
  std::map<std::size_t, MadeBatch> ready_;
  std::vector<Buffers> free_;
  bool over_ = false;
};

// How many batches a worker makes that is to end early.
constexpr std::size_t kDiesAt = 1;

void work(Maker& maker, Counter& counter, const Shop& shop, bool dies, std::size_t worker) {
  for (std::size_t made = 0;; ++made) {
    const double from = shop.watch.now();
    const auto number = counter.deal();
    if (!number) return;
    if (made > 0) maker.waited(from);
    if (dies && made == kDiesAt) {
      maker.note(text::message("loader.ended",
                               {{"worker", text::grouped(static_cast<std::int64_t>(worker))},
                                {"batch", text::grouped(static_cast<std::int64_t>(*number + 1))}}));
      maker.ended = true;
      counter.give_back(*number);
      return;
    }
    counter.put(*number, maker.make(*number, counter.buffers()));
  }
}

std::vector<std::size_t> first_uses(const std::vector<Batch>& batches) {
  std::vector<std::size_t> first;
  std::size_t uses = 0;
  for (const Batch& batch : batches) {
    first.push_back(uses);
    for (const Row& row : batch.rows) uses += row.samples.size();
  }
  return first;
}

// The thread of the steps: their times, and its row of the timeline.
class Consumer {
 public:
  Consumer(const LoadRequest& request, const Shop& shop, std::size_t lane)
      : request_(&request), shop_(&shop), lane_(lane) {}
  void step(std::size_t number, double asked, double begun) {
    const double begin = shop_->watch.now();
    if (begin - asked >= kShortWait) spans.push_back({lane_, "waits", asked, begin, Kind::waiting});
    if (request_->step) {
      request_->step(number);
    } else {
      pause();
    }
    const double end = shop_->watch.now();
    spans.push_back({lane_, "batch " + std::to_string(number + 1), begin, end, Kind::compute});
    steps.push_back({.made = begun, .asked = asked, .begin = begin, .end = end});
    if (request_->told) request_->told(number + 1);
  }

  std::vector<LoadedStep> steps;
  std::vector<simulate::Interval> spans;

 private:
  void pause() const {
    using Clock = std::chrono::steady_clock;
    const auto length = std::chrono::duration<double>(request_->plan.step_s);
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(length);
    for (auto now = Clock::now(); now < end && !shop_->cancel.cancelled(); now = Clock::now())
      std::this_thread::sleep_until(std::min(end, now + kLook));
  }

  const LoadRequest* request_;
  const Shop* shop_;
  std::size_t lane_;
};

void gather(Loaded& loaded, Maker& maker) {
  loaded.times.read += maker.times.read;
  loaded.times.decode += maker.times.decode;
  loaded.times.resize += maker.times.resize;
  loaded.times.assemble += maker.times.assemble;
  loaded.times.processor += maker.times.processor;
  loaded.times.queued += maker.times.queued;
  loaded.times.idle += maker.times.idle;
  loaded.samples += maker.samples;
  loaded.tokens += maker.tokens;
  loaded.left_out += maker.left_out;
  loaded.bytes += maker.bytes;
  loaded.ended += maker.ended ? 1 : 0;
  for (base::Message& fault : maker.faults) {
    if (loaded.faults.size() < kMostFaults) loaded.faults.push_back(std::move(fault));
  }
  std::ranges::move(maker.spans, std::back_inserter(loaded.timeline));
}

// Empty ones cannot be read; whoever needs them says why.
std::vector<std::string> all_samples(const DataSet& set, const base::CancelToken& cancel) {
  SampleReader reader(set);
  std::vector<std::string> all(set.samples.size());
  for (std::size_t i = 0; i < all.size() && !cancel.cancelled(); ++i) {
    if (!reader.read(set.samples[i], all[i])) all[i].clear();
  }
  return all;
}

ImageCaches caches_of(const LoadRequest& request, const std::vector<Batch>& batches) {
  std::vector<std::uint32_t> uses;
  for (const Batch& batch : batches) {
    for (const Row& row : batch.rows)
      uses.insert(uses.end(), row.samples.begin(), row.samples.end());
  }
  const Plan& plan = request.plan;
  const std::size_t bytes = std::max<std::size_t>(1, image_bytes(plan));
  return {uses,
          {.room = static_cast<std::size_t>(plan.memory_cache) / bytes,
           .leaves = plan.known_order ? Leaves::farthest_next : Leaves::least_recent,
           .folder = plan.disk_cache ? request.cache_folder : std::filesystem::path(),
           .image_bytes = bytes}};
}

}  // namespace

std::vector<Batch> planned_batches(const Plan& plan, const DataSet& set) {
  std::vector<std::uint32_t> lengths;
  constexpr std::uint64_t kMost = 1U << 20U;
  for (const Sample& sample : set.samples)
    lengths.push_back(plan.images ? 1 : static_cast<std::uint32_t>(std::min(sample.bytes, kMost)));
  const RowRule rule{.width = plan.images ? 1 : plan.context, .packed = plan.packed};
  std::vector<Row> rows;
  for (std::size_t epoch = 0; rows.size() < plan.batches * plan.batch; ++epoch) {
    const std::uint64_t seed = plan.seed * 1'000'003 + epoch;
    auto more =
        rows_of(epoch_order(set.samples.size(), set.shards, plan.shuffle, seed), lengths, rule);
    bucket(more, plan.batch, plan.bucket, seed);
    std::ranges::move(more, std::back_inserter(rows));
  }
  rows.resize(plan.batches * plan.batch);
  return batches_of(std::move(rows), plan.batch, rule.width, plan.longest);
}

base::Result<Loaded> load(const LoadRequest& request, const base::CancelToken& cancel) {
  const Plan& plan = request.plan;
  const std::vector<Batch> batches = planned_batches(plan, *request.set);
  if (plan.cold) drop_from_system_cache(*request.set);
  ImageCaches caches = caches_of(request, batches);
  Shop shop{plan, *request.set, batches, first_uses(batches), caches, cancel};
  if (plan.preload) {
    if (request.set->bytes() > kMostPreloaded) return text::fail("loader_error.preload");
    shop.kept = all_samples(*request.set, cancel);
  }
  Counter counter(batches.size(), plan.workers * plan.prefetch, plan.workers);
  std::deque<Maker> makers;  // of the workers, and of this thread
  for (std::size_t i = 0; i < plan.workers; ++i) makers.emplace_back(shop, i);
  const std::size_t steps_lane = plan.workers;
  makers.emplace_back(shop, steps_lane + 1);
  Consumer consumer(request, shop, steps_lane);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < plan.workers; ++i) {
      threads.emplace_back([&, i] { work(makers[i], counter, shop, i < plan.dying, i + 1); });
    }
    for (std::size_t i = 0; i < batches.size() && !cancel.cancelled(); ++i) {
      const double asked = shop.watch.now();
      auto made = counter.take(i, cancel);
      if (cancel.cancelled()) break;
      if (!made) made = makers.back().make(i, counter.buffers());
      consumer.step(i, asked, made->begun);
      counter.free(std::move(made->buffers));
    }
    counter.end();
  }
  if (cancel.cancelled()) return text::fail("loader_error.cancelled");
  Loaded loaded{.plan = plan,
                .steps = std::move(consumer.steps),
                .faults = request.set->skipped,
                .caches = caches.counts(),
                .steps_work = static_cast<bool>(request.step),
                .cores = cores_here()};
  for (const std::string& one : shop.kept) loaded.preloaded += one.size();
  const bool loaded_here = !makers.back().spans.empty();
  for (Maker& maker : makers) gather(loaded, maker);
  for (std::size_t i = 0; i < plan.workers; ++i)
    loaded.lanes.push_back({"loader", "worker " + std::to_string(i + 1)});
  loaded.lanes.push_back({"step", "batches"});
  if (loaded_here) loaded.lanes.push_back({"step", "loads itself"});
  std::ranges::move(consumer.spans, std::back_inserter(loaded.timeline));
  return loaded;
}

}  // namespace ts::loader
