#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/DeviceType.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/phase.h"
#include "core/capture/shape_text.h"
#include "core/memory/allocation_log.h"
#include "core/predict/dry_run.h"
#include "kernels/observe/operator_frames.h"
#include "kernels/observe/sequence_modules.h"
#include "kernels/observe/thread_state.h"

namespace at {
struct RecordFunction;
}

namespace ts::kernels {

// The number that stands for the address of a block without memory; 0 for none.
inline std::uint64_t block_number(const c10::DataPtr& data) noexcept {
  return reinterpret_cast<std::uintptr_t>(data.get_context());
}

// A block that an operator requested from the host's allocator, and the operator within it that
// did.
struct AskedBlock {
  std::int64_t bytes = 0;
  std::string op;
};
// Ends an operator that was started only to see its requests. Not a std::exception: LibTorch treats
// those of oneDNN as a reason to compute in another way.
struct ScratchAsked {};

// The records of a dry run: the counterpart of Recording on the one thread that makes it. While it
// lives every hook on this thread (operators, modules, phases, owners, the allocators of meta and
// of cpu) finds it through current() and writes directly into a list; no ring, no collector. Other
// threads never see it, and this thread sees no Recording.
//
// LibTorch runs the backward of meta tensors on the calling thread, so one thread is enough.
class DryRecording {
 public:
  DryRecording(base::StringTable& strings, const predict::DryRunOptions& options,
               std::vector<memory::Record>& records, const base::CancelToken& cancel);
  ~DryRecording();
  DryRecording(const DryRecording&) = delete;
  DryRecording& operator=(const DryRecording&) = delete;

  // The one of the calling thread, null on all others.
  static DryRecording* current() noexcept;
  // Whether any thread has one: the quicker question.
  static bool any() noexcept { return alive_.load(std::memory_order_relaxed) > 0; }
  // True if there is one, and it is by the rules of that device.
  static bool follows_cuda() noexcept {
    const DryRecording* const dry = current();
    return dry != nullptr && dry->for_cuda();
  }
  static bool follows_cpu() noexcept {
    const DryRecording* const dry = current();
    return dry != nullptr && !dry->for_cuda();
  }

  [[nodiscard]] const predict::DryRunOptions& options() const noexcept { return options_; }
  [[nodiscard]] bool for_cuda() const noexcept { return options_.rules == spec::DeviceKind::cuda; }
  [[nodiscard]] const base::CancelToken& cancel_token() const noexcept { return cancel_; }

  // Only a few of the repeated modules of an own model run: the records of the others follow from
  // theirs (repeat_layers.h).
  void sample_modules() noexcept { samples_modules_ = true; }
  [[nodiscard]] bool samples_modules() const noexcept { return samples_modules_; }

  // Only the first two of more micro-batches run; the others do what the second does.
  void sample_micro_batches() noexcept { samples_micro_batches_ = true; }
  [[nodiscard]] bool samples_micro_batches() const noexcept { return samples_micro_batches_; }
  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }
  // Notes the records since `begin` so many times again, with new blocks. False, and nothing is
  // noted, if they free blocks from before or leave more than one behind. What the copies leave
  // behind is freed by free_repeated().
  bool repeat_since(std::size_t begin, std::int64_t times);
  void free_repeated();

  void begin_step(std::int32_t step) noexcept { step_ = step; }
  // Nothing is recorded from here on: blocks that are freed later stay live at the end of the log.
  void close() noexcept { closed_ = true; }

  // A block of the device whose memory is predicted; size > 0. The result stands for its address
  // and is never 0.
  std::uint64_t alloc(std::int64_t size);
  void free(std::uint64_t address);
  // An address that no block has had.
  std::uint64_t new_address() noexcept { return ++last_address_; }
  // The block at `address` is recorded under another address from here on.
  void rename(std::uint64_t address, std::uint64_t now) { renamed_[address] = now; }
  // A block on the host, at a real address. Counts only if the host's memory is predicted.
  void host_alloc(const void* address, std::int64_t size);
  void host_free(const void* address);
  // While it lives nothing is recorded, but the open operator's requests to the host are listed;
  // the first block that it requests itself, not through another operator, ends with ScratchAsked.
  class ScratchQuestion {
   public:
    explicit ScratchQuestion(DryRecording& dry);
    ~ScratchQuestion();
    ScratchQuestion(const ScratchQuestion&) = delete;
    ScratchQuestion& operator=(const ScratchQuestion&) = delete;
    [[nodiscard]] std::vector<AskedBlock> take() { return std::move(asked_); }

