#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <dirent.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/run/measure.h"
#include "core/run/run.h"
#include "core/text/numbers.h"
#include "kernels/observe/cpu_allocator.h"
#include "kernels/observe/failure.h"
#include "kernels/observe/recording.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using run::Verdict;
using spec::Pass;
using spec::WorkloadKind;

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

int thread_count() {
  int count = 0;
  DIR* const tasks = opendir("/proc/self/task");
  while (readdir(tasks) != nullptr) ++count;
  closedir(tasks);
  return count - 2;
}

spec::WorkloadSpec squares_of_16_mib() {
  spec::WorkloadSpec spec = small_attention();
  spec.batch = 1;
  spec.heads = 4;
  spec.seq_len = 1024;
  return spec;
}

TEST(OutOfMemory, NamesOperatorAndBytes) {
  Recorded recorded;
  const spec::WorkloadSpec spec = squares_of_16_mib();
  auto execution = engine().prepare(spec, 20 * kMebibyte, &recorded.recorder, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  const std::int64_t prepared = (*execution)->memory().allocated;
  const auto times = (*execution)->step(&recorded.recorder, 0);
  ASSERT_FALSE(times);
  const run::Failure& failure = times.error();
  EXPECT_EQ(failure.verdict, Verdict::oom);
  EXPECT_EQ(failure.bytes_asked, 16 * kMebibyte);
  EXPECT_EQ(failure.bytes_limit, 20 * kMebibyte);
  // Beside the square that exists there are only LibTorch's boxed numbers.
  const std::int64_t expected_free = 20 * kMebibyte - prepared - 16 * kMebibyte;
  EXPECT_LE(failure.bytes_free, expected_free);
  EXPECT_GE(failure.bytes_free, expected_free - 64);
  EXPECT_EQ(failure.op, "aten::div");
  EXPECT_EQ(failure.module, "attention");
  EXPECT_EQ(failure.sentence.rfind("aten::div in attention needs 16", 0), 0U) << failure.sentence;

  recorded.drain();
  ASSERT_TRUE(recorded.memory.out_of_memory());
  EXPECT_EQ(recorded.memory.out_of_memory()->bytes_asked, 16 * kMebibyte);
  EXPECT_EQ(recorded.text(recorded.memory.out_of_memory()->op), "aten::div");
  // The step let go of everything it had.
  EXPECT_EQ((*execution)->memory().allocated, prepared);
  EXPECT_EQ(recorded.memory.current_bytes(), prepared);
  EXPECT_FALSE((*execution)->step(nullptr, 1));
}

TEST(OutOfMemory, WithoutARecorderNamesTheModule) {
  auto execution = engine().prepare(squares_of_16_mib(), 20 * kMebibyte, nullptr, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  const auto times = (*execution)->step(nullptr, 0);
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().verdict, Verdict::oom);
  EXPECT_EQ(times.error().module, "attention");
  EXPECT_EQ(times.error().op, "");
}

// The budget would allow it, the address space does not: nothing is said of the workload.
TEST(OutOfMemory, OfTheMachineIsAFailureAndNoVerdictOnTheWorkload) {
  CpuAllocator& allocator = CpuAllocator::install();
  CpuAllocator::Account& account = allocator.open_account(std::int64_t{1} << 60);
  Recorded recorded;
  run::Failure failure;
  try {
    const Recording recording(recorded.recorder, 0, at::kCPU, nullptr);
    allocator.allocate(std::size_t{1} << 50);
  } catch (...) {
    failure = current_failure();
  }
  allocator.close_account(account);
  EXPECT_EQ(failure.verdict, Verdict::failed);
  EXPECT_EQ(failure.sentence, "An operator asked for " +
                                  text::bytes(std::int64_t{1} << 50).joined() +
                                  " and the system refused, although the budget has " +
                                  text::bytes(std::int64_t{1} << 60).joined() +
                                  " free: other programs or a limit of this process take the "
                                  "memory");
  recorded.drain();
  EXPECT_FALSE(recorded.memory.out_of_memory());
}

// Tensors of an execution that was cut short may be freed while the next one runs.
TEST(Accounts, AFreeCountsForTheAccountThatItsBlockIsOf) {
  CpuAllocator& allocator = CpuAllocator::install();
  const auto bytes = [](std::int64_t count) { return at::empty({count}, at::kByte); };
  CpuAllocator::Account& a = allocator.open_account(kPlenty);
  at::Tensor of_a = bytes(kMebibyte);
  at::Tensor late_of_a = bytes(2 * kMebibyte);
  allocator.close_account(a);

  CpuAllocator::Account& b = allocator.open_account(4 * kMebibyte);
  ASSERT_NE(&a, &b);
  EXPECT_EQ(b.allocated, 0);
  Recorded recorded;
  {
    const Recording recording(recorded.recorder, 0, at::kCPU, nullptr);
    const at::Tensor of_b = bytes(3 * kMebibyte);
    std::thread([&] { of_a.reset(); }).join();
    late_of_a.reset();
    EXPECT_EQ(b.allocated, 3 * kMebibyte);
    EXPECT_EQ(b.peak, 3 * kMebibyte);
    EXPECT_THROW(bytes(kMebibyte + 1), OutOfBudget) << "the frees left the budget as it was";
    EXPECT_NO_THROW(bytes(kMebibyte));
    EXPECT_EQ(b.peak, 4 * kMebibyte);
  }
  EXPECT_EQ(a.allocated, 0);
  EXPECT_EQ(b.allocated, 0);
  recorded.drain();
  std::vector<std::int64_t> sizes;
  for (const capture::RawRecord& record : recorded.of_kind(capture::RawKind::memory)) {
    const memory::Action action = record.memory.action;
    if (action == memory::Action::alloc || action == memory::Action::free_completed)
      sizes.push_back(record.memory.size);
  }
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{3 * kMebibyte, kMebibyte, kMebibyte, 3 * kMebibyte}));
  EXPECT_EQ(recorded.memory.peak_bytes(), 4 * kMebibyte);
  allocator.close_account(b);
  EXPECT_EQ(&allocator.open_account(kPlenty), &a) << "closed and empty accounts are used again";
  allocator.close_account(a);
}

