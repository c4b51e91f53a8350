// The only threads of the loader.
#include "core/loader/loading.h"

#include <sched.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/loader/maker.h"
#include "core/loader/worker_process.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::loader {
namespace {

using Kind = simulate::Interval::Kind;

constexpr auto kLook = std::chrono::milliseconds(20);  // how often a cancel is seen
constexpr double kShortWait = 20e-6;                   // shorter ones are not drawn

std::size_t cores_here() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

// Deals batches out to the workers and hands them to the steps in their order.
class Counter {
 public:
  Counter(std::size_t batches, std::size_t room, std::size_t workers)
      : batches_(batches), room_(room), workers_(workers) {
    for (std::size_t i = 0; i < slots(); ++i) free_.emplace_back().slot = i;
  }

  // The batches that there can be at once: those with room, and that of the step.
  [[nodiscard]] std::size_t slots() const { return room_ + 1; }

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
  for (std::size_t count = 0;; ++count) {
    const double from = shop.watch.now();
    const auto number = counter.deal();
    if (!number) return;
    if (count > 0) maker.made.waited(worker, from, shop.watch.now());
    if (dies && count == kDiesAt) {
      maker.made.note(text::message("loader.ended", {{"worker", text::grouped(worker + 1)},
                                                     {"batch", text::grouped(*number + 1)}}));
      maker.made.ended = true;
      counter.give_back(*number);
      return;
    }
    counter.put(*number, maker.make(*number, counter.buffers()));
  }
}

// The same for a worker that is a process: this thread asks it and waits.
void work(WorkerProcess& process, Counter& counter, const Shop& shop, std::size_t worker) {
  for (std::size_t count = 0;; ++count) {
    const double from = shop.watch.now();
    const auto number = counter.deal();
    if (!number) return;
    if (count > 0) process.made.waited(worker, from, shop.watch.now());
    Buffers buffers = counter.buffers();
    const std::size_t slot = buffers.slot;
    auto batch = process.make(*number, std::move(buffers), shop.watch, shop.cancel);
    if (!batch) {
      Buffers empty;
      empty.slot = slot;
      counter.free(std::move(empty));
      process.made.note(batch.error());
      counter.give_back(*number);
      return;
    }
    counter.put(*number, std::move(*batch));
  }
}

// The thread of the steps: their times, and its row of the timeline.
class Consumer {
 public:
  Consumer(const LoadRequest& request, const Shop& shop, std::size_t lane)
      : request_(&request), shop_(&shop), lane_(lane) {}
  void step(std::size_t number, double asked, double begun) {
    const double begin = shop_->watch.now();
    if (begin - asked >= kShortWait)
      spans.push_back(
          {.lane = lane_, .name = "waits", .begin = asked, .end = begin, .kind = Kind::waiting});
    if (request_->step) {
      request_->step(number);
    } else {
      pause();
    }
    const double end = shop_->watch.now();
    spans.push_back({.lane = lane_,
                     .name = "batch " + std::to_string(number + 1),
                     .begin = begin,
                     .end = end,
                     .kind = Kind::compute});
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

void gather(Loaded& loaded, Made& made) {
  loaded.times.read += made.times.read;
  loaded.times.decode += made.times.decode;
  loaded.times.resize += made.times.resize;
  loaded.times.assemble += made.times.assemble;
  loaded.times.processor += made.times.processor;
  loaded.times.queued += made.times.queued;
  loaded.times.idle += made.times.idle;
  loaded.times.handover += made.times.handover;
  loaded.samples += made.samples;
  loaded.tokens += made.tokens;
  loaded.left_out += made.left_out;
  loaded.bytes += made.bytes;
  loaded.preloaded += made.preloaded;
  loaded.handed += made.handed;
  loaded.resident += made.resident;
  loaded.caches.uses += made.caches.uses;
  loaded.caches.memory += made.caches.memory;
  loaded.caches.disk += made.caches.disk;
  loaded.ended += made.ended ? 1 : 0;
  for (base::Message& fault : made.faults) {
    if (loaded.faults.size() < kMostFaults) loaded.faults.push_back(std::move(fault));
  }
  std::ranges::move(made.spans, std::back_inserter(loaded.timeline));
}

// The workers of one load that are processes.
struct Processes {
  SharedMemory memory;
  std::deque<WorkerProcess> all;

  base::Result<void> start(const LoadRequest& request, const Shop& shop, std::size_t slots) {
    const Plan& plan = request.plan;
    if (!plan.processes) return {};
    if (request.worker_text.empty()) return text::fail("loader_error.no_program");
    const std::size_t bytes = slot_bytes(plan, shop.batches);
    if (!plan.piped) {
      if (auto made = memory.make(slots, bytes); !made) return made;
    }
    for (std::size_t i = 0; i < plan.workers; ++i) {
      const WorkerProcess::Job job{.words = request.worker_text,
                                   .cache_folder = request.cache_folder,
                                   .memory = plan.piped ? nullptr : &memory,
                                   .slot_bytes = bytes,
                                   .begin_ns = shop.watch.begin_ns(),
                                   .lane = i,
                                   .dies = i < plan.dying};
      if (auto started = all.emplace_back().start(job); !started) return started;
    }
    return {};
  }
};

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
  ImageCaches caches = caches_for(plan, batches, plan.disk_cache ? request.cache_folder : "");
  Shop shop{.plan = plan,
            .set = *request.set,
            .batches = batches,
            .first_use = first_uses(batches),
            .caches = caches,
            .cancel = cancel};
  const bool by_threads = !plan.processes || plan.workers == 0;
  if (plan.preload) {
    if (request.set->bytes() > kMostPreloaded) return text::fail("loader_error.preload");
    // Each process reads its own.
    if (by_threads) shop.kept = all_samples(*request.set, cancel);
  }
  Counter counter(batches.size(), plan.workers * plan.prefetch, plan.workers);
  Processes processes;
  TS_TRY_DONE(processes.start(request, shop, counter.slots()));
  std::deque<Maker> makers;  // of the workers that are threads, and of this thread
  for (std::size_t i = 0; by_threads && i < plan.workers; ++i) makers.emplace_back(shop, i);
  const std::size_t steps_lane = plan.workers;
  makers.emplace_back(shop, steps_lane + 1);
  Consumer consumer(request, shop, steps_lane);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < plan.workers; ++i) {
      threads.emplace_back([&, i] {
        if (by_threads) {
          work(makers[i], counter, shop, i < plan.dying, i);
        } else {
          work(processes.all[i], counter, shop, i);
        }
      });
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
  if (plan.mapped) loaded.in_cache = in_system_cache(*request.set);
  const bool loaded_here = !makers.back().made.spans.empty();
  for (Maker& maker : makers) gather(loaded, maker.made);
  for (WorkerProcess& process : processes.all) gather(loaded, process.made);
  for (std::size_t i = 0; i < plan.workers; ++i)
    loaded.lanes.push_back({"loader", "worker " + std::to_string(i + 1)});
  loaded.lanes.push_back({"step", "batches"});
  if (loaded_here) loaded.lanes.push_back({"step", "loads itself"});
  std::ranges::move(consumer.spans, std::back_inserter(loaded.timeline));
  return loaded;
}

}  // namespace ts::loader