   private:
    friend class DryRecording;
    DryRecording& dry_;
    bool closed_;
    base::StringId op_;
    std::vector<AskedBlock> asked_;
  };
  // A block on the host is about to be made.
  void before_host_alloc(std::size_t size) {
    if (question_ != nullptr) [[unlikely]]
      answer(size);
  }
  // While it lives nothing is recorded.
  class Pause {
   public:
    explicit Pause(DryRecording& dry) : dry_(dry), closed_(dry.closed_) { dry_.closed_ = true; }
    ~Pause() { dry_.closed_ = closed_; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    DryRecording& dry_;
    bool closed_;
  };
  // `name` is the path of a parameter, else empty.
  void owner(std::uint64_t address, memory::Category category, std::string_view name);

  void begin_phase(base::Phase phase, bool graph_kept);
  void end_phase();
  // As Recording::recompute.
  void recompute(bool again) { graph_kept_ = again; }
  void open_module(const std::string& path);
  // That of the open operator or module; empty: none.
  [[nodiscard]] std::string open_module();
  void close_module();

  // While it lives a node of autograd is run without LibTorch's engine (meta_backward.h).
  class NodeFrame {
   public:
    NodeFrame(DryRecording& dry, std::string_view name);
    ~NodeFrame();
    NodeFrame(const NodeFrame&) = delete;
    NodeFrame& operator=(const NodeFrame&) = delete;

   private:
    DryRecording& dry_;
  };

  // True if the open operator is run directly by the autograd engine (not by one of its nodes) or
  // by another caller that writes in place on devices (meta_arithmetic.cpp).
  [[nodiscard]] bool in_place_on_devices() const noexcept;

  // An operator records as live at once `bytes` more than its threads may really hold together.
  void may_be_apart(std::int64_t bytes) noexcept { apart_ = std::max(apart_, bytes); }
  [[nodiscard]] std::int64_t apart_bytes() const noexcept { return apart_; }

  // An operator that ran, or one of its calls, takes blocks that are not known (unknown_blocks.h).
  // `place`: the module or line that it runs for, empty if unknown. Noted once a name.
  struct Unknown {
    std::string op;
    std::string place;
  };
  void saw_unknown(std::string_view op);
  [[nodiscard]] const std::vector<Unknown>& unknown() const noexcept { return unknown_; }

  [[nodiscard]] AttentionKernel attention() const noexcept { return attention_; }
  void saw_attention(AttentionKernel kernel) noexcept;
  [[nodiscard]] ThreadState& state() noexcept { return state_; }
  [[nodiscard]] SequenceModules& sequence_modules() noexcept { return modules_; }

 private:
  friend struct DryRunCallbacks;
  static inline std::atomic<int> alive_{0};

  void answer(std::size_t size);
  void note_shapes(const at::RecordFunction& function);
  void note_unknown(const at::RecordFunction& function);
  void note_shape(const at::Tensor& tensor);
  base::StringId shape_of(const at::Tensor& tensor);
  void close_operator();
  void note(memory::Record record);
  void note_block(memory::Action action, std::uint64_t address, std::int64_t size);
  [[nodiscard]] std::uint64_t noted_address(std::uint64_t address) const;

  base::StringTable& strings_;
  const predict::DryRunOptions options_;
  std::vector<memory::Record>& records_;
  const base::CancelToken& cancel_;
  ThreadState state_;
  capture::ShapeTexts shapes_;
  SequenceModules modules_;
  std::uint64_t last_address_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> renamed_;
  std::int32_t step_ = -1;
  base::Phase phase_ = base::Phase::idle;
  bool graph_kept_ = false;
  bool closed_ = false;
  bool samples_modules_ = false;
  bool samples_micro_batches_ = false;
  std::vector<std::uint64_t> repeated_;  // left behind by copies of repeat_since()
  ScratchQuestion* question_ = nullptr;
  AttentionKernel attention_ = AttentionKernel::none;
  std::int64_t apart_ = 0;
  std::vector<Unknown> unknown_;
  std::uint64_t callbacks_ = 0;
};

}  // namespace ts::kernels
