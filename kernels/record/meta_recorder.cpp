#include "kernels/record/meta_recorder.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/record_function.h>
#include <torch/library.h>

#include <string>
#include <utility>

#include "core/io/file.h"
#include "core/run/recording.h"
#include "kernels/dry_run/meta_allocator.h"
#include "kernels/dry_run/meta_autocast.h"
#include "kernels/dry_run/meta_kernels.h"
#include "kernels/dry_run/sdpa.h"
#include "kernels/observe/cpu_allocator.h"
#include "kernels/record/python_place.h"

namespace ts::kernels {
namespace {

using base::Phase;

constexpr run::RunId kRun = 1;

predict::DryRunOptions chosen_rules;
base::StringTable* place_strings = nullptr;  // of the one recorder
// Facts of the recording that ended last.
std::int64_t last_apart = 0;
std::string last_unknown;

// Our own workloads ask for no number that anything depends on; a script may.
at::Scalar no_number(const at::Tensor&) {
  TORCH_CHECK(false, "a tensor without data has no number for item()");
}

// As on the device whose memory is predicted; LibTorch itself takes the math path for all tensors
// on meta.
at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                  const std::optional<at::Tensor>& mask, double dropout, bool causal,
                  std::optional<double> scale, bool grouped) {
  if (q.dim() != 4 || k.dim() != 4 || v.dim() != 4 || dropout != 0) {
    return std::get<0>(
        at::_scaled_dot_product_attention_math(q, k, v, mask, dropout, causal, {}, scale, grouped));
  }
  const bool other_heads = q.size(1) != k.size(1) || q.size(1) != v.size(1);
  const SdpaOptions options{
      .causal = causal, .mask = mask, .scale = scale, .broadcasts = !grouped && other_heads};
  return attend_sdpa_dry(spec::AttentionBackend::automatic, options, q, k, v);
}

void register_attention(c10::DispatchKey key) {
  auto* const made = new torch::Library(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);
  made->impl("scaled_dot_product_attention", attend);
}

void prepare_meta() {
  static const torch::Library* const library = [] {
    CpuAllocator::install();
    MetaAllocator::install();
    register_meta_kernels();
    register_meta_autocast();
    auto* const made = new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::Meta,
                                          __FILE__, __LINE__);
    made->impl("_local_scalar_dense", no_number);
    register_attention(c10::DispatchKey::Meta);
    register_attention(c10::DispatchKey::AutogradMeta);
    return made;
  }();
  static_cast<void>(library);
}

// Before the operator is opened: operators inside others have the line of the outermost one, those
// of a backward that of the forward's operator.
std::unique_ptr<at::ObserverContext> find_place(const at::RecordFunction& function) {
  DryRecording* const dry = DryRecording::current();
  if (dry == nullptr || dry->state().operators > 0) return nullptr;
  ThreadState& state = dry->state();
  state.place = base::kNoString;
  if (state.names.find(function.name()).node_frame) return nullptr;
  const Frame* const outer = state.top();
  state.place = python_place(*place_strings, outer != nullptr ? outer->module : base::kNoString);
  return nullptr;
}

}  // namespace

