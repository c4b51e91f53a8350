#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/capture/recorder.h"
#include "core/run/failure.h"
#include "core/run/world.h"
#include "core/spec/workload_spec.h"

namespace ts::allocator {
struct Snapshot;
}

namespace ts::run {

// The state of a GPU as the driver's management library (NVML) reports it; 0 is a value that the
// card does not report.
struct GpuState {
  std::int32_t sm_clock_mhz = 0;
  std::int32_t memory_clock_mhz = 0;
  std::int32_t temperature_c = 0;
  double power_w = 0;
  std::uint64_t throttle = 0;   // why the clocks are reduced, NVML's bits; see gpu_state.h
  std::int64_t used_bytes = 0;  // of the whole device, by all processes
  std::int64_t total_bytes = 0;
  friend bool operator==(const GpuState&, const GpuState&) = default;
};

// Times of one step in nanoseconds of base::now_ns(), with the device idle at both ends. A part
// that the pass lacks is 0. total is wall time from before the forward to after the last part.
struct StepTimes {
  std::int64_t begin_ns = 0;
  std::int64_t forward_ns = 0;
  std::int64_t backward_ns = 0;
  std::int64_t optimizer_ns = 0;
  std::int64_t prefill_ns = 0;  // pass generate: the prompt to the first new token,
  std::int64_t decode_ns = 0;   // and all further ones; together forward_ns
  std::int64_t total_ns = 0;
  // The part of total_ns spent waiting for the device at the ends of the parts. A clock that is
  // read without waiting shows total_ns less this: the time in which the calls were made. Not
  // meaningful on cpu, where calls return with their result.
  std::int64_t waited_ns = 0;
  double loss = 0;
  double learning_rate = 0;             // of a full step
  std::optional<double> gradient_norm;  // total, before clipping; only where it was computed
  std::optional<double> loss_scale;     // with a gradient scaler: that of this step's loss
  // With a gradient scaler: clean steps in a row after this one; when they reach growth_interval,
  // the scale doubles and the count restarts.
  std::optional<std::int64_t> clean_steps;
  bool skipped = false;         // a gradient was inf or nan, nothing was updated
  std::int64_t device_ns = 0;   // on a GPU: between two CUDA events around the step; else 0
  std::optional<GpuState> gpu;  // right after the step, or up to 20 ms before its end
};

// "fc1" "fp16"
struct NamedType {
  std::string name;
  std::string type;
  friend bool operator==(const NamedType&, const NamedType&) = default;
};

// "fp16 += fp16" 9.953, where 10 would be exact
struct NamedNumber {
  std::string name;
  double value = 0;
  double exact = 0;
  friend bool operator==(const NamedNumber&, const NamedNumber&) = default;
};

// A result over an x of its workload's own: one line of a chart. x is ascending; as many y as x.
struct ResultCurve {
  std::string name;
  std::vector<double> x = {};
  std::vector<double> y = {};
  friend bool operator==(const ResultCurve&, const ResultCurve&) = default;
};

// Facts that only the execution knows. `backend_ran` is found from the operators that ran.
struct ExecutionFacts {
  std::int64_t parameters = 0;  // counted from the tensors
  std::int64_t trained = 0;     // of them: those that are not frozen
  std::string backend_ran;  // naive math flash tiled ..., empty when the workload has no attention
  std::int64_t memory_limit = 0;
  // The types in which a recorded step computed: parameters, the output of every layer (of the
  // blocks only the first), loss, gradients.
  std::vector<NamedType> types = {};
  // Pass generate: the new tokens of the first sequence, and their text if there is a corpus.
  std::vector<std::int64_t> generated = {};
  std::string generated_text = {};
  // The numbers of a workload whose results are numbers.
  std::vector<NamedNumber> results = {};
  std::vector<ResultCurve> curves = {};
  double compile_s = 0;  // the time that compiling the step took; 0: it runs eagerly
  RankFacts rank = {};
  friend bool operator==(const ExecutionFacts&, const ExecutionFacts&) = default;
};

struct MemoryCounters {
  std::int64_t allocated = 0;
  std::int64_t peak = 0;
  std::int64_t limit = 0;
  std::int64_t reserved = 0;  // bytes of the device that the allocator holds; 0 on cpu
};

// One prepared workload: parameters, inputs and optimizer state exist. Worker thread only.
class Execution {
 public:
  virtual ~Execution() = default;
  // Runs one step. With a recorder everything in it is recorded; without one no hook is installed.
  // After a cancelled or out-of-memory step the execution can only be destroyed.
  virtual Outcome<StepTimes> step(capture::Recorder* recorder, std::int32_t step_number) = 0;
  // Returns the number of rank 0, where all ranks must decide alike. Between steps.
  virtual Outcome<std::int64_t> agree(std::int64_t mine) { return mine; }
  [[nodiscard]] virtual ExecutionFacts facts() const = 0;
  [[nodiscard]] virtual MemoryCounters memory() const = 0;
  // The events that the device's allocator recorded in recorded steps, with its current segments;
  // null if the allocator is not PyTorch's.
  virtual std::shared_ptr<const allocator::Snapshot> allocator_snapshot() { return nullptr; }
};

// The best of a few large matrix products and of a few large copies: the practical limits of the
// device.
struct Roof {
  // The product's type: on a processor fp32 for 16 bits, too, where that is faster.
  spec::DataType dtype = spec::DataType::fp32;
  std::int64_t size = 0;  // the product was of two squares of this size
  double tflops = 0;
  double gb_s = 0;  // 1e9 bytes a second, read and written, of a copy no cache holds; 0: unknown
};

// How far the numbers of a step are from a reference: the same step with the same parameters and
// inputs, by LibTorch's plain operators in fp64. An error is the largest difference in a tensor
// over the largest number of the tensor; not finite where the step has inf or nan.
struct ValueErrors {
  base::Message not_compared = {};       // why there is no reference; then there are no errors
  double values = 0;                     // the larger one of output and loss
  std::optional<double> gradients = {};  // the largest of all; unset in a pass without a backward
  std::string worst_gradient = {};       // the parameter that has it, or "input"
  friend bool operator==(const ValueErrors&, const ValueErrors&) = default;
};

struct DeviceInfo {
  spec::DeviceKind kind = spec::DeviceKind::cpu;
  std::int32_t index = 0;
  std::string name;  // "NVIDIA H200", "AMD EPYC ..."
  std::int64_t memory_bytes = 0;
  base::Message unavailable = {};  // why it cannot be used; empty when it can
  // Why its own work (kernels and copies) is not recorded; empty if it is, and for cpu.
  base::Message not_recorded = {};
  std::string not_watched =
      {};  // why clocks and temperature are not known; empty: they are, and cpu
};

struct EngineInfo {
  std::string torch_version;
  std::string build;  // one line: threads, BLAS, vector instructions
  std::int32_t threads = 0;
  std::vector<DeviceInfo> devices;
  base::Message not_compiled = {};  // why no step can be compiled here; empty when it can
};

// Runs workloads. Implemented by libtensorscope_kernels.so; fakes in tests. Worker thread only.
class Engine {
 public:
  virtual ~Engine() = default;
  [[nodiscard]] virtual const EngineInfo& info() const = 0;
  // For a spec whose step is compiled (compiles_step): makes the package if there is none. The
  // first time takes a minute or two, later calls no time; prepare() then finds the package.
  virtual Outcome<void> compile(const spec::WorkloadSpec& /*spec*/, std::int64_t /*limit*/,
                                const base::CancelToken& /*cancel*/) {
    return {};
  }
  // From now on workloads are run together with other processes, which all call this with the same
  // spec. Once. Waits for them as long as the world says.
  virtual Outcome<void> join(const World& world, const spec::WorkloadSpec& spec,
                             const base::CancelToken& cancel);
  // Builds the workload. `recorder` records the allocations of set-up. `limit` is the bytes the
  // device's allocator may hold. The token is checked at every allocation and between layers.
  virtual Outcome<std::unique_ptr<Execution>> prepare(const spec::WorkloadSpec& spec,
                                                      std::int64_t limit,
                                                      capture::Recorder* recorder,
                                                      const base::CancelToken& cancel) = 0;
  // Computes a step of the spec, without its optimizer, and the reference, one after the other.
  virtual Outcome<ValueErrors> compare_values(const spec::WorkloadSpec& /*spec*/,
                                              std::int64_t /*limit*/,
                                              const base::CancelToken& /*cancel*/) {
    return tl::unexpected(Failure({.sentence = "There is no reference"}));
  }
  // Takes about a second. Measures the device in the type of the spec's matrix products.
  virtual Outcome<Roof> measure_roof(const spec::WorkloadSpec& spec,
                                     const base::CancelToken& cancel) = 0;
  // From now on our kernels for the processor use no instructions beyond these: portable, AVX2 or
  // AVX-512. Empty: the fastest that it has.
  virtual void use_instructions(const std::string& /*name*/) {}
};

// The two symbols of libtensorscope_kernels.so. A library with another interface version is
// refused.
inline constexpr int kEngineInterfaceVersion = 12;
using EngineVersionFunction = int (*)();
using EngineCreateFunction = Engine* (*)();
inline constexpr const char* kEngineVersionSymbol = "tensorscope_engine_version";
inline constexpr const char* kEngineCreateSymbol = "tensorscope_engine_create";

}  // namespace ts::run
