#include "kernels/engine/step_graph.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

// The CPU in the place of a GPU: what is captured is run, a replay is only noted.
class CapturingDevice final : public Device {
 public:
  explicit CapturingDevice(std::vector<std::string>& calls) : calls_(calls) {}

  [[nodiscard]] c10::Device torch_device() const override { return cpu_->torch_device(); }
  void synchronize() override { calls_.emplace_back("wait"); }
  void open_account(std::int64_t limit) override { cpu_->open_account(limit); }
  void enter_account() override { cpu_->enter_account(); }
  void close_account() noexcept override { cpu_->close_account(); }
  [[nodiscard]] run::MemoryCounters memory() const override { return cpu_->memory(); }
  [[nodiscard]] bool can_capture() const override { return true; }
  void enter_side_stream() override { calls_.emplace_back("enter"); }
  void leave_side_stream() noexcept override { calls_.emplace_back("leave"); }
  void begin_capture() override { calls_.emplace_back("begin"); }
  void end_capture() override { calls_.emplace_back("end"); }
  void drop_capture() noexcept override { calls_.emplace_back("drop"); }
  void replay() override { calls_.emplace_back("replay"); }

 private:
  std::vector<std::string>& calls_;
  std::unique_ptr<Device> cpu_ = make_cpu_device();
};

spec::WorkloadSpec captured_spec() {
  spec::WorkloadSpec spec = small_spec(spec::WorkloadKind::lm, spec::Pass::full_step);
  spec.device = spec::DeviceKind::cuda;
  spec.cuda_graph = true;
  spec.clip = 1;
  return spec;
}

TEST(StepGraph, is_captured_after_warm_ups_on_the_side_stream_and_never_waits_in_between) {
  engine();
  std::vector<std::string> calls;
  TorchExecution execution(captured_spec(), std::make_unique<CapturingDevice>(calls), kPlenty, {});
  Recorded recorded;
  ASSERT_TRUE(execution.build(&recorded.recorder));
  // Each warm-up waits after its forward, loss, backward and update.
  std::vector<std::string> expected = {"enter"};
  expected.insert(expected.end(), 4 * StepGraph::kWarmUps, "wait");
  for (const char* call : {"begin", "end", "leave", "wait"}) expected.emplace_back(call);
  EXPECT_EQ(calls, expected);
  EXPECT_EQ(execution.facts().backend_ran, "naive");
  EXPECT_FALSE(execution.facts().types.empty());
}

TEST(StepGraph, every_step_is_a_replay_with_the_losses_and_norms_of_the_captured_one) {
  engine();
  std::vector<std::string> calls;
  TorchExecution execution(captured_spec(), std::make_unique<CapturingDevice>(calls), kPlenty, {});
  ASSERT_TRUE(execution.build(nullptr));
  Recorded recorded;
  for (int i = 0; i < 2; ++i) {
    calls.clear();
    const auto times = execution.step(&recorded.recorder, i);
    ASSERT_TRUE(times) << times.error().sentence;
    EXPECT_EQ(calls, (std::vector<std::string>{"wait", "replay", "wait"}));
    EXPECT_GT(times->loss, 0);
    EXPECT_GT(times->gradient_norm.value_or(0), 0);
    EXPECT_GT(times->total_ns, 0);
    EXPECT_EQ(times->forward_ns, 0) << "no part of a replay can be told from another";
  }
  recorded.drain();
  EXPECT_TRUE(recorded.has_op("CUDA graph"));
  EXPECT_FALSE(recorded.has_op("aten::mm"));
}

// The stand-in runs what it captures, so set-up has trained for so many steps.
TEST(StepGraph, a_captured_optimizer_counts_its_steps_like_any_other) {
  engine();
  std::vector<std::string> calls;
  TorchExecution captured(captured_spec(), std::make_unique<CapturingDevice>(calls), kPlenty, {});
  ASSERT_TRUE(captured.build(nullptr));
  spec::WorkloadSpec eager_spec = captured_spec();
  eager_spec.cuda_graph = false;
  TorchExecution eager(eager_spec, std::make_unique<CapturingDevice>(calls), kPlenty, {});
  ASSERT_TRUE(eager.build(nullptr));
  for (int i = 0; i < StepGraph::kWarmUps + 1; ++i) ASSERT_TRUE(eager.step(nullptr, i));
  ASSERT_EQ(captured.parameters().size(), eager.parameters().size());
  for (std::size_t i = 0; i < eager.parameters().size(); ++i) {
    EXPECT_TRUE(captured.parameters()[i].tensor.equal(eager.parameters()[i].tensor))
        << eager.parameters()[i].name;
  }
}

TEST(StepGraph, what_cannot_be_captured_ends_the_capture) {
  std::vector<std::string> calls;
  CapturingDevice device(calls);
  StepGraph graph(device);
  const auto step = [&] {
    if (graph.capturing()) throw std::runtime_error("not in a graph");
  };
  EXPECT_THROW(graph.capture(step, [] {}), std::runtime_error);
  EXPECT_EQ(calls, (std::vector<std::string>{"enter", "begin", "drop", "leave"}));
  EXPECT_FALSE(graph.capturing());
}

}  // namespace
}  // namespace ts::kernels
