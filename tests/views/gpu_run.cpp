#include "tests/views/gpu_run.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "core/capture/gpu_timeline.h"

namespace ts::views::testing {
namespace {

using capture::GpuKind;
using capture::GpuRecord;
using trace::SliceClass;

const char* kernel_of(SliceClass slice_class) {
  switch (slice_class) {
    case SliceClass::matmul:
      return "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn";
    case SliceClass::softmax:
      return "void at::native::cunn_SoftMaxForward<8, c10::BFloat16>";
    case SliceClass::norm:
      return "void at::native::vectorized_layer_norm_kernel<c10::BFloat16, float>";
    default:
      return "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor>";
  }
}

// A kernel starts when the one before has ended and its launch has been made.
class Gpu {
 public:
  Gpu(run::Run& run, base::StringTable& strings)
      : run_(run), strings_(strings), timeline_(strings, [this](trace::Track track) {
          return run_.trace.add_track(std::move(track));
        }) {}

  void launch(const trace::Slice& op) {
    GpuRecord link;
    link.kind = GpuKind::correlation;
    link.correlation = ++number_;
    link.op = op.name;
    link.module = op.module;
    timeline_.take(link);
    GpuRecord call;
    call.kind = GpuKind::call;
    call.correlation = number_;
    call.begin_ns = op.begin_ns + op.duration_ns / 8;
    call.end_ns = call.begin_ns + 4000;
    call.name = strings_.intern("cudaLaunchKernel");
    timeline_.take(call);
    GpuRecord kernel;
    kernel.correlation = number_;
    kernel.begin_ns = std::max(busy_until_, call.end_ns + 2000);
    kernel.end_ns = kernel.begin_ns + op.duration_ns * 4 / 5;
    kernel.stream = 7;
    kernel.name = strings_.intern(kernel_of(op.slice_class));
    const bool product = op.slice_class == SliceClass::matmul;
    kernel.grid = {product ? 128 : 4096, product ? 12 : 1, 1};
    kernel.block = {product ? 128 : 256, 1, 1};
    kernel.registers = product ? 168 : 32;
    kernel.shared_memory = product ? 65536 : 0;
    timeline_.take(kernel);
    busy_until_ = kernel.end_ns;
  }

  void finish() {
    run::BatchUpdate update;
    update.id = run_.id;
    timeline_.hand_over(true, update.batch);
    run_.apply(std::move(update));
  }

 private:
  run::Run& run_;
  base::StringTable& strings_;
  capture::GpuTimeline timeline_;
  std::uint32_t number_ = 0;
  std::int64_t busy_until_ = 0;
};

void add_operators(run::Run& run, Gpu& gpu) {
  std::vector<trace::Slice> operators;
  for (std::size_t t = 0; t < run.trace.tracks().size(); ++t) {
    const auto track = static_cast<trace::TrackId>(t);
    if (run.trace.tracks()[t].kind == trace::TrackKind::phases) continue;
    const auto depth = static_cast<std::uint16_t>(run.trace.depth_count(track) - 1);
    for (std::uint32_t i = 0; i < run.trace.lane_size(track, depth); ++i)
      operators.push_back(run.trace.slice({track, depth, i}));
  }
  std::ranges::sort(operators, {}, &trace::Slice::begin_ns);
  for (const trace::Slice& op : operators) gpu.launch(op);
}

// Segments of 512 MiB as the live bytes grow, and what the driver would say after each step.
void add_memory(run::Run& run) {
  constexpr std::int64_t kSegment = std::int64_t{512} << 20;
  constexpr std::int64_t kContext = std::int64_t{426} << 20;
  std::vector<memory::Record> records;
  std::int64_t held = 0;
  for (const memory::Event& event : run.memory.events()) {
    for (; held < event.total_after; held += kSegment) {
      memory::Record record;
      record.action = memory::Action::segment_alloc;
      record.time_ns = event.time_ns;
      record.size = kSegment;
      records.push_back(record);
    }
  }
  for (const memory::Record& record : records) run.memory.append(record);
  for (const memory::PhaseSpan& span : run.memory.phases()) {
    if (span.phase != base::Phase::optimizer) continue;
    run::StepTimes step;
    step.begin_ns = span.begin_ns;
    step.total_ns = span.end_ns - span.begin_ns;
    step.device_ns = step.total_ns;
    run::GpuState state;
    state.sm_clock_mhz = 1755;
    state.temperature_c = 61;
    state.power_w = 388;
    state.throttle = 0x4;
    state.used_bytes = held + kContext;
    step.gpu = state;
    run.recorded_steps.push_back(step);
    run.timed_steps.push_back(step);
  }
}

}  // namespace

void add_gpu(run::Run& run, base::StringTable& strings) {
  Gpu gpu(run, strings);
  add_operators(run, gpu);
  gpu.finish();
  add_memory(run);
  run.spec.device = spec::DeviceKind::cuda;
  spec::Gpu card;
  card.name = "RTX 4090";
  card.compute_capability = "8.9";
  run.card = card;
}

}  // namespace ts::views::testing
