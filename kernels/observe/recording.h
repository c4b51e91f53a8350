#pragma once

#include <c10/core/DeviceType.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/phase.h"
#include "core/base/tick_clock.h"
#include "core/capture/gpu_source.h"
#include "core/capture/recorder.h"
#include "kernels/observe/name_cache.h"
#include "kernels/observe/sequence_modules.h"

namespace c10 {
class DebugInfoGuard;
}

namespace ts::kernels {

struct ThreadState;

// Threads and hooks.
//
// LibTorch's hooks are process-wide: operator callbacks are plain functions, the CPU allocator is
// one object. They find what to write to through the one Recording that is active, and write
// nothing when there is none; then no callback is installed either, and the allocator only counts.
//
//   worker thread     makes the Recording, runs the forward, the optimizer and, on cpu, the
//                     backward. Its ring also carries the phase and owner records, so that one ring
//                     has everything the categories depend on, in order.
//   autograd threads  one per CUDA device, made by LibTorch; each gets a ring at its first node.
//   pool threads      LibTorch's OpenMP threads run no operators; the rare allocations there go
//                     into one more ring, which a mutex makes single-producer. They carry no
//                     operator.
//
// Every thread keeps its own stack of open modules and operators (ThreadState). A slice is written
// when it ends: depth counts modules and operators together. The frame autograd puts around each
// node is not a slice, but counts as the outermost operator: what a node's gradients are summed
// with belongs to that node.
//
// A thread that makes a dry run (kernels/dry_run) is left out of it all: what it does belongs to
// the dry run.
//
// A script of somebody's own (kernels/record) has one Recording from its beginning to its end,
// whose step counts on; its main thread is the worker thread.
class Recording {
 public:
  // Finds the line of the program that the calling thread runs and names the module with it,
  // "layers.0.attn @ model.py:61"; the module itself where no line is known.
  using PlaceFinder = base::StringId (*)(base::StringTable& strings, base::StringId module);

  // Starts to record everything on all threads, as `step` (-1 for set-up); device memory of
  // `device`, whose launches are marked with their operators by `marks`, if not null. At most one
  // at a time. Worker thread.
  Recording(capture::Recorder& recorder, std::int32_t step, c10::DeviceType device,
            const capture::LaunchMarks* marks = nullptr);
  // The same for a script: outermost operators of a forward carry their line, and ranges of
  // torch.profiler.record_function are slices. Of several cards, memory is that of the first one
  // that allocates.
  Recording(capture::Recorder& recorder, PlaceFinder find_place, c10::DeviceType device);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // The active one or null; always null on a thread that makes a dry run. Any thread.
  static Recording* active() noexcept;

  // State of the calling thread; makes its ring at the first call, by that name and its number.
  ThreadState& thread(const char* name = "autograd");
  // Only if the calling thread has a ring already, else null.
  ThreadState* known_thread() noexcept;

  // A block came or went (alloc, free_completed) or was refused (oom). Any thread.
  void memory(memory::Action action, const void* address, std::int64_t size) noexcept;
  // False for the memory of another card than the recorded one. Any thread.
  bool takes_card(std::int32_t index) noexcept;
  // The card whose memory is recorded; -1 as long as a script has allocated on none. Any thread.
  [[nodiscard]] std::int32_t card() const noexcept { return card_.load(std::memory_order_relaxed); }
  // The card's allocator had so many bytes in use. Any thread; see most_in_use().
  void in_use(std::int64_t bytes) noexcept;
  [[nodiscard]] std::int64_t most_in_use() const noexcept {
    return most_in_use_.load(std::memory_order_relaxed);
  }
  // The outermost operator on the calling thread ended then.
  void operator_ended(ThreadState& state, std::int64_t end_ns) noexcept;
  // The live block at `address` belongs to `category`; the name of a parameter stands for its
  // module ("blocks.0.attn.q_proj.weight"). Worker thread.
  void owner(const void* address, memory::Category category,
             base::StringId name = base::kNoString) noexcept;

  // The next records belong to this step. Worker thread.
  void set_step(std::int32_t step) noexcept { step_.store(step, std::memory_order_relaxed); }