// The forward holds two squares of 16 MiB, the backward three.
TEST(OutOfMemory, InTheBackwardNamesTheModuleOfTheForward) {
  Recorded recorded;
  auto execution = engine().prepare(squares_of_16_mib(), 44 * kMebibyte, &recorded.recorder, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  const auto times = (*execution)->step(&recorded.recorder, 0);
  ASSERT_FALSE(times);
  recorded.drain();
  EXPECT_EQ(recorded.memory.phases().back().phase, base::Phase::backward);
  EXPECT_EQ(times.error().verdict, Verdict::oom);
  EXPECT_EQ(times.error().bytes_asked, 16 * kMebibyte);
  EXPECT_EQ(times.error().module, "attention");
  EXPECT_EQ(times.error().op.rfind("aten::", 0), 0U) << times.error().op;
}

TEST(OutOfMemory, InSetUpIsAVerdictToo) {
  Recorded recorded;
  const std::int64_t before = CpuAllocator::install().live();
  const auto execution =
      engine().prepare(small_spec(WorkloadKind::lm), 100'000, &recorded.recorder, {});
  ASSERT_FALSE(execution);
  EXPECT_EQ(execution.error().verdict, Verdict::oom);
  EXPECT_EQ(CpuAllocator::install().live(), before);
}

TEST(Cancel, BeforeItBeginsIsCancelled) {
  const base::CancelToken cancel;
  cancel.cancel();
  const auto execution = engine().prepare(small_attention(), kPlenty, nullptr, cancel);
  ASSERT_FALSE(execution);
  EXPECT_EQ(execution.error().verdict, Verdict::cancelled);
}

// Each allocation asks, and no operator between two of them takes long. How long that is, is not
// judged: it is the machine's.
TEST(Cancel, EndsAtTheNextAllocation) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm, Pass::full_step);
  spec.batch = 4;
  spec.seq_len = 256;
  spec.d_model = 384;
  spec.heads = 6;
  spec.d_ff = 1536;
  spec.layers = 40;
  spec.vocab = 2000;
  // Asked at many different moments of a step that takes seconds.
  for (const int after_ms : {5, 150, 400, 1500}) {
    SCOPED_TRACE(after_ms);
    Recorded recorded(1U << 18);
    const base::CancelToken cancel;
    auto execution = engine().prepare(spec, std::int64_t{12} << 30, &recorded.recorder, cancel);
    ASSERT_TRUE(execution) << execution.error().sentence;
    std::atomic<std::int64_t> asked{0};
    std::thread asker([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
      cancel.cancel();
      asked = base::now_ns();
    });
    run::Outcome<run::StepTimes> times;
    for (int i = 0; times && i < 100; ++i) times = (*execution)->step(&recorded.recorder, i);
    asker.join();
    ASSERT_FALSE(times);
    EXPECT_EQ(times.error().verdict, Verdict::cancelled);
    recorded.drain();
    EXPECT_EQ(recorded.recorder.dropped(), 0U);
    std::size_t later = 0;
    for (const capture::RawRecord& record : recorded.of_kind(capture::RawKind::memory)) {
      const memory::Record& event = record.memory;
      if (event.action == memory::Action::alloc && event.time_ns > asked) ++later;
    }
    EXPECT_LE(later, 2U) << "the one that each of two threads was at";
  }
}

