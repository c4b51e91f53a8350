// Dry runs by the rules of cuda: what can be checked without a GPU.
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "kernels/observe/cpu_allocator.h"
#include "tests/kernels/dry_run_compare.h"
#include "tests/spec/preset_spec.h"

namespace ts::kernels {
namespace {

using spec::AttentionBackend, spec::DataType, spec::Pass, spec::WorkloadKind;

struct Made {
  base::StringTable strings;
  run::Outcome<predict::DryRun> run;
};

std::unique_ptr<Made> dry_run_on(std::int32_t capability, const spec::WorkloadSpec& spec,
                                 const base::CancelToken& cancel = {}) {
  auto made = std::make_unique<Made>();
  predict::DryRunOptions options;
  options.compute_capability = capability;
  made->run = dry_runner().dry_run(spec, options, made->strings, cancel);
  return made;
}

spec::WorkloadSpec attention(AttentionBackend backend, DataType dtype, std::int64_t d_head) {
  spec::WorkloadSpec spec = small_attention();
  spec.seq_len = 200;
  spec.backend = backend;
  spec.dtype = dtype;
  spec.d_head = d_head;
  return spec;
}

// Bytes of all blocks of an operator in the first step, in order.
std::vector<std::int64_t> sizes_of(const Made& made, std::string_view op) {
  std::vector<std::int64_t> sizes;
  for (const memory::Block& block : made.run->log.blocks()) {
    if (block.step == 0 && made.strings.view(block.op) == op) sizes.push_back(block.size);
  }
  return sizes;
}

// With 16 bits and two chunks of classes: a chunk's logits, twice; two numbers and the loss of each
// token; the sum of the gradients of x in fp32. Nothing has the size of all logits.
TEST(DryRunOnCuda, OwnCrossEntropyHasAChunkOfTheLogits) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::cross_entropy);
  spec.dtype = DataType::bf16;
  spec.vocab = 3000;
  spec.kernels = spec::Kernels::own;
  spec.device = spec::DeviceKind::cuda;
  const auto made = dry_run_on(90, spec);
  ASSERT_TRUE(made->run) << made->run.error().sentence;
  const std::int64_t tokens = spec.batch * spec.seq_len, chunk = 2048;
  std::vector<std::int64_t> sizes;
  for (const memory::Block& block : made->run->log.blocks()) {
    if (block.step == 0 && block.module != base::kNoString &&
        made->strings.view(block.module) == "head") {
      sizes.push_back(block.size);
    }
  }
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{2 * tokens * 4, tokens * 4, tokens * chunk * 2, 4,
                                              tokens * spec.d_model * 2, tokens * spec.d_model * 4,
                                              3000 * spec.d_model * 2, tokens * chunk * 2}));
}

// As published for the exercise: LayerNorm is fp32 on CUDA, and on no CPU.
TEST(DryRunOnCuda, TheTypesOfAutocastAreThoseOfCuda) {
  spec::WorkloadSpec spec;
  spec::apply_preset(*spec::find_preset(WorkloadKind::toy, "toy"), spec);
  for (const auto& [autocast, half] :
       {std::pair{spec::Autocast::fp16, "fp16"}, {spec::Autocast::bf16, "bf16"}}) {
    spec.autocast = autocast;
    const auto made = dry_run_on(89, spec);
    ASSERT_TRUE(made->run) << made->run.error().sentence;
    std::map<std::string, std::string> types;
    for (const run::NamedType& one : made->run->types) types[one.name] = one.type;
    EXPECT_EQ(types["parameters"], "fp32");
    EXPECT_EQ(types["fc1"], half);
    EXPECT_EQ(types["norm"], "fp32");
    EXPECT_EQ(types["fc2"], half);
    EXPECT_EQ(types["loss"], "fp32");
    EXPECT_EQ(types["gradients"], "fp32");
  }
}

TEST(DryRunOnCuda, ChoosesTheKernelThatTheCardWouldRun) {
  const auto kernel = [](std::int32_t capability, DataType dtype, std::int64_t d_head) {
    const auto made = dry_run_on(capability, attention(AttentionBackend::automatic, dtype, d_head));
    return made->run ? made->run->backend : made->run.error().sentence;
  };
  EXPECT_EQ(kernel(80, DataType::bf16, 64), "flash");
  EXPECT_EQ(kernel(89, DataType::bf16, 64), "flash");
  EXPECT_EQ(kernel(89, DataType::bf16, 200), "efficient");  // no flash backward this wide there
  EXPECT_EQ(kernel(90, DataType::bf16, 64), "cudnn");
  EXPECT_EQ(kernel(100, DataType::bf16, 64), "cudnn");
  EXPECT_EQ(kernel(90, DataType::bf16, 20), "flash");
  EXPECT_EQ(kernel(75, DataType::bf16, 64), "math");
  EXPECT_EQ(kernel(80, DataType::fp32, 64), "efficient");
  EXPECT_EQ(kernel(90, DataType::fp32, 64), "efficient");
  EXPECT_EQ(kernel(80, DataType::fp32, 18), "math");
  EXPECT_EQ(kernel(75, DataType::fp32, 18), "efficient");
}

