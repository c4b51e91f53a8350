#include "core/predict/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/allocator/caching_allocator.h"
#include "core/memory/before_backward.h"
#include "core/memory/first_step.h"
#include "core/memory/left_over.h"
#include "core/predict/cublas_workspaces.h"
#include "core/spec/typed_card.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::predict {

namespace {

using memory::EventIndex;

// Its requests to the CUDA caching allocator were recorded on a card (tests/gpu/operators.py).
constexpr std::string_view kTorchOnCuda = "2.11";

base::Message message(const std::string& key, std::vector<base::Argument> arguments) {
  return text::message("prediction." + key, std::move(arguments));
}

std::string size(std::int64_t bytes) {
  return text::bytes(bytes).joined();
}

// The number of steps until the target is full. `steps` have run when the peak is reached.
std::int64_t steps_that_fit(const Prediction& prediction, const PredictionTarget& target,
                            std::int32_t steps) {
  return steps + (target.capacity() - prediction.peak_reserved) / prediction.growth;
}

base::Message sentence_of(const Prediction& prediction, const PredictionTarget& target,
                          std::int32_t steps) {
  std::vector<base::Argument> arguments = {{"target", target.name}};
  if (prediction.fit == Fit::fits && prediction.growth > 0) {
    arguments.push_back({"steps", text::grouped(steps_that_fit(prediction, target, steps))});
    arguments.push_back({"growth", size(prediction.growth)});
    return message("fits_steps", std::move(arguments));
  }
  if (prediction.fit == Fit::fits) {
    arguments.push_back({"needed", size(prediction.needed)});
    arguments.push_back({"memory", size(target.memory)});
    arguments.push_back({"spare", size(prediction.headroom)});
    return message("fits", std::move(arguments));
  }
  if (prediction.fit == Fit::fits_after_flush) {
    arguments.push_back({"times", text::grouped(prediction.retries)});
    return message("fits_after_flush", std::move(arguments));
  }
  const BreakingAllocation& breaking = *prediction.breaking;
  arguments.push_back({"op", breaking.op.empty() ? "?" : breaking.op});
  arguments.push_back({"asked", size(breaking.bytes)});
  // Free pieces may add up to more than is requested. The consistent numbers are the total need and
  // how much of it is missing. If only fragmentation is the cause, nothing is missing.
  const bool missing = prediction.headroom < 0;
  if (missing) {
    arguments.push_back({"needed", size(prediction.needed)});
    arguments.push_back({"missing", size(-prediction.headroom)});
  }
  const bool module = !breaking.module.empty();
  if (module) arguments.push_back({"module", breaking.module});
  // The missing bytes are for the whole, not for the request that fails first.
  const std::string key = missing ? "oom" : "oom_pieces";
  return message(module ? key + "_module" : key, std::move(arguments));
}

BreakingAllocation breaking_at(const DryRun& run, const base::StringTable& strings,
                               EventIndex event) {
  const memory::Block& block = run.log.blocks()[run.log.events()[event].block];
  BreakingAllocation breaking;
  breaking.event = event;
  breaking.op = strings.view(block.op);
  breaking.module = strings.view(block.module);
  breaking.phase = block.phase;
  breaking.step = block.step;
  breaking.bytes = block.size;
  return breaking;
}

EventIndex first_block_of_step(const memory::AllocationLog& log, std::int32_t step) {
  const auto events = log.events();
  const auto first = std::ranges::find_if(events, [&](const memory::Event& event) {
    return event.action == memory::Action::alloc && log.blocks()[event.block].step == step;
  });
  return first == events.end() ? memory::kNone : static_cast<EventIndex>(first - events.begin());
}

// One run of the log through the caching allocator.
class Passage {
 public:
  using Device = allocator::CachingAllocator::Device;
  Passage(const DryRun& run, const CublasWorkspaces& workspaces,
          const allocator::AllocatorSettings& settings, const Device& device)
      : events_(run.log.events()),
        blocks_(run.log.blocks()),
        workspaces_(workspaces),
        allocator_(settings, device),
        addresses_(blocks_.size()) {
    if (const auto before = memory::before_backward(run.log)) last_before_ = before->event;
    if (const auto first = memory::first_step(run.log)) first_end_ = first->end;
    if (spec::captures_step(run.spec)) {
      warm_up_ = first_block_of_step(run.log, 0);
      capture_ = first_block_of_step(run.log, run.options.steps - 1);
    }
  }

