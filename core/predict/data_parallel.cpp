#include "core/predict/data_parallel.h"

#include <map>
#include <optional>

#include "core/spec/workload_math.h"
#include "core/spec/workload_traffic.h"
#include "core/text/message.h"

namespace ts::predict {
namespace {

using memory::Action;
using memory::Category;
using memory::EventIndex;

// Above every address of a dry run.
constexpr std::uint64_t kBucketAddress = std::uint64_t{1} << 62;

std::vector<std::int64_t> parameter_sizes(const memory::AllocationLog& log) {
  std::vector<std::int64_t> sizes;
  for (const memory::Block& block : log.blocks()) {
    if (block.category == Category::parameter) sizes.push_back(block.size);
  }
  return sizes;
}

// The gradients of the parameters in the order in which the first backward hands them on: as it
// makes them, but for the bias of a linear layer. It is summed after the product for the weight,
// which then takes the way of a transpose: the bias is there first. Inputs may have gradients, too:
// those that no parameter is the size of are left out. Empty if a parameter that is trained has
// none.
std::vector<std::int64_t> gradient_sizes(const DryRun& run,
                                         const std::vector<std::int64_t>& parameters,
                                         const base::StringTable& strings) {
  std::map<std::int64_t, std::size_t> missing;
  for (const std::int64_t size : parameters) ++missing[size];
  std::vector<std::int64_t> sizes;
  const memory::Block* before = nullptr;
  for (const memory::Block& block : run.log.blocks()) {
    if (block.category != Category::gradient || block.step != 0) continue;
    const auto found = missing.find(block.size);
    if (found == missing.end() || found->second == 0) continue;
    --found->second;
    const bool bias = before != nullptr && before->module == block.module &&
                      strings.view(before->op) == "aten::mm" &&
                      strings.view(block.op) == "aten::sum";
    sizes.insert(bias ? sizes.end() - 1 : sizes.end(), block.size);
    before = &block;
  }
  std::int64_t all = 0;
  for (const std::int64_t size : sizes) all += size;
  const std::int64_t element = spec::trains_adapters(run.spec) ? 4 : spec::bytes_of(run.spec.dtype);
  const bool complete =
      spec::freezes(run.spec) ? all == element * run.trained : sizes.size() == parameters.size();
  if (!complete) sizes.clear();
  return sizes;
}

// The first event of a phase; kNone without one.
EventIndex first_event(const memory::AllocationLog& log, std::int32_t step,
                       std::optional<base::Phase> phase) {
  for (const memory::PhaseSpan& span : log.phases()) {
    if (span.step == step && (!phase || span.phase == *phase)) return span.first_event;
  }
  return memory::kNone;
}

// Writes the log of a rank: the events of the single process with those of the reducer in between.
class RankLog {
 public:
  RankLog(const memory::AllocationLog& single, base::StringTable& strings)
      : single_(single), op_(strings.intern("c10d::Reducer")), module_(strings.intern("ddp")) {}

  memory::AllocationLog write(const std::vector<std::int64_t>& parameters,
                              const std::vector<std::int64_t>& gradients) {
    begin_ = first_event(single_, 0, std::nullopt);
    const EventIndex rebuilt = first_event(single_, 1, base::Phase::forward);
    const auto events = single_.events();
    for (EventIndex i = 0; i < events.size(); ++i) {
      if (i == begin_) set_up(parameters, gradients, events[i].time_ns);
      if (i == rebuilt) rebuild(gradients, events[i].time_ns);
      copy(events[i]);
      added_before_.push_back(added_);
    }
    rank_.decide(categories_, shifted_phases());
    return std::move(rank_);
  }

 private:
  void copy(const memory::Event& event) {
    if (event.block == memory::kNone) return;
    const memory::Block& block = single_.blocks()[event.block];
    memory::Record record;
    record.time_ns = event.time_ns;
    record.address = block.address;
    record.size = block.size;
    record.op = block.op;
    record.module = block.module;
    record.step = block.step;
    record.phase = block.phase;
    record.action = event.action;
    rank_.append(record);
    if (event.action == Action::alloc) categories_.push_back(block.category);
  }

  std::uint64_t take(std::int64_t bytes, Category category, std::int64_t time_ns,
                     std::int32_t step) {
    memory::Record record = of_reducer(Action::alloc, kBucketAddress + ++blocks_, time_ns, step);
    record.size = bytes;
    rank_.append(record);
    categories_.push_back(category);
    return record.address;
  }
  void release(std::uint64_t address, std::int64_t time_ns, std::int32_t step) {
    rank_.append(of_reducer(Action::free_completed, address, time_ns, step));
  }
  memory::Record of_reducer(Action action, std::uint64_t address, std::int64_t time_ns,
                            std::int32_t step) {
    ++added_;
    memory::Record record;
    record.time_ns = time_ns;
    record.address = address;
    record.op = op_;
    record.module = module_;
    record.step = step;
    record.phase = step < 0 ? base::Phase::setup : base::Phase::forward;
    record.action = action;
    return record;
  }