// Tensors of a cancelled forward were activations, though unwinding frees them all.
TEST(Cancel, InTheForwardLeavesItsActivationsAsSuch) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm, Pass::forward_backward);
  spec.batch = 4;
  spec.seq_len = 256;
  spec.d_model = 384;
  spec.heads = 6;
  spec.d_ff = 1536;
  spec.layers = 40;
  Recorded recorded(1U << 18);
  const base::CancelToken cancel;
  auto execution = engine().prepare(spec, std::int64_t{12} << 30, &recorded.recorder, cancel);
  ASSERT_TRUE(execution) << execution.error().sentence;
  recorded.drain();
  const std::size_t prepared = recorded.memory.blocks().size();
  // The forward of 40 layers takes seconds.
  std::thread asker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    cancel.cancel();
  });
  const auto times = (*execution)->step(&recorded.recorder, 0);
  asker.join();
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().verdict, Verdict::cancelled);
  recorded.drain();
  const auto phases = recorded.memory.phases();
  ASSERT_FALSE(phases.empty());
  ASSERT_EQ(phases.back().phase, base::Phase::forward) << "cancelled too late for this test";
  EXPECT_NE(phases.back().end_event, memory::kNone);
  // Most of what it held when it was told: all that lived at the largest total of the step.
  std::int64_t activations = 0;
  std::int64_t temporaries = 0;
  for (const memory::BlockIndex index : recorded.memory.live_after(phases.back().end_event - 1)) {
    if (index < prepared) continue;
    const memory::Block& block = recorded.memory.blocks()[index];
    if (block.category == memory::Category::activation) activations += block.size;
    if (block.category == memory::Category::temporary) temporaries += block.size;
    EXPECT_NE(block.free_event, memory::kNone) << "unwound";
  }
  EXPECT_GT(activations, kMebibyte);
  EXPECT_EQ(temporaries, 0);
}

TEST(Cycles, FiveHundredOfRunCancelAndOutOfMemoryLeaveNothing) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm, Pass::full_step);
  spec.seq_len = 32;
  const auto cycle = [&](int i) {
    Recorded recorded(1U << 12);
    const base::CancelToken cancel;
    const std::int64_t limit = i % 3 == 2 ? 700'000 + (i % 50) * 20'000 : kPlenty;
    auto execution = engine().prepare(spec, limit, &recorded.recorder, cancel);
    if (!execution) {
      EXPECT_EQ(execution.error().verdict, Verdict::oom);
      return;
    }
    if (i % 3 == 1) cancel.cancel();
    const auto times = (*execution)->step(i % 2 == 0 ? &recorded.recorder : nullptr, 0);
    const Verdict verdict = times ? Verdict::ok : times.error().verdict;
    const Verdict expected = i % 3 == 0 ? Verdict::ok : i % 3 == 1 ? Verdict::cancelled : verdict;
    EXPECT_EQ(verdict, expected);
  };
  for (int i = 0; i < 6; ++i) cycle(i);
  const std::int64_t bytes = CpuAllocator::install().live();
  const int threads = thread_count();
  for (int i = 0; i < 500; ++i) cycle(i);
  EXPECT_EQ(CpuAllocator::install().live(), bytes);
  EXPECT_EQ(thread_count(), threads);
  EXPECT_EQ(Recording::active(), nullptr);
}