  // The first event from `from` on that cannot be served; kNone if all can.
  EventIndex feed(EventIndex from = 0) {
    for (EventIndex i = from; i < events_.size(); ++i) {
      if (i == first_end_) first_step_ = allocator_.stats().peak_allocated;
      if (i == warm_up_) stream_ = kSideStream;
      if (i == capture_ && stream_ == kSideStream) begin_capture();
      if (!follow(i)) return i;
      note_most_allocated();
      if (i == last_before_) before_backward_ = allocator_.stats().allocated;
    }
    return memory::kNone;
  }
  // A copy of the current state, to continue on another device.
  [[nodiscard]] Passage fork(const Device& device) const { return {*this, device}; }
  void move_to(const Device& device) { allocator_.move_to(device); }
  [[nodiscard]] const allocator::CachingAllocator& allocator() const { return allocator_; }
  [[nodiscard]] std::optional<std::int64_t> before_backward() const { return before_backward_; }
  [[nodiscard]] std::optional<std::int64_t> first_step() const { return first_step_; }
  // Without the context, which is not part of the allocator.
  [[nodiscard]] NeedChain chain() const {
    NeedChain chain;
    chain.workspaces = most_.workspaces;
    chain.tensors = most_.requested - most_.workspaces;
    chain.rounding = most_.allocated - most_.requested;
    chain.cached = allocator_.stats().peak_reserved - most_.allocated;
    return chain;
  }

 private:
  // The moment at which most is allocated; if there are several, the one with the largest tensors.
  struct Moment {
    std::int64_t allocated = 0;
    std::int64_t requested = 0;   // of tensors and workspaces
    std::int64_t workspaces = 0;  // the part of requested
  };
  void note_most_allocated() {
    const allocator::AllocatorStats& stats = allocator_.stats();
    const bool more = stats.allocated > most_.allocated;
    const std::int64_t tensors = stats.requested - workspaces_held_;
    if (!more &&
        (stats.allocated < most_.allocated || tensors <= most_.requested - most_.workspaces)) {
      return;
    }
    most_ = {stats.allocated, stats.requested, workspaces_held_};
  }

  Passage(const Passage& other, const Device& device)
      : events_(other.events_),
        blocks_(other.blocks_),
        workspaces_(other.workspaces_),
        allocator_(other.allocator_.fork(device)),
        addresses_(other.addresses_),
        last_before_(other.last_before_),
        before_backward_(other.before_backward_),
        first_end_(other.first_end_),
        first_step_(other.first_step_),
        warm_up_(other.warm_up_),
        capture_(other.capture_),
        stream_(other.stream_),
        workspaces_held_(other.workspaces_held_),
        most_(other.most_) {}

  // As torch.cuda.graph, after steps on a side stream: the cache is given back, the generator's
  // seed and offset get a block each, and what the step asks for comes from a pool of its own, as
  // another stream's would.
  void begin_capture() {
    constexpr std::int64_t kNumber = 8;
    allocator_.empty_cache();
    for (int i = 0; i < 2; ++i) allocator_.allocate(kNumber);
    stream_ = kPoolOfGraph;
  }

  // False if the device cannot serve a request of the event.
  bool follow(EventIndex i) {
    const memory::Event& event = events_[i];
    if (event.block == memory::kNone) return true;
    std::uint64_t& address = addresses_[event.block];
    if (event.action != memory::Action::alloc) {
      allocator_.free(address);
      return true;
    }
    // Not 0 if the block was served before and the workspace after it was refused.
    if (address == 0) {
      const auto served = allocator_.allocate(blocks_[event.block].size, stream_);
      if (!served) return false;
      address = *served;
    }
    return workspaces_.take_after(i, [&](std::int64_t bytes) {
      if (!allocator_.allocate(bytes, stream_)) return false;
      workspaces_held_ += bytes;
      return true;
    });
  }