TEST(DryRunOnCuda, TheOneKernelThatIsAllowedRunsOrThereIsNone) {
  const auto kernel = [](std::int32_t capability, AttentionBackend backend, DataType dtype) {
    const auto made = dry_run_on(capability, attention(backend, dtype, 64));
    return made->run ? made->run->backend : made->run.error().key;
  };
  EXPECT_EQ(kernel(89, AttentionBackend::efficient, DataType::bf16), "efficient");
  EXPECT_EQ(kernel(89, AttentionBackend::cudnn, DataType::bf16), "cudnn");
  EXPECT_EQ(kernel(75, AttentionBackend::efficient, DataType::fp16), "efficient");
  EXPECT_EQ(kernel(75, AttentionBackend::efficient, DataType::bf16), "prediction.no_kernel");
  EXPECT_EQ(kernel(75, AttentionBackend::cudnn, DataType::fp16), "prediction.no_kernel");
  EXPECT_EQ(kernel(75, AttentionBackend::own, DataType::bf16), "own");
  EXPECT_EQ(kernel(90, AttentionBackend::own, DataType::fp32), "own");
  EXPECT_EQ(kernel(70, AttentionBackend::own, DataType::fp16), "prediction.no_kernel");
}

// As transformers repeats the heads: with groups and a mask no kernel but math would run.
TEST(DryRunOnCuda, GroupsOfHeadsWithAWindowRunTheEfficientKernel) {
  spec::WorkloadSpec spec = attention(AttentionBackend::automatic, DataType::bf16, 64);
  spec.kv_heads = 1;
  spec.window = 16;
  const auto made = dry_run_on(89, spec);
  ASSERT_TRUE(made->run);
  EXPECT_EQ(made->run->backend, "efficient");
}

TEST(DryRunOnCuda, FlashSaysWhetherTheCardOrTheHeadsAreWhyNot) {
  const auto reason = [](std::int32_t capability, std::int64_t d_head) {
    const auto made =
        dry_run_on(capability, attention(AttentionBackend::flash, DataType::bf16, d_head));
    return made->run ? std::string() : made->run.error().key + ": " + made->run.error().sentence;
  };
  EXPECT_EQ(reason(80, 64), "");
  EXPECT_EQ(reason(89, 192), "");
  EXPECT_EQ(reason(89, 232), "");
  EXPECT_EQ(reason(75, 64),
            "prediction.flash_card: Flash attention has no kernel for this card: it needs compute "
            "capability 8.0, and the card has 7.5");
  EXPECT_EQ(reason(89, 200),
            "prediction.flash_head_backward: Flash attention has no backward kernel for heads of "
            "200 on a card of compute capability 8.9: choose at most 192, or from 225 to 256");
}

// 512 new tokens of gpt2-xl: every layer's keys and values of all but the last one.
TEST(DryRunOnCuda, GoesThroughTheTokensOfALongGeneration) {
  spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::lm, "gpt2-xl");
  spec.pass = Pass::generate;
  spec.batch = 1;
  spec.seq_len = 16;
  spec.new_tokens = 512;
  const auto made = dry_run_on(90, spec);
  ASSERT_TRUE(made->run) << made->run.error().sentence;
  EXPECT_GT(made->run->log.peak_bytes(), 4 * (made->run->parameters + 2 * 48 * (16 + 511) * 1600));
  spec.new_tokens = 1024;
  EXPECT_EQ(dry_run_on(90, spec)->run.error().key, "prediction.many_tokens");
}

TEST(DryRunOnCuda, FlashTakesOutputLogsumexpAndAccumulators) {
  const auto made = dry_run_on(80, attention(AttentionBackend::flash, DataType::bf16, 64));
  ASSERT_TRUE(made->run) << made->run.error().sentence;
  const std::int64_t tensor = 2 * 3 * 200 * 64 * 2;
  EXPECT_EQ(sizes_of(*made, "aten::_flash_attention_forward"),
            (std::vector<std::int64_t>{tensor, 2 * 3 * 200 * 4, 16, 8}));
  // dQ, dK, dV; row sums and the fp32 accumulator of dQ, both with T rounded up to 256.
  EXPECT_EQ(
      sizes_of(*made, "aten::_flash_attention_backward"),
      (std::vector<std::int64_t>{tensor, tensor, tensor, 2 * 3 * 256 * 4, 2 * 256 * 3 * 64 * 4}));
}

