#include "kernels/observe/recording.h"

#include <c10/util/ThreadLocalDebugInfo.h>
#include <unistd.h>

#include <utility>

#include "core/base/check.h"
#include "core/base/tick_clock.h"
#include "kernels/observe/device_memory.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/observe/operators.h"
#include "kernels/observe/thread_state.h"

namespace ts::kernels {
namespace {

using capture::RawKind;
using capture::RawRecord;

std::atomic<Recording*> active_recording{nullptr};
std::atomic<std::uint64_t> last_id{0};
// Asked for at every operator and block: a plain pointer needs no question whether it has been
// made.
constinit thread_local ThreadState* thread_state = nullptr;
struct ThreadStateOwner {
  std::unique_ptr<ThreadState> state;
  ~ThreadStateOwner() { thread_state = nullptr; }  // what ends later on the thread may free blocks
};
thread_local ThreadStateOwner thread_state_owner;

}  // namespace

Recording::Recording(capture::Recorder& recorder, std::int32_t step, c10::DeviceType device,
                     const capture::LaunchMarks* marks)
    : recorder_(recorder), id_(++last_id), step_(step), device_(device), marks_(marks) {
  start();
}

Recording::Recording(capture::Recorder& recorder, PlaceFinder find_place, c10::DeviceType device)
    : recorder_(recorder), id_(++last_id), step_(-1), device_(device), find_place_(find_place) {
  start();
}

void Recording::start() {
  phases_ = log_named(trace::TrackKind::phases, "phases");
  worker_ = &attach(trace::TrackKind::cpu_thread, "worker");
  Recording* const before = active_recording.exchange(this);
  TS_CHECK(before == nullptr);
  // A script's torch.profiler does not begin where our report is: AllocatorTrace sees its blocks.
  if (device_ != c10::DeviceType::CPU && find_place_ == nullptr)
    device_memory_ = report_device_memory(*this);
  base::record_clock.follow();
  callbacks_ = install_operator_callbacks();
}

Recording::~Recording() {
  remove_operator_callbacks(callbacks_);
  device_memory_.reset();
  active_recording.store(nullptr);
}

Recording* Recording::active() noexcept {
  if (DryRecording::any() && DryRecording::current() != nullptr) return nullptr;
  return active_recording.load(std::memory_order_acquire);
}

ThreadState* Recording::known_thread() noexcept {
  ThreadState* const state = thread_state;
  return state != nullptr && state->recording == id_ ? state : nullptr;
}

ThreadState& Recording::thread(const char* name) {
  if (ThreadState* const state = known_thread(); state != nullptr) [[likely]]
    return *state;
  return attach(trace::TrackKind::autograd_thread, name + (" " + std::to_string(gettid())));
}

ThreadState& Recording::attach(trace::TrackKind kind, const std::string& name) {
  auto state = std::make_unique<ThreadState>(id_, log_named(kind, name), strings());
  thread_state = state.get();
  thread_state_owner.state = std::move(state);
  return *thread_state;
}

capture::ThreadLog* Recording::log_named(trace::TrackKind kind, const std::string& name) {
  // A recorder outlives many recordings, and the ring of a thread stays in it and is found by name:
  // a pointer kept from an earlier recording could belong to a destroyed recorder.
  for (capture::ThreadLog* const log : recorder_.threads()) {
    if (log->kind == kind && log->name == name) return log;
  }
  return recorder_.add_thread(kind, name);
}

memory::Record Recording::memory_record(memory::Action action, const void* address,
                                        std::int64_t size, std::int64_t time_ns) const noexcept {
  memory::Record record;
  record.time_ns = time_ns;
  record.address = reinterpret_cast<std::uintptr_t>(address);
  record.size = size;
  record.step = step();
  record.action = action;
  record.phase = phase();
  record.graph_kept = graph_kept_.load(std::memory_order_relaxed);
  return record;
}

namespace {

void push_memory(capture::ThreadLog& log, const memory::Record& memory) noexcept {
  log.ring.try_write([&memory](RawRecord& record) {
    record.kind = RawKind::memory;
    record.phase = memory.phase;
    record.step = memory.step;
    record.begin_ns = memory.time_ns;
    record.end_ns = memory.time_ns;
    record.memory = memory;
  });
}

}  // namespace

void Recording::memory(memory::Action action, const void* address, std::int64_t size) noexcept {
  memory::Record record = memory_record(action, address, size);
  if (ThreadState* const state = known_thread(); state != nullptr) [[likely]] {
    if (const Frame* const frame = state->top(); frame != nullptr) {
      record.op = frame->memory_op;
      record.module = frame->module;
    }
    // Beside operators: a number that is boxed. Not on a card: its allocator's lock is held here,
    // and who has the interpreter's lock may wait for it.
    if (find_place_ != nullptr && action == memory::Action::alloc && state->operators == 0 &&
        device_ == c10::DeviceType::CPU)
      record.module = find_place_(strings(), record.module);
    push_memory(*state->log, record);
    return;
  }
  const std::lock_guard lock(pool_mutex_);
  if (pool_ == nullptr) pool_ = log_named(trace::TrackKind::cpu_thread, "pool threads");
  push_memory(*pool_, record);
}

bool Recording::takes_card(std::int32_t index) noexcept {
  if (find_place_ == nullptr) return true;
  std::int32_t card = -1;
  return card_.compare_exchange_strong(card, index, std::memory_order_relaxed) || card == index;
}

void Recording::in_use(std::int64_t bytes) noexcept {
  std::int64_t most = most_in_use();
  while (bytes > most &&
         !most_in_use_.compare_exchange_weak(most, bytes, std::memory_order_relaxed)) {
  }
}

void Recording::operator_ended(ThreadState& state, std::int64_t end_ns) noexcept {
  push_memory(*state.log, memory_record(memory::Action::operator_end, nullptr, 0, end_ns));
}

void Recording::owner(const void* address, memory::Category category,
                      base::StringId name) noexcept {
  memory::Record record = memory_record(memory::Action::owner, address, 0);
  record.category = category;
  record.module = name;
  push_memory(*worker_->log, record);
}

void Recording::begin_phase(base::Phase phase, bool graph_kept) noexcept {
  phase_.store(phase, std::memory_order_relaxed);
  graph_kept_.store(graph_kept, std::memory_order_relaxed);
  push_memory(*worker_->log, memory_record(memory::Action::phase_begin, nullptr, 0));
  phase_open_ = true;
}

void Recording::end_phase_before_unwinding() noexcept {
  if (known_thread() != worker_ || !phase_open_) return;
  phase_open_ = false;
  push_memory(*worker_->log, memory_record(memory::Action::phase_end, nullptr, 0));
}

void Recording::end_phase() noexcept {
  if (phase_open_) {
    push_memory(*worker_->log, memory_record(memory::Action::phase_end, nullptr, 0));
  }
  phase_open_ = false;
  phase_.store(base::Phase::idle, std::memory_order_relaxed);
  graph_kept_.store(false, std::memory_order_relaxed);
}

void Recording::push_span(RawKind kind, base::StringId name, std::uint8_t depth,
                          std::int64_t begin_ns) noexcept {
  RawRecord record;
  record.kind = kind;
  record.depth = depth;
  record.phase = phase();
  record.step = step();
  record.name = name;
  record.begin_ns = begin_ns;
  record.end_ns = base::record_clock.now();
  phases_->ring.try_push(record);
}

void Recording::open_module(base::StringId path) {
  ThreadState& state = thread();
  Frame* const frame = state.push();
  if (frame == nullptr) return;
  frame->kind = RawKind::module;
  frame->name = path;
  frame->module = path;
  frame->backward = state.backward;
  if (state.backward) {
    state.backward = false;
    recompute(true);
  }
  ++state.depth;
  frame->begin_ns = base::record_clock.now();
}

void Recording::open_range(base::StringId name, const void* function) {
  ThreadState& state = thread();
  const Frame* const outer = state.top();
  Frame* const frame = state.push();
  if (frame == nullptr) return;
  frame->kind = RawKind::module;
  frame->range = true;
  frame->function = function;
  frame->name = name;
  frame->memory_op = outer != nullptr ? outer->memory_op : base::kNoString;
  frame->module = outer != nullptr ? outer->module : base::kNoString;
  ++state.depth;
  frame->begin_ns = base::record_clock.now();
}

void Recording::close_module() noexcept {
  ThreadState* const state = known_thread();
  const Frame* const frame = state != nullptr ? state->pop() : nullptr;
  if (frame == nullptr) return;
  if (frame->backward) {
    state->backward = true;
    recompute(false);
  }
  RawRecord record;
  record.kind = RawKind::module;
  record.depth = --state->depth;
  record.phase = phase();
  record.step = step();
  record.name = frame->name;
  record.module = frame->module;
  record.begin_ns = frame->begin_ns;
  record.end_ns = base::record_clock.now();
  state->log->ring.try_push(record);
}

void Recording::close_range(const void* function) noexcept {
  ThreadState* const state = known_thread();
  if (state != nullptr && state->find(function) >= 0 && close_inside(*state, function))
    close_module();
}

bool Recording::close_inside(ThreadState& state, const void* function) noexcept {
  if (state.open > ThreadState::kMaxFrames) return true;  // counted only
  const int index = state.find(function);
  if (index < 0) return false;
  while (state.open - 1 > index) {
    if (state.top()->kind == RawKind::module) {
      close_module();
      continue;
    }
    const Frame* const frame = state.pop();
    --state.operators;
    state.backward = frame->backward;
    if (!frame->slice) continue;
    --state.depth;
    if (const auto* launches = marks(); launches != nullptr) launches->pop();
  }
  return true;
}

void Recording::close_module_named(base::StringId path) noexcept {
  ThreadState* const state = known_thread();
  if (state == nullptr) return;
  if (state->open > ThreadState::kMaxFrames) {  // it was counted only
    state->pop();
    return;
  }
  int index = state->open - 1;
  const auto frame = [&]() -> const Frame& {
    return state->frames[static_cast<std::size_t>(index)];
  };
  while (index >= 0 && frame().kind == RawKind::module && (frame().range || frame().name != path))
    --index;
  if (index < 0 || frame().kind != RawKind::module) return;
  while (state->open > index) close_module();
}

void Recording::saw_attention(AttentionKernel kernel) noexcept {
  // math runs a softmax inside; the more specific operator wins in either order.
  if (kernel > attention()) attention_.store(kernel, std::memory_order_relaxed);
}

}  // namespace ts::kernels