  std::span<const memory::Event> events_;
  std::span<const memory::Block> blocks_;
  const CublasWorkspaces& workspaces_;
  allocator::CachingAllocator allocator_;
  std::vector<std::uint64_t> addresses_;  // by block; 0: not served yet
  EventIndex last_before_ = memory::kNone;
  std::optional<std::int64_t> before_backward_;
  EventIndex first_end_ = memory::kNone;
  std::optional<std::int64_t> first_step_;
  // A step that is captured: the first blocks of its warm-up and of itself.
  static constexpr std::int64_t kSideStream = 1, kPoolOfGraph = 2;
  EventIndex warm_up_ = memory::kNone, capture_ = memory::kNone;
  std::int64_t stream_ = 0;
  std::int64_t workspaces_held_ = 0;  // bytes asked
  Moment most_;
};

void predict_on_cuda(const DryRun& run, const base::StringTable& strings,
                     const PredictionTarget& target, const allocator::AllocatorSettings& settings,
                     Prediction& prediction) {
  const CublasWorkspaces workspaces(run, strings, target.compute_capability);
  prediction.workspaces = workspaces.bytes();
  const auto take = [&](const Passage& whole) {
    prediction.peak_allocated = whole.allocator().stats().peak_allocated;
    prediction.peak_reserved = whole.allocator().stats().peak_reserved;
    prediction.before_backward = whole.before_backward();
    prediction.first_step = whole.first_step();
    prediction.chain = whole.chain();
  };
  const std::int64_t capacity = std::max<std::int64_t>(0, target.capacity());
  constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;
  const Passage::Device limit{capacity, capacity, {}};
  const Passage::Device no_limit{kNoLimit, kNoLimit, {}};
  Passage::Device until_full = limit;
  until_full.keep_cached = true;
  // Before the first block that does not fit, the limit makes no difference. With expandable
  // segments it does, because of the addresses they reserve: two passages from the start.
  const bool expandable = settings.expandable_segments;
  Passage passage(run, workspaces, settings, expandable ? no_limit : until_full);
  const EventIndex full = passage.feed();
  take(passage);
  if (full == memory::kNone && prediction.peak_reserved <= target.capacity()) return;

  Passage limited = expandable ? Passage(run, workspaces, settings, limit) : passage.fork(limit);
  if (full != memory::kNone) {
    // The need without the limit of the device.
    passage.move_to(no_limit);
    passage.feed(full);
    take(passage);
  }
  const EventIndex refused = limited.feed(expandable ? 0 : full);
  const allocator::AllocatorStats& stats = limited.allocator().stats();
  prediction.retries = stats.retries;
  if (refused == memory::kNone) {
    prediction.fit = Fit::fits_after_flush;
    take(limited);
    return;
  }
  prediction.fit = Fit::oom;
  prediction.breaking = breaking_at(run, strings, refused);
  prediction.breaking->free = std::max<std::int64_t>(0, target.capacity() - stats.allocated);
  prediction.breaking->fragmented = limited.allocator().inactive_split_bytes();
}

void predict_on_cpu(const DryRun& run, const base::StringTable& strings,
                    const PredictionTarget& target, Prediction& prediction) {
  prediction.peak_allocated = prediction.peak_requested;
  prediction.peak_reserved = prediction.peak_requested;
  prediction.chain.tensors = prediction.peak_requested;
  if (const auto before = memory::before_backward(run.log))
    prediction.before_backward = before->bytes;
  if (const auto first = memory::first_step(run.log)) prediction.first_step = first->bytes;
  if (prediction.peak_requested <= target.memory) return;
  prediction.fit = Fit::oom;
  const auto events = run.log.events();
  const auto over = std::ranges::find_if(
      events, [&](const memory::Event& event) { return event.total_after > target.memory; });
  prediction.breaking = breaking_at(run, strings, static_cast<EventIndex>(over - events.begin()));
  prediction.breaking->free = target.memory - (over->total_after - prediction.breaking->bytes);
}

// Adds scratch to the peak: an operator's blocks are live together with its scratch, so the total
// after each of its blocks counts.
void add_scratch(const DryRun& run, const base::StringTable& strings, const CudaScratch& scratch,
                 Prediction& prediction) {
  std::unordered_map<std::string_view, const ScratchRow*> rows;
  for (const ScratchRow& row : scratch.rows()) rows.emplace(row.op, &row);
  std::vector<const ScratchRow*> by_id;  // null: looked up, has no row
  std::vector<bool> known;
  for (const memory::Event& event : run.log.events()) {
    if (event.block == memory::kNone || event.action != memory::Action::alloc) continue;
    const memory::Block& block = run.log.blocks()[event.block];
    if (block.op >= known.size()) {
      known.resize(block.op + 1, false);
      by_id.resize(block.op + 1, nullptr);
    }
    if (!known[block.op]) {
      const auto found = rows.find(strings.view(block.op));
      by_id[block.op] = found == rows.end() ? nullptr : found->second;
      known[block.op] = true;
    }
    const ScratchRow* const row = by_id[block.op];
    if (row == nullptr) continue;
    const auto scaled = [&](double per_byte) {
      return static_cast<std::int64_t>(std::llround(per_byte * static_cast<double>(block.size)));
    };
    const std::int64_t below = prediction.peak_requested - event.total_after;
    prediction.scratch_low =
        std::max(prediction.scratch_low, row->fixed_low + scaled(row->per_byte_low) - below);
    prediction.scratch_high =
        std::max(prediction.scratch_high, row->fixed_high + scaled(row->per_byte_high) - below);
  }
}

}  // namespace