TEST(DryRunOnCuda, FlashPadsHeadsToMultiplesOfEight) {
  const auto made = dry_run_on(80, attention(AttentionBackend::flash, DataType::bf16, 20));
  ASSERT_TRUE(made->run) << made->run.error().sentence;
  EXPECT_EQ(sizes_of(*made, "aten::_flash_attention_forward").at(0), 2 * 3 * 200 * 24 * 2);
  EXPECT_EQ(sizes_of(*made, "aten::constant_pad_nd").size(), 3U);
}

// Numbers boxed on the host and per-thread buffers of the CPU are none of the device's.
TEST(DryRunOnCuda, HasNoBlocksOfTheHost) {
  for (const spec::WorkloadSpec& spec : every_small_spec()) {
    const auto made = dry_run_on(80, spec);
    ASSERT_TRUE(made->run) << made->run.error().sentence;
    EXPECT_EQ(made->run->log.unmatched_frees(), 0U);
    EXPECT_EQ(made->run->log.missed_frees(), 0U);
    EXPECT_EQ(made->run->log.unmatched_owners(), 0U);
    for (const memory::Block& block : made->run->log.blocks()) {
      EXPECT_LT(block.address, 100'000U) << made->strings.view(block.op);
    }
  }
}

// Course formula M-2 and the figures of the FlashAttention lab: naive attention's squares grow with
// T^2, flash keeps nothing that does.
TEST(DryRunOnCuda, FlashMemoryIsLinearInT) {
  spec::WorkloadSpec spec = attention(AttentionBackend::flash, DataType::bf16, 64);
  std::map<std::int64_t, std::int64_t> peaks;
  for (const std::int64_t length : {1024, 2048, 4096}) {
    spec.seq_len = length;
    const auto made = dry_run_on(80, spec);
    ASSERT_TRUE(made->run);
    peaks[length] = made->run->log.peak_bytes();
  }
  EXPECT_NEAR(static_cast<double>(peaks[2048]), 2.0 * static_cast<double>(peaks[1024]), 64);
  EXPECT_NEAR(static_cast<double>(peaks[4096]), 4.0 * static_cast<double>(peaks[1024]), 128);
}

TEST(DryRunOnCuda, EmbeddingBackwardSortsManyTokens) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm);
  spec.batch = 8;
  spec.seq_len = 512;  // 4,096 tokens, 101 rows of 48
  const auto made = dry_run_on(80, spec);
  ASSERT_TRUE(made->run);
  const auto sizes = sizes_of(*made, "aten::embedding_dense_backward");
  ASSERT_FALSE(sizes.empty());
  EXPECT_EQ(sizes.back(), (4096 / 10 + 101) * 48 * 4);
}

TEST(DryRun, CancelledIsAVerdict) {
  const base::CancelToken cancel;
  cancel.cancel();
  const auto made = dry_run_on(80, small_spec(WorkloadKind::lm), cancel);
  ASSERT_FALSE(made->run);
  EXPECT_EQ(made->run.error().verdict, run::Verdict::cancelled);
}

// Beside a recorded run on another thread: neither sees the other.
TEST(DryRun, LeavesARecordedRunOnAnotherThreadAlone) {
  const spec::WorkloadSpec spec = small_spec(WorkloadKind::block, Pass::full_step);
  RealRun alone;
  run_for_real(spec, 2, alone);
  const auto alone_seen = seen_events(alone.recorded.memory, alone.recorded.strings);
  const auto dry_alone = dry_run_on(80, spec);
  ASSERT_TRUE(dry_alone->run);
  const auto dry_seen = seen_events(dry_alone->run->log, dry_alone->strings);
  const std::int64_t live = CpuAllocator::install().live();

  std::atomic<bool> stop{false};
  std::atomic<int> dry_runs{0};
  std::string dry_difference;
  std::thread other([&] {
    while (!stop) {
      const auto made = dry_run_on(80, spec);
      if (!made->run) {
        dry_difference = made->run.error().sentence;
        break;
      }
      const std::string difference =
          first_difference(seen_events(made->run->log, made->strings), dry_seen);
      if (!difference.empty()) dry_difference = difference;
      ++dry_runs;
    }
  });
  while (dry_runs == 0 && dry_difference.empty()) std::this_thread::yield();
  std::string difference;
  for (int i = 0; i < 4; ++i) {
    RealRun beside;
    run_for_real(spec, 2, beside);
    EXPECT_EQ(beside.peak, alone.peak);
    const auto seen = seen_events(beside.recorded.memory, beside.recorded.strings);
    if (difference.empty()) difference = first_difference(seen, alone_seen);
  }
  stop = true;
  other.join();
  EXPECT_EQ(difference, "");
  EXPECT_EQ(dry_difference, "");
  EXPECT_GT(dry_runs, 1);
  EXPECT_EQ(CpuAllocator::install().live(), live);
}

}  // namespace
}  // namespace ts::kernels