// Wherever the budget ends, also inside a product of oneDNN that swallows the refusal, the verdict
// is out of memory and the next run has oneDNN again.
TEST(OutOfMemory, InsideA16BitProductIsNotSwallowed) {
  spec::WorkloadSpec spec = small_attention();
  spec.dtype = spec::DataType::bf16;
  Recorded recorded;
  {
    auto execution = engine().prepare(spec, kPlenty, &recorded.recorder, {});
    ASSERT_TRUE(execution);
    ASSERT_TRUE((*execution)->step(&recorded.recorder, 0));
  }
  recorded.drain();
  const bool had_onednn = at::globalContext().userEnabledMkldnn();
  std::int64_t highest = 0;
  int limits = 0;
  for (const memory::Event& event : recorded.memory.events()) {
    if (event.total_after <= highest) continue;
    highest = event.total_after;
    const memory::Block& block = recorded.memory.blocks()[event.block];
    if (block.step < 0) continue;
    ++limits;
    auto execution = engine().prepare(spec, highest - 1, nullptr, {});
    ASSERT_TRUE(execution);
    const auto times = (*execution)->step(nullptr, 0);
    ASSERT_FALSE(times) << recorded.text(block.op) << " took what was not there";
    EXPECT_EQ(times.error().verdict, Verdict::oom) << recorded.text(block.op);
    EXPECT_EQ(times.error().bytes_limit, highest - 1);
    EXPECT_EQ(at::globalContext().userEnabledMkldnn(), had_onednn) << recorded.text(block.op);
  }
  EXPECT_GT(limits, 3);
}

// With a number of warm-ups nothing is recorded before the timed steps, wherever the budget ends.
TEST(OutOfMemory, NamesItsOperatorWithWarmUpsToo) {
  spec::WorkloadSpec spec = small_attention();
  spec.warmups = spec::Warmups::one;
  Recorded recorded;
  {
    auto execution = engine().prepare(spec, kPlenty, &recorded.recorder, {});
    ASSERT_TRUE(execution);
    ASSERT_TRUE((*execution)->step(&recorded.recorder, 0));
  }
  recorded.drain();
  run::Protocol protocol;
  protocol.min_samples = protocol.max_samples = 1;
  std::int64_t highest = 0;
  int budgets = 0;
  for (const memory::Event& event : recorded.memory.events()) {
    if (event.total_after <= highest) continue;
    highest = event.total_after;
    const memory::Block& block = recorded.memory.blocks()[event.block];
    if (block.step < 0) continue;
    ++budgets;
    base::StringTable strings;
    run::StartedUpdate started;
    started.spec = spec;
    started.limit = highest - 1;
    run::Run run(started);
    std::mutex mutex;
    const run::MeasureContext context{engine(),
                                      strings,
                                      0,
                                      {},
                                      [&](run::Update update) {
                                        const std::lock_guard lock(mutex);
                                        run.apply(std::move(update));
                                      },
                                      [] { return base::now_ns(); }};
    run.apply(run::measure(spec, protocol, highest - 1, context));
    ASSERT_EQ(run.verdict, run::Verdict::oom);
    EXPECT_EQ(run.failure.op, recorded.text(block.op));
    EXPECT_EQ(run.failure.bytes_asked, block.size);
    EXPECT_LT(run.peak_allocated(), highest);
    EXPECT_GE(run.peak_allocated(), highest - block.size) << "live when it was refused";
    EXPECT_EQ(run.memory.peak_bytes(), run.peak_allocated());
  }
  EXPECT_GT(budgets, 5);
}

// Memory of one never shows in the account of the other, and each is refused by its own limit.
TEST(Executions, LiveSideBySideWithAnAccountEach) {
  const auto alone = [](const spec::WorkloadSpec& spec) {
    auto execution = engine().prepare(spec, kPlenty, nullptr, {});
    EXPECT_TRUE((*execution)->step(nullptr, 0));
    return (*execution)->memory();
  };
  spec::WorkloadSpec large = small_attention();
  large.seq_len *= 2;
  const run::MemoryCounters small_alone = alone(small_attention());
  const run::MemoryCounters large_alone = alone(large);
  auto a = engine().prepare(small_attention(), kPlenty, nullptr, {});
  auto b = engine().prepare(large, kPlenty, nullptr, {});
  ASSERT_TRUE(a && b);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE((*a)->step(nullptr, i));
    ASSERT_TRUE((*b)->step(nullptr, i));
    EXPECT_EQ((*a)->memory().allocated, small_alone.allocated);
    EXPECT_EQ((*b)->memory().allocated, large_alone.allocated);
  }
  EXPECT_EQ((*a)->memory().peak, small_alone.peak);
  EXPECT_EQ((*b)->memory().peak, large_alone.peak);
  auto narrow = engine().prepare(large, large_alone.peak - 1, nullptr, {});
  ASSERT_TRUE(narrow);
  const auto refused = (*narrow)->step(nullptr, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().verdict, Verdict::oom);
  EXPECT_TRUE((*a)->step(nullptr, 3));
}