  // A module begins on the calling thread: what runs in it carries its path. A module that begins
  // inside a backward is a part of the forward that runs again. close_module() ends the one that
  // was opened last; strictly nested with operators.
  void open_module(base::StringId path);
  void close_module() noexcept;
  // A range that the program named: a slice, what runs in it keeps its module. `function`: what
  // LibTorch calls it by. close_range() ends what is still open in it, too.
  void open_range(base::StringId name, const void* function);
  void close_range(const void* function) noexcept;
  // Before the operator that LibTorch calls so ends: ends what was opened in it and never ended.
  // False if it is not open on this thread.
  bool close_inside(ThreadState& state, const void* function) noexcept;
  // Ends the innermost open module of this path, and what is still open in it. Nothing if an
  // operator began since, or if there is none.
  void close_module_named(base::StringId path) noexcept;

  // Worker thread; used by PhaseScope and StepScope. graph_kept: see memory::Record.
  void begin_phase(base::Phase phase, bool graph_kept) noexcept;
  void end_phase() noexcept;
  // A part of the forward runs again in the open backward: its memory records say so. The thread
  // that runs the backward.
  void recompute(bool again) noexcept { graph_kept_.store(again, std::memory_order_relaxed); }
  // The step is about to be unwound: its phase ends here, before what it held is let go, or its
  // activations would look like temporaries. Any thread; only the worker thread has a phase to end.
  void end_phase_before_unwinding() noexcept;
  void push_span(capture::RawKind kind, base::StringId name, std::uint8_t depth,
                 std::int64_t begin_ns) noexcept;

  [[nodiscard]] SequenceModules& sequence_modules() noexcept { return modules_; }

  void saw_attention(AttentionKernel kernel) noexcept;
  // The attention kernel that ran so far in this recording: a fused or math operator, else softmax,
  // else none.
  [[nodiscard]] AttentionKernel attention() const noexcept {
    return attention_.load(std::memory_order_relaxed);
  }

  [[nodiscard]] base::StringTable& strings() noexcept { return recorder_.strings(); }
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  [[nodiscard]] std::int32_t step() const noexcept { return step_.load(std::memory_order_relaxed); }
  [[nodiscard]] base::Phase phase() const noexcept {
    return phase_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] c10::DeviceType device() const noexcept { return device_; }
  // Null while launches are not marked.
  [[nodiscard]] const capture::LaunchMarks* marks() const noexcept {
    return marks_.load(std::memory_order_relaxed);
  }
  void set_marks(const capture::LaunchMarks* marks) noexcept {
    marks_.store(marks, std::memory_order_relaxed);
  }
  [[nodiscard]] PlaceFinder place_finder() const noexcept { return find_place_; }

 private:
  void start();
  ThreadState& attach(trace::TrackKind kind, const std::string& name);
  capture::ThreadLog* log_named(trace::TrackKind kind, const std::string& name);
  memory::Record memory_record(
      memory::Action action, const void* address, std::int64_t size,
      std::int64_t time_ns = base::record_clock.now_in_order()) const noexcept;

  capture::Recorder& recorder_;
  const std::uint64_t id_;
  std::atomic<std::int32_t> step_;
  const c10::DeviceType device_;
  std::atomic<const capture::LaunchMarks*> marks_{nullptr};
  const PlaceFinder find_place_ = nullptr;
  std::atomic<std::int32_t> card_{-1};  // of a script
  std::atomic<std::int64_t> most_in_use_{0};
  std::atomic<base::Phase> phase_{base::Phase::idle};
  std::atomic<bool> graph_kept_{false};
  std::atomic<AttentionKernel> attention_{AttentionKernel::none};
  bool phase_open_ = false;  // its end is not recorded yet; worker thread
  ThreadState* worker_ = nullptr;
  capture::ThreadLog* phases_ = nullptr;
  std::mutex pool_mutex_;
  capture::ThreadLog* pool_ = nullptr;
  SequenceModules modules_;
  std::unique_ptr<c10::DebugInfoGuard> device_memory_;
  std::uint64_t callbacks_ = 0;
};

}  // namespace ts::kernels
