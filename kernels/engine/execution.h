#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/engine.h"
#include "kernels/device/device.h"
#include "kernels/device/precision.h"
#include "kernels/engine/step_graph.h"
#include "kernels/layers/builder.h"
#include "kernels/layers/dropout.h"
#include "kernels/optim/training.h"
#include "kernels/share/fully_shard.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {

class DataParallel;
class DtypeMap;
class Exchange;
class RankGroup;
class Recording;

// Implements run::Execution on LibTorch. Gradients are dropped, or zeroed if the spec says so, at
// the start of a step. A step runs forward, loss and backward for each of its micro-batches, each
// loss divided by their number, then the optimizer; the loss of the step is the sum. Autocast holds
// for forward and loss. A forward-only pass has no loss, and a graph only if the spec keeps it.
// A habit (spec::Habit) is a mistake in this, made on purpose.
// With cuda_graph the steps are replays of one that is captured at the end of the set-up.
// A rank of several computes its share of the batch and exchanges gradients in the backward.
// The pass generate has a prefill and a decode instead of all that, without a graph.
class TorchExecution final : public run::Execution {
 public:
  // Allocates nothing on the device yet; `build` does. `ranks`: null, or outlives it.
  // `share`: the part of one rank, without what ranks exchange. Dry runs only.
  TorchExecution(const spec::WorkloadSpec& spec, std::unique_ptr<Device> device, std::int64_t limit,
                 base::CancelToken cancel, RankGroup* ranks = nullptr,
                 const predict::Share& share = {});
  ~TorchExecution() override;

  // Makes parameters and inputs. Once, before anything else.
  run::Outcome<void> build(capture::Recorder* recorder);

  run::Outcome<run::StepTimes> step(capture::Recorder* recorder, std::int32_t step_number) override;
  run::Outcome<std::int64_t> agree(std::int64_t mine) override;
  [[nodiscard]] run::ExecutionFacts facts() const override;
  [[nodiscard]] run::MemoryCounters memory() const override;
  std::shared_ptr<const allocator::Snapshot> allocator_snapshot() override;

  // For dry runs, between steps: the optimizer alone, on the existing gradients.
  run::Outcome<void> optimize_again();
  // True if a step begins by freeing all gradients.
  [[nodiscard]] bool drops_gradients() const {
    return spec_.zero_grad == spec::ZeroGrad::none && habit_ != spec::Habit::no_zero_grad;
  }
  // Addresses of the blocks of all gradients, in the order in which a step frees them. Meta only.
  [[nodiscard]] std::vector<std::uint64_t> gradient_addresses() const;

  // For tests: the parameters of the workload.
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return builder_->parameters(); }
  [[nodiscard]] const std::vector<at::Tensor>& inputs() const { return builder_->inputs(); }
  [[nodiscard]] const FullyShard* sharded() const { return sharded_.get(); }
  [[nodiscard]] Workload& workload() { return *workload_; }

 private:
  // Assigns the live block of the tensor to the category from now on.
  static void own(const at::Tensor& tensor, memory::Category category, std::string_view name = {});
  void make_workload();
  void make_parallel();
  // A micro-batch whose backward exchanges gradients.
  [[nodiscard]] bool exchanges(std::int64_t micro_batch) const;
  void begin_parallel_forward(std::int64_t micro_batch);
  void rebuild();
  void wait();
  run::StepTimes run_step();
  void capture_step();
  // From freeing the gradients to the update: the losses, and the times of the parts.
  std::vector<at::Tensor> run_parts(run::StepTimes& times);
  void clear_gradients();
  void drop_gradients();
  void zero_gradients();
  void generate(run::StepTimes& times);
  // Forward, loss and backward of one micro-batch, added to the times; the loss or nothing.
  at::Tensor run_micro_batch(std::int64_t index, run::StepTimes& times);
  void run_micro_batches(std::int64_t count, std::vector<at::Tensor>& losses,
                         run::StepTimes& times);
  // A stage's micro-batches in the order of the schedule 1F1B; the losses, of the last stage.
  std::vector<at::Tensor> run_stage();
  at::Tensor run_forward(std::int64_t micro_batch);
  at::Tensor run_loss(at::Tensor output);
  void run_backward(const at::Tensor& loss, std::int64_t micro_batch);
  void run_backward(const at::Tensor& output, const at::Tensor& gradient);
  void shard_parameters();
  void make_training();
  // The tensors that have gradients for the optimizer.
  [[nodiscard]] std::vector<TrainedTensor> trained() const;
  void run_optimizer();
  run::Failure failure_of_device();
  void note_what_ran(std::optional<Recording>& recording, std::optional<DtypeMap>& types);
  void note_reserved();
  void own_gradients();
  void own_buckets();
  void own_optimizer_state();
  void note_gradient_types();

  const spec::WorkloadSpec spec_;
  const spec::Habit habit_;
  const predict::Share share_;
  // Declared first, destroyed last: tensors are freed before the account that counts them is
  // closed.
  std::unique_ptr<Device> device_;
  Account account_;
  base::CancelToken cancel_;
  RankGroup* const ranks_;
  std::unique_ptr<Builder> builder_;
  std::optional<RandomState> numbers_;   // that dropout goes on with; of its own for each execution
  std::unique_ptr<Exchange> exchange_;   // null unless real ranks divide more than the batch
  std::unique_ptr<FullyShard> sharded_;  // null unless the share shards gradients
  std::unique_ptr<Workload> workload_;
  std::unique_ptr<Training> training_;
  std::unique_ptr<DataParallel> parallel_;
  // The parameters that each rank updates and then gives to the others; empty without zero1.
  std::vector<std::vector<at::Tensor>> updated_by_;
  at::Tensor last_output_;        // habit kept_output
  std::vector<at::Tensor> kept_;  // habit kept_graph: a result of every micro-batch so far
  std::optional<StepGraph> graph_;
  std::vector<at::Tensor> captured_losses_;
  bool owns_optimizer_state_ = false;
  bool stepped_ = false;
  std::string backend_ran_;
  std::vector<run::NamedType> types_;
  bool usable_ = false;
  double compile_s_ = 0;
  std::int64_t waited_ns_ = 0;            // in this step
  base::StringTable* strings_ = nullptr;  // of the last recording; outlives the execution
};

}  // namespace ts::kernels