TEST(Roof, IsAboveWhatASmallProductReaches) {
  spec::WorkloadSpec spec = small_attention();
  const auto roof = engine().measure_roof(spec, {});
  ASSERT_TRUE(roof);
  EXPECT_EQ(roof->dtype, spec::DataType::fp32);
  EXPECT_GE(roof->size, 512);
  EXPECT_GT(roof->tflops, 1e-3);
  EXPECT_GT(roof->gb_s, 0.1);
  EXPECT_LT(roof->gb_s, 1e4);  // no memory is that fast: bytes were counted twice, or a cache
  const base::CancelToken cancelled;
  cancelled.cancel();
  const auto none = engine().measure_roof(spec, cancelled);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().verdict, Verdict::cancelled);
}

// A kernel may widen 16-bit numbers: without arithmetic for them fp32's product is the roof.
TEST(Roof, OfSixteenBitsIsNotBelowThatOfFp32) {
  spec::WorkloadSpec spec = small_attention();
  spec.threads = 1;
  const auto single = engine().measure_roof(spec, {});
  ASSERT_TRUE(single);
  for (const spec::DataType type : {spec::DataType::bf16, spec::DataType::fp16}) {
    spec.dtype = type;
    const auto roof = engine().measure_roof(spec, {});
    ASSERT_TRUE(roof);
    // Twice for a machine that others use at the same time.
    EXPECT_GT(roof->tflops, single->tflops / 2) << to_string(type);
    EXPECT_TRUE(roof->dtype == type || roof->dtype == spec::DataType::fp32);
  }
}

// With a folder for roofs a second process would find what the first measured.
TEST(Roof, IsMeasuredOnceWhereItIsKept) {
  std::string folder = (std::filesystem::temp_directory_path() / "tensorscope_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  setenv("TENSORSCOPE_ROOFS", (folder + "/new").c_str(), 1);
  spec::WorkloadSpec spec = small_attention();
  spec.threads = 1;
  const auto measured = [&spec] { return engine().measure_roof(spec, {}).value(); };
  const auto files = [&folder] {
    std::vector<std::filesystem::path> all;
    for (const auto& file : std::filesystem::directory_iterator(folder + "/new"))
      all.push_back(file.path());
    return all;
  };
  const run::Roof first = measured();
  ASSERT_EQ(files().size(), 1U);
  const auto file = files().front();
  nlohmann::json kept = nlohmann::json::parse(std::ifstream(file));
  EXPECT_EQ(kept["tflops"], first.tflops);
  EXPECT_EQ(kept["gb_s"], first.gb_s);
  const run::Roof again = measured();
  EXPECT_EQ(again.tflops, first.tflops) << "it was measured again";
  EXPECT_EQ(again.gb_s, first.gb_s);
  EXPECT_EQ(again.size, first.size);
  spec.threads = 2;
  static_cast<void>(measured());
  EXPECT_EQ(files().size(), 2U) << "the roof of two threads is another";
  spec.threads = 1;
  // A file that another machine wrote, and one without a number.
  for (const auto& [name, value] : {std::pair{"of", "another"}, std::pair{"tflops", "many"}}) {
    nlohmann::json wrong = kept;
    wrong[name] = value;
    wrong["size"] = 1;
    std::ofstream(file) << wrong;
    EXPECT_GT(measured().size, 1) << name;
    EXPECT_EQ(nlohmann::json::parse(std::ifstream(file))["of"], kept["of"]);
  }
  unsetenv("TENSORSCOPE_ROOFS");
  std::filesystem::remove_all(folder);
}

TEST(Devices, WhatIsNotThereIsSaid) {
  spec::WorkloadSpec spec = small_attention();
  spec.device = spec::DeviceKind::cuda;
  spec.device_index = 63;
  const auto execution = engine().prepare(spec, kPlenty, nullptr, {});
  ASSERT_FALSE(execution);
  EXPECT_EQ(execution.error().verdict, Verdict::failed);
  EXPECT_FALSE(execution.error().sentence.empty());
  for (const run::DeviceInfo& device : engine().info().devices) {
    if (device.kind == spec::DeviceKind::cuda && !device.unavailable.empty()) {
      EXPECT_EQ(execution.error().sentence, device.unavailable.sentence);
    }
  }
}

}  // namespace
}  // namespace ts::kernels