const char* to_string(Fit value) {
  constexpr std::array kNames = {"fits", "fits_after_flush", "oom"};
  return kNames[static_cast<std::size_t>(value)];
}

PredictionTarget target_of(const spec::Gpu& gpu) {
  PredictionTarget target;
  target.name = spec::card_label(gpu);
  target.memory = gpu.memory_bytes;
  target.context = kContextBytes;
  target.card = gpu;
  target.compute_capability = static_cast<std::int32_t>(
      std::lround(std::strtod(gpu.compute_capability.c_str(), nullptr) * 10));
  if (gpu.multiprocessors > 0) target.multiprocessors = gpu.multiprocessors;
  return target;
}

PredictionTarget target_of(const spec::Gpu& gpu, const spec::WorkloadSpec& spec) {
  PredictionTarget target = target_of(gpu);
  if (spec.memory_limit <= 0 || spec.memory_limit >= target.capacity()) return target;
  target.name += " (" + text::bytes(spec.memory_limit).joined() + ")";
  target.memory = spec.memory_limit;
  target.context = 0;
  return target;
}

PredictionTarget cpu_target(std::string name, std::int64_t memory_limit) {
  PredictionTarget target;
  target.kind = spec::DeviceKind::cpu;
  target.name = std::move(name);
  target.memory = memory_limit;
  return target;
}

bool same_memory(const PredictionTarget& a, const PredictionTarget& b) {
  return a.kind == b.kind && a.name == b.name && a.memory == b.memory && a.context == b.context &&
         a.compute_capability == b.compute_capability && a.multiprocessors == b.multiprocessors;
}

DryRunOptions dry_run_options(const PredictionTarget& target) {
  DryRunOptions options;
  options.rules = target.kind;
  options.compute_capability = target.compute_capability;
  options.multiprocessors = target.multiprocessors;
  return options;
}

allocator::AllocatorSettings allocator_settings_of(const spec::WorkloadSpec& spec) {
  return allocator::AllocatorSettings::parse(spec.alloc_conf)
      .value_or(allocator::AllocatorSettings());
}

Prediction predict(const DryRun& run, const base::StringTable& strings,
                   const PredictionTarget& target, const allocator::AllocatorSettings& settings,
                   const CudaScratch* scratch) {
  Prediction prediction;
  prediction.peak_requested = run.log.peak_bytes();
  prediction.peak_event = run.log.peak_event();
  if (const auto left = memory::left_over(run.log)) prediction.growth = left->growth;
  if (prediction.peak_event != memory::kNone) {
    prediction.by_category = run.log.by_category_after(prediction.peak_event);
  }
  if (target.kind == spec::DeviceKind::cpu) {
    predict_on_cpu(run, strings, target, prediction);
  } else {
    predict_on_cuda(run, strings, target, settings, prediction);
    if (scratch != nullptr) add_scratch(run, strings, *scratch, prediction);
  }
  prediction.chain.context = target.context;
  prediction.needed = prediction.chain.needed();
  prediction.headroom = target.memory - prediction.needed;
  prediction.sentence = sentence_of(prediction, target, run.options.steps);
  if (!run.unknown_operators.empty())
    prediction.unchecked =
        message("unknown_blocks",
                {{"operators", fmt::format("{}", fmt::join(run.unknown_operators, ", "))}});
  else if (target.kind == spec::DeviceKind::cuda && !run.torch.empty() && run.torch != kTorchOnCuda)
    prediction.unchecked =
        message("other_torch", {{"checked", std::string(kTorchOnCuda)}, {"torch", run.torch}});
  return prediction;
}

}  // namespace ts::predict