  void set_up(const std::vector<std::int64_t>& parameters,
              const std::vector<std::int64_t>& gradients, std::int64_t time_ns) {
    std::uint64_t in_flight = 0;
    for (const std::int64_t bytes : bucket_sizes(parameters, kBroadcastBytes, kBroadcastBytes)) {
      const std::uint64_t copied = take(bytes, Category::temporary, time_ns, -1);
      if (in_flight != 0) release(in_flight, time_ns, -1);
      in_flight = copied;
    }
    if (in_flight != 0) release(in_flight, time_ns, -1);
    std::int64_t all = 0;
    for (const std::int64_t bytes : gradients) all += bytes;
    first_bucket_ = take(all, Category::gradient, time_ns, -1);
  }
  void rebuild(const std::vector<std::int64_t>& gradients, std::int64_t time_ns) {
    release(first_bucket_, time_ns, 1);
    for (const std::int64_t bytes : bucket_sizes(gradients, kFirstBucketBytes, kBucketBytes)) {
      take(bytes, Category::gradient, time_ns, 1);
    }
  }

  // The place of a boundary between phases: after what is added to the set-up, before what is added
  // to a forward.
  [[nodiscard]] EventIndex shifted(EventIndex event) const {
    if (event == memory::kNone) return event;
    if (event >= added_before_.size()) return event + added_;
    if (event == begin_) return event + added_before_[event];
    return event == 0 ? 0 : event + added_before_[event - 1];
  }
  [[nodiscard]] std::vector<memory::PhaseSpan> shifted_phases() const {
    std::vector<memory::PhaseSpan> phases(single_.phases().begin(), single_.phases().end());
    for (memory::PhaseSpan& span : phases) {
      span.first_event = shifted(span.first_event);
      span.end_event = shifted(span.end_event);
    }
    return phases;
  }

  const memory::AllocationLog& single_;
  const base::StringId op_;
  const base::StringId module_;
  memory::AllocationLog rank_;
  std::vector<Category> categories_;      // of the blocks of rank_
  std::vector<EventIndex> added_before_;  // up to and with the place of an event of single_
  EventIndex begin_ = memory::kNone;      // of step 0, in single_
  EventIndex added_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t first_bucket_ = 0;
};

tl::unexpected<run::Failure> refused(const char* key) {
  return tl::unexpected(run::Failure(text::message(key)));
}

}  // namespace

std::vector<std::int64_t> bucket_sizes(std::span<const std::int64_t> tensors, std::int64_t first,
                                       std::int64_t others) {
  std::vector<std::int64_t> sizes;
  std::int64_t open = 0;
  for (const std::int64_t bytes : tensors) {
    open += bytes;
    if (open < (sizes.empty() ? first : others)) continue;
    sizes.push_back(open);
    open = 0;
  }
  if (open > 0) sizes.push_back(open);
  return sizes;
}

std::vector<std::int64_t> buckets_of(const DryRun& rank) {
  std::vector<std::int64_t> sizes;
  for (const memory::Block& block : rank.log.blocks()) {
    const bool kept = block.free_event == memory::kNone;
    if (block.address > kBucketAddress && kept) sizes.push_back(block.size);
  }
  return sizes;
}

run::Outcome<DryRun> RankRunner::dry_run(const spec::WorkloadSpec& spec,
                                         const DryRunOptions& options, base::StringTable& strings,
                                         const base::CancelToken& cancel) {
  const bool buckets = share_.ranks > 1 && !share_.shards_gradients();
  if (buckets && !spec::has_backward(spec.pass)) return refused("data_parallel.no_backward");
  if (auto problem = share_problem(spec, share_)) {
    return tl::unexpected(run::Failure(std::move(*problem)));
  }
  DryRunOptions of_rank = options;
  of_rank.share = share_;
  run::Outcome<DryRun> run = single_->dry_run(spec, of_rank, strings, cancel);
  if (!run || !buckets) return run;
  const std::vector<std::int64_t> parameters = parameter_sizes(run->log);
  if (parameters.empty()) return refused("data_parallel.no_parameters");
  const std::vector<std::int64_t> gradients = gradient_sizes(*run, parameters, strings);
  if (gradients.empty()) return refused("data_parallel.no_gradient");
  run->log = RankLog(run->log, strings).write(parameters, gradients);
  return run;
}

}  // namespace ts::predict
