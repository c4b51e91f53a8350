#include "kernels/observe/dry_recording.h"

#include <ATen/record_function.h>

#include <array>
#include <limits>
#include <unordered_set>

#include "core/base/check.h"
#include "kernels/observe/shape_writer.h"
#include "kernels/observe/unknown_blocks.h"

namespace ts::kernels {
namespace {

thread_local DryRecording* current_dry_recording = nullptr;

}  // namespace

// LibTorch wants plain functions.
struct DryRunCallbacks {
  static std::unique_ptr<at::ObserverContext> start(const at::RecordFunction& function) {
    DryRecording* const dry = current_dry_recording;
    const OpenedOperator opened = open_operator_frame(dry->state_, dry->modules_, function,
                                                      dry->state_.names.find(function.name()));
    if (opened.attention != AttentionKernel::none) dry->saw_attention(opened.attention);
    return nullptr;
  }
  static void end(const at::RecordFunction& function, at::ObserverContext*) {
    current_dry_recording->note_shapes(function);
    current_dry_recording->note_unknown(function);
    current_dry_recording->close_operator();
  }
};

DryRecording::DryRecording(base::StringTable& strings, const predict::DryRunOptions& options,
                           std::vector<memory::Record>& records, const base::CancelToken& cancel)
    : strings_(strings),
      options_(options),
      records_(records),
      cancel_(cancel),
      state_(/*recording_id=*/0, /*thread_log=*/nullptr, strings),
      shapes_(strings) {
  TS_CHECK(current_dry_recording == nullptr);
  current_dry_recording = this;
  ++alive_;
  callbacks_ = at::addThreadLocalCallback(
      at::RecordFunctionCallback(DryRunCallbacks::start, DryRunCallbacks::end)
          .needsOutputs(true)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

DryRecording::~DryRecording() {
  at::removeCallback(callbacks_);
  current_dry_recording = nullptr;
  --alive_;
}

void DryRecording::close_operator() {
  close_operator_frame(state_);
  // Only what a graph may keep depends on it.
  if (state_.operators == 0 && graph_kept_) note_block(memory::Action::operator_end, 0, 0);
}

void DryRecording::note_shapes(const at::RecordFunction& function) {
  if (closed_) return;
  for (const c10::IValue& value : function.outputs()) {
    if (value.isTensor()) {
      note_shape(value.toTensor());
    } else if (value.isTensorList()) {
      for (const at::Tensor& tensor : value.toTensorVector()) note_shape(tensor);
    }
  }
}

void DryRecording::note_unknown(const at::RecordFunction& function) {
  const Frame* const frame = state_.top();  // null: nested too deep
  const bool may =
      frame != nullptr ? frame->may_have_unknown_blocks : may_have_unknown_blocks(function.name());
  if (may && has_unknown_blocks(function)) saw_unknown(function.name());
}

void DryRecording::saw_unknown(std::string_view op) {
  if (closed_ || std::ranges::find(unknown_, op, &Unknown::op) != unknown_.end()) return;
  const Frame* const frame = state_.top();
  const base::StringId place = frame != nullptr ? frame->module : base::kNoString;
  unknown_.push_back({std::string(op), std::string(strings_.view(place))});
}

// Unknown where it does not fit: it would be cut off.
base::StringId DryRecording::shape_of(const at::Tensor& tensor) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t size : tensor.sizes()) {
    if (size > kLargest) return base::kNoString;
  }
  capture::Shapes shapes;
  return ShapeWriter{shapes}.add(tensor) ? shapes_.id(shapes) : base::kNoString;
}

// The innermost operator that returns a tensor in a new block says its shape; others return views.
void DryRecording::note_shape(const at::Tensor& tensor) {
  constexpr std::size_t kNew = 32;  // an operator alone records fewer
  if (!tensor.defined() || !tensor.is_meta() || !tensor.has_storage()) return;
  const std::uint64_t address = block_number(tensor.storage().data_ptr());
  const std::size_t first = records_.size() - std::min(kNew, records_.size());
  for (std::size_t i = records_.size(); address != 0 && i > first; --i) {
    memory::Record& record = records_[i - 1];
    if (record.action != memory::Action::alloc || record.address != address) continue;
    if (record.shape == base::kNoString) record.shape = shape_of(tensor);
    return;
  }
}

DryRecording::NodeFrame::NodeFrame(DryRecording& dry, std::string_view name) : dry_(dry) {
  open_node_frame(dry.state_, name);
}

DryRecording::NodeFrame::~NodeFrame() {
  dry_.close_operator();
}

DryRecording* DryRecording::current() noexcept {
  return current_dry_recording;
}

void DryRecording::note(memory::Record record) {
  if (closed_) return;
  record.step = step_;
  record.phase = phase_;
  record.graph_kept = graph_kept_;
  records_.push_back(record);
}

void DryRecording::note_block(memory::Action action, std::uint64_t address, std::int64_t size) {
  memory::Record record;
  record.action = action;
  record.address = address;
  record.size = size;
  if (const Frame* const frame = state_.top(); frame != nullptr) {
    record.op = frame->memory_op;
    record.module = frame->module;
  }
  note(record);
}

std::uint64_t DryRecording::alloc(std::int64_t size) {
  // Small numbers: a block on the host has a real address and never one of these.
  const std::uint64_t address = new_address();
  note_block(memory::Action::alloc, address, size);
  return address;
}

void DryRecording::free(std::uint64_t address) {
  note_block(memory::Action::free_completed, noted_address(address), 0);
}

bool DryRecording::repeat_since(std::size_t begin, std::int64_t times) {
  if (closed_) return false;
  const std::size_t end = records_.size();
  std::unordered_set<std::uint64_t> live;
  for (std::size_t i = begin; i < end; ++i) {
    const memory::Record& record = records_[i];
    if (record.action == memory::Action::alloc) live.insert(record.address);
    if (record.action == memory::Action::free_completed && live.erase(record.address) == 0)
      return false;
  }
  if (live.size() > 1) return false;
  std::unordered_map<std::uint64_t, std::uint64_t> now;
  for (std::int64_t time = 0; time < times; ++time) {
    for (std::size_t i = begin; i < end; ++i) {
      memory::Record record = records_[i];  // a copy: the list grows
      if (record.action == memory::Action::alloc) {
        now[record.address] = new_address();
        record.address = now[record.address];
      } else if (const auto found = now.find(record.address); found != now.end()) {
        record.address = found->second;
      }
      records_.push_back(record);
    }
    for (const std::uint64_t address : live) repeated_.push_back(now[address]);
  }
  return true;
}

void DryRecording::free_repeated() {
  for (const std::uint64_t address : repeated_) free(address);
  repeated_.clear();
}

std::uint64_t DryRecording::noted_address(std::uint64_t address) const {
  const auto found = renamed_.find(address);
  return found == renamed_.end() ? address : found->second;
}

void DryRecording::host_alloc(const void* address, std::int64_t size) {
  if (for_cuda()) return;
  note_block(memory::Action::alloc, reinterpret_cast<std::uintptr_t>(address), size);
}

void DryRecording::host_free(const void* address) {
  if (for_cuda()) return;
  note_block(memory::Action::free_completed, reinterpret_cast<std::uintptr_t>(address), 0);
}

DryRecording::ScratchQuestion::ScratchQuestion(DryRecording& dry)
    : dry_(dry), closed_(dry.closed_) {
  const Frame* const frame = dry.state_.top();
  op_ = frame != nullptr ? frame->memory_op : base::kNoString;
  dry_.closed_ = true;
  dry_.question_ = this;
}

DryRecording::ScratchQuestion::~ScratchQuestion() {
  dry_.closed_ = closed_;
  dry_.question_ = nullptr;
}

void DryRecording::answer(std::size_t size) {
  const Frame* const frame = state_.top();
  const base::StringId op = frame != nullptr ? frame->memory_op : base::kNoString;
  question_->asked_.push_back({static_cast<std::int64_t>(size), std::string(strings_.view(op))});
  if (op == question_->op_) throw ScratchAsked();
}

void DryRecording::owner(std::uint64_t address, memory::Category category, std::string_view name) {
  memory::Record record;
  record.action = memory::Action::owner;
  record.address = noted_address(address);
  record.category = category;
  if (!name.empty()) record.module = strings_.intern(name);
  note(record);
}

void DryRecording::begin_phase(base::Phase phase, bool graph_kept) {
  phase_ = phase;
  graph_kept_ = graph_kept;
  memory::Record record;
  record.action = memory::Action::phase_begin;
  note(record);
}

void DryRecording::end_phase() {
  memory::Record record;
  record.action = memory::Action::phase_end;
  note(record);
  phase_ = base::Phase::idle;
  graph_kept_ = false;
}

void DryRecording::open_module(const std::string& path) {
  Frame* const frame = state_.push();
  if (frame == nullptr) return;
  frame->kind = capture::RawKind::module;
  frame->name = state_.names.find(path).id;
  frame->module = frame->name;
}

std::string DryRecording::open_module() {
  const Frame* const frame = state_.top();
  return frame == nullptr ? std::string() : std::string(strings_.view(frame->module));
}

void DryRecording::close_module() {
  state_.pop();
}

bool DryRecording::in_place_on_devices() const noexcept {
  if (state_.open < 2 || state_.open > ThreadState::kMaxFrames) return false;
  const Frame& around = state_.frames[static_cast<std::size_t>(state_.open - 2)];
  if (!around.slice) return true;
  constexpr std::array<std::string_view, 6> kInPlace = {
      "aten::_scaled_dot_product_attention_math", "aten::linear",   "aten::gather_backward",
      "aten::value_selecting_reduction_backward", "IndexBackward0", "ClampBackward1"};
  return std::find(kInPlace.begin(), kInPlace.end(), strings_.view(around.name)) != kInPlace.end();
}

void DryRecording::saw_attention(AttentionKernel kernel) noexcept {
  if (kernel > attention_) attention_ = kernel;
}

}  // namespace ts::kernels