MetaRecorder::MetaRecorder(Options options, const predict::DryRunOptions& rules)
    : options_(std::move(options)) {
  prepare_meta();
  place_strings = &strings_;
  // It must run before that of the dry recording.
  place_callback_ = at::addThreadLocalCallback(
      at::RecordFunctionCallback(find_place)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
  dry_.emplace(strings_, rules, records_, cancel_);
  dry_->begin_step(step_);
  phase(Phase::setup, false);
}

MetaRecorder::~MetaRecorder() {
  dry_.reset();
  at::removeCallback(place_callback_);
}

void MetaRecorder::enter(base::StringId module) {
  if (DryRecording::current() == &*dry_) dry_->open_module(std::string(strings_.view(module)));
}

void MetaRecorder::leave(base::StringId) {
  if (DryRecording::current() == &*dry_) dry_->close_module();
}

void MetaRecorder::end_phase() {
  if (phase_ != Phase::idle) dry_->end_phase();
  phase_ = Phase::idle;
}

void MetaRecorder::phase(Phase phase, bool graph_kept) {
  end_phase();
  if (phase == Phase::forward && step_ < 0) dry_->begin_step(step_ = 0);
  phase_ = phase;
  if (phase != Phase::idle) dry_->begin_phase(phase, graph_kept);
}

void MetaRecorder::step() {
  end_phase();
  dry_->begin_step(++step_);
}

void MetaRecorder::owner(const void* address, memory::Category category, base::StringId name) {
  auto number = reinterpret_cast<std::uintptr_t>(address);
  if (number % 2 == 1) {
    const auto* const storage = reinterpret_cast<const c10::StorageImpl*>(number - 1);
    number = block_number(storage->data_ptr());
  }
  if (number != 0) dry_->owner(number, category, strings_.view(name));
}

// Their times count them.
run::BatchUpdate MetaRecorder::take_records() {
  run::BatchUpdate update{kRun, {}};
  std::int64_t time_ns = 0;
  for (memory::Record& record : records_)
    record.time_ns = time_ns += predict::DryRun::kEventSpacing;
  update.batch.memory = std::move(records_);
  return update;
}

base::Result<ProcessRecorder::Summary> MetaRecorder::finish(const std::filesystem::path& path,
                                                            std::optional<run::Failure> failure) {
  end_phase();
  dry_->close();
  last_apart = dry_->apart_bytes();
  last_unknown.clear();
  if (!dry_->unknown().empty()) {
    const DryRecording::Unknown& first = dry_->unknown().front();
    last_unknown = first.op + "\n" + first.place;
  }
  run::RecordingWriter writer(kRun, strings_, run::RecordingWriter::WhenFull::keep);
  run::StartedUpdate started;
  started.id = kRun;
  run::Run run(started);
  run.script = options_.script;
  run::BatchUpdate update = take_records();
  writer.add(update.batch);
  run.apply(std::move(update));
  run::FinishedUpdate end;
  end.id = kRun;
  end.notes = std::move(notes);
  if (failure) {
    end.verdict = failure->verdict;
    end.failure = std::move(*failure);
  }
  run.apply(std::move(end));
  const std::string file = writer.file(run);
  if (auto written = io::write_file(path, file); !written) return tl::unexpected(written.error());
  Summary summary;
  summary.steps = summary.recorded = std::max(step_, 0);
  summary.peak_bytes = run.peak_allocated();
  summary.file_bytes = static_cast<std::int64_t>(file.size());
  summary.lost = writer.lost();
  return summary;
}

void MetaRecorder::leave_in_child() noexcept {
  dry_->close();
}

std::unique_ptr<ProcessRecorder> make_process_recorder(ProcessRecorder::Options options) {
  return std::make_unique<MetaRecorder>(std::move(options), chosen_rules);
}

}  // namespace ts::kernels

// Whose blocks the next recording has: those of a CUDA card of this compute capability (major * 10
// + minor) and so many multiprocessors, or with 0 those of this machine's CPU.
extern "C" __attribute__((visibility("default"))) void tensorscope_record_rules(
    std::int32_t compute_capability, std::int32_t multiprocessors) {
  using ts::kernels::chosen_rules;
  const bool cuda = compute_capability > 0;
  chosen_rules.rules = cuda ? ts::spec::DeviceKind::cuda : ts::spec::DeviceKind::cpu;
  if (!cuda) return;
  chosen_rules.compute_capability = compute_capability;
  chosen_rules.multiprocessors = multiprocessors;
}

// Makes LibTorch's kernels for meta tensors ours, which the first recording would do, too.
extern "C" __attribute__((visibility("default"))) void tensorscope_record_meta() {
  ts::kernels::prepare_meta();
}

// The bytes of the ended recording: predict::DryRun::apart_bytes.
extern "C" __attribute__((visibility("default"))) std::int64_t tensorscope_record_apart() {
  return ts::kernels::last_apart;
}

// The first operator of the ended recording whose blocks are not known and, behind a line's end,
// the place that it ran for; empty: all are known. Valid until the next one ends.
extern "C" __attribute__((visibility("default"))) const char* tensorscope_record_unknown() {
  return ts::kernels::last_unknown.c_str();
}

// The type of autocast on meta from here on: 0 none, 1 bf16, 2 fp16; gives the one before. -1:
// frees the cast weights. In the open scope's thread.
extern "C" __attribute__((visibility("default"))) std::int32_t tensorscope_record_autocast(
    std::int32_t type) {
  if (type < 0) {
    ts::kernels::clear_meta_autocast_cache();
    return 0;
  }
  const auto before = ts::kernels::meta_autocast_type();
  std::optional<at::ScalarType> now;
  if (type > 0) now = type == 1 ? at::kBFloat16 : at::kHalf;
  ts::kernels::set_meta_autocast_type(now);
  return !before ? 0 : *before == at::kBFloat16 ? 1 : 2;
}
