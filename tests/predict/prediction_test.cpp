#include "core/predict/prediction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "assets/assets.h"
#include "core/spec/workload_math.h"

namespace ts::predict {
namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

// Writes a dry run by hand.
class Script {
 public:
  Script() { phase(memory::Action::phase_begin); }
  std::uint64_t alloc(std::int64_t bytes, const char* op = "aten::add",
                      const char* module = "block") {
    memory::Record record = blank(memory::Action::alloc);
    record.address = ++address_;
    record.size = bytes;
    record.op = strings.intern(op);
    record.module = strings.intern(module);
    run.log.append(record);
    return address_;
  }
  void free(std::uint64_t address) {
    memory::Record record = blank(memory::Action::free_completed);
    record.address = address;
    run.log.append(record);
  }
  void next_step() {
    phase(memory::Action::phase_end);
    ++step_;
    phase(memory::Action::phase_begin);
  }
  void begin(base::Phase next) {
    phase(memory::Action::phase_end);
    phase_ = next;
    phase(memory::Action::phase_begin);
  }

  base::StringTable strings;
  DryRun run;

 private:
  memory::Record blank(memory::Action action) {
    memory::Record record;
    record.action = action;
    record.phase = phase_;
    record.step = step_;
    return record;
  }
  void phase(memory::Action action) { run.log.append(blank(action)); }

  base::Phase phase_ = base::Phase::forward;
  std::int32_t step_ = 0;
  std::uint64_t address_ = 0;
};

PredictionTarget card(std::int64_t capacity) {
  PredictionTarget target;
  target.name = "Card";
  target.context = 100 * kMebibyte;
  target.memory = capacity + target.context;
  return target;
}

Prediction predicted(const Script& script, const PredictionTarget& target,
                     const char* alloc_conf = "", const CudaScratch* scratch = nullptr) {
  const auto settings = allocator::AllocatorSettings::parse(alloc_conf);
  EXPECT_TRUE(settings);
  return predict(script.run, script.strings, target, *settings, scratch);
}

TEST(Prediction, RoundsAsTheAllocatorDoesAndKeepsContextApart) {
  Script script;
  script.alloc(30 * kMebibyte + 1);
  const Prediction prediction = predicted(script, card(1024 * kMebibyte));
  EXPECT_EQ(prediction.fit, Fit::fits);
  EXPECT_EQ(prediction.peak_requested, 30 * kMebibyte + 1);
  // A block of 10 MiB or more gets a segment of its own, in steps of 2 MiB; the rest of it is too
  // small to be split off.
  EXPECT_EQ(prediction.peak_reserved, 32 * kMebibyte);
  EXPECT_EQ(prediction.needed, 132 * kMebibyte);
  EXPECT_EQ(prediction.headroom, 1124 * kMebibyte - 132 * kMebibyte);
  EXPECT_EQ(std::accumulate(prediction.by_category.begin(), prediction.by_category.end(),
                            std::int64_t{0}),
            prediction.peak_requested);
  EXPECT_EQ(prediction.sentence.key, "prediction.fits");
  EXPECT_EQ(prediction.sentence.sentence, "Fits on Card: 132 MiB of 1.10 GiB, 992 MiB to spare");
}

// A linear layer with a bias has cublasLt's megabyte besides cuBLAS's workspace, once a thread.
TEST(Prediction, ALinearLayerHasTwoWorkspaces) {
  Script plain, biased;
  for (int i = 0; i < 2; ++i) {
    plain.alloc(512, "aten::mm");
    biased.alloc(512, "aten::addmm");
  }
  PredictionTarget hopper = card(1024 * kMebibyte);
  hopper.compute_capability = 90;
  EXPECT_EQ(predicted(plain, hopper).workspaces, 32 * kMebibyte);
  EXPECT_EQ(predicted(biased, hopper).workspaces, 33 * kMebibyte);
  EXPECT_EQ(predicted(biased, hopper).peak_allocated, 33 * kMebibyte + 1024);
}

// Warm-up steps and the captured one do not share cached blocks, and what the warm-up has cached is
// given back before the capture. Its two numbers are 512 bytes each.
TEST(Prediction, ACapturedStepHasAPoolOfItsOwn) {
  Script script;
  for (int step = 0; step < 3; ++step) {
    if (step > 0) script.next_step();
    script.free(script.alloc(40 * kMebibyte));
  }
  script.run.options.steps = 3;
  script.alloc(30 * kMebibyte);
  script.run.spec.pass = spec::Pass::forward;
  const Prediction eager = predicted(script, card(1024 * kMebibyte));
  EXPECT_EQ(eager.peak_reserved, 40 * kMebibyte);
  script.run.spec.device = spec::DeviceKind::cuda;
  script.run.spec.cuda_graph = true;
  ASSERT_TRUE(spec::captures_step(script.run.spec));
  const Prediction captured = predicted(script, card(1024 * kMebibyte));
  EXPECT_EQ(captured.peak_allocated, 40 * kMebibyte + 1024);
  EXPECT_EQ(captured.peak_reserved, 42 * kMebibyte);
}

TEST(Prediction, KnowsWhatIsAllocatedBeforeTheBackward) {
  Script script;
  const auto kept = script.alloc(3 * kMebibyte + 5);
  script.free(script.alloc(40 * kMebibyte));
  EXPECT_FALSE(predicted(script, card(1024 * kMebibyte)).before_backward);
  script.begin(base::Phase::backward);
  script.alloc(100 * kMebibyte);
  script.free(kept);
  // Rounded to 512 bytes; also where the backward does not fit.
  for (const std::int64_t capacity : {1024, 64}) {
    const Prediction prediction = predicted(script, card(capacity * kMebibyte));
    EXPECT_EQ(prediction.fit == Fit::fits, capacity == 1024);
    EXPECT_EQ(prediction.before_backward, 3 * kMebibyte + 512);
  }
  EXPECT_EQ(predicted(script, cpu_target("limit", 1024 * kMebibyte)).before_backward,
            3 * kMebibyte + 5);
}

// Blocks that come and go in any order, products among them, at sizes of every pool.
void write_any(Script& script, std::mt19937& random) {
  std::vector<std::uint64_t> live;
  const auto pick = [&](std::int64_t min, std::int64_t max) {
    return std::uniform_int_distribution<std::int64_t>(min, max)(random);
  };
  for (int i = 0; i < 200; ++i) {
    if (i == 120) script.begin(base::Phase::backward);
    if (!live.empty() && pick(0, 2) == 0) {
      const auto gone = live.begin() + pick(0, std::ssize(live) - 1);
      script.free(*gone);
      live.erase(gone);
      continue;
    }
    const std::int64_t bytes = pick(1, std::int64_t{1} << pick(1, 26));
    live.push_back(script.alloc(bytes, pick(0, 5) == 0 ? "aten::bmm" : "aten::add"));
  }
}

// Every link of the chain, on cards that hold it, that hold it only after a flush and that do not.
TEST(Prediction, TheLinksOfTheChainAddUpToWhatIsNeeded) {
  std::mt19937 random(5);
  const std::array<const char*, 4> settings = {
      "", "expandable_segments:True", "max_split_size_mb:32", "roundup_power2_divisions:4"};
  std::array<int, 3> seen{};
  for (int i = 0; i < 60; ++i) {
    Script script;
    write_any(script, random);
    const std::int64_t roomy = predicted(script, card(std::int64_t{1} << 40)).peak_reserved;
    for (const char* setting : settings) {
      for (const std::int64_t capacity : {2 * roomy, roomy, roomy - 2 * kMebibyte, roomy / 2}) {
        const PredictionTarget target = card(capacity);
        const Prediction prediction = predicted(script, target, setting);
        ++seen[static_cast<std::size_t>(prediction.fit)];
        const NeedChain& chain = prediction.chain;
        EXPECT_EQ(chain.tensors + chain.rounding + chain.workspaces + chain.cached + chain.context,
                  prediction.needed);
        EXPECT_EQ(chain.allocated(), prediction.peak_allocated);
        EXPECT_EQ(chain.reserved(), prediction.peak_reserved);
        EXPECT_EQ(chain.context, target.context);
        EXPECT_EQ(target.memory - chain.needed(), prediction.headroom);
        for (const std::int64_t link :
             {chain.tensors, chain.rounding, chain.workspaces, chain.cached}) {
          EXPECT_GE(link, 0);
        }
        EXPECT_LE(chain.tensors, prediction.peak_requested);
        EXPECT_LE(chain.workspaces, prediction.workspaces);
      }
    }
    const Prediction on_cpu = predicted(script, cpu_target("limit", roomy));
    EXPECT_EQ(on_cpu.chain.tensors, on_cpu.needed);
    EXPECT_EQ(on_cpu.chain.needed(), on_cpu.needed);
  }
  for (const int count : seen) EXPECT_GT(count, 0) << "a verdict was never met";
}

TEST(Prediction, TheChainIsThatOfTheMomentMostIsAllocated) {
  Script script;
  const auto first = script.alloc(30 * kMebibyte + 1);
  script.alloc(5 * kMebibyte + 1, "aten::bmm");
  script.free(first);
  script.alloc(kMebibyte);
  const NeedChain chain = predicted(script, card(1024 * kMebibyte)).chain;
  EXPECT_EQ(chain.tensors, 35 * kMebibyte + 2);
  EXPECT_EQ(chain.workspaces, 8'519'680);
  // Two blocks of a byte more than a multiple of 512.
  EXPECT_EQ(chain.rounding, 2 * 511);
  EXPECT_EQ(chain.context, 100 * kMebibyte);
}

TEST(Prediction, NamesWhatDoesNotFit) {
  Script script;
  script.alloc(60 * kMebibyte);
  script.alloc(50 * kMebibyte, "aten::bmm", "blocks.3.attn");
  const Prediction prediction = predicted(script, card(100 * kMebibyte));
  EXPECT_EQ(prediction.fit, Fit::oom);
  ASSERT_TRUE(prediction.breaking);
  EXPECT_EQ(prediction.breaking->op, "aten::bmm");
  EXPECT_EQ(prediction.breaking->module, "blocks.3.attn");
  EXPECT_EQ(prediction.breaking->bytes, 50 * kMebibyte);
  EXPECT_EQ(prediction.breaking->free, 40 * kMebibyte);
  EXPECT_EQ(prediction.breaking->fragmented, 0);
  EXPECT_EQ(prediction.breaking->event, 1U);
  // The needed memory: both blocks and, since bmm multiplies, a cuBLAS workspace.
  EXPECT_EQ(prediction.workspaces, 8'519'680);
  EXPECT_EQ(prediction.peak_reserved, 110 * kMebibyte + 20 * kMebibyte);
  EXPECT_EQ(prediction.headroom, -30 * kMebibyte);
  EXPECT_EQ(prediction.sentence.key, "prediction.oom_module");
  // The two numbers that can be added up, and what asked.
  EXPECT_EQ(
      prediction.sentence.sentence,
      "Does not fit on Card: 30.00 MiB of the 230 MiB needed are missing; the first refused is "
      "aten::bmm in blocks.3.attn, which asks for 50.00 MiB");
}

TEST(Prediction, FitsOnlyAfterAFlush) {
  Script script;
  script.free(script.alloc(60 * kMebibyte));
  script.alloc(80 * kMebibyte);
  const Prediction prediction = predicted(script, card(100 * kMebibyte));
  EXPECT_EQ(prediction.fit, Fit::fits_after_flush);
  EXPECT_EQ(prediction.retries, 1);
  EXPECT_FALSE(prediction.breaking);
  EXPECT_EQ(prediction.peak_reserved, 80 * kMebibyte);
  EXPECT_EQ(predicted(script, card(140 * kMebibyte)).fit, Fit::fits);
}

TEST(Prediction, ReadsTheSettingsOfTheAllocator) {
  // Blocks that grow: without expandable segments none can use the space of the one before.
  Script script;
  for (std::int64_t i = 1; i <= 6; ++i) script.free(script.alloc(i * 12 * kMebibyte));
  EXPECT_EQ(predicted(script, card(100 * kMebibyte)).fit, Fit::fits_after_flush);
  EXPECT_EQ(predicted(script, card(100 * kMebibyte), "expandable_segments:True").fit, Fit::fits);
}

TEST(Prediction, TakesOneWorkspaceForTheForwardAndOneForTheBackward) {
  Script script;
  script.alloc(kMebibyte, "aten::mm");
  script.alloc(kMebibyte, "aten::mm");
  script.begin(base::Phase::backward);
  script.alloc(kMebibyte, "aten::bmm");
  PredictionTarget target = card(1024 * kMebibyte);
  EXPECT_EQ(predicted(script, target).workspaces, 2 * 8'519'680);
  EXPECT_EQ(predicted(script, target).peak_allocated, 3 * kMebibyte + 2 * 8'519'680);
  target.compute_capability = 90;
  EXPECT_EQ(predicted(script, target).workspaces, 64 * kMebibyte);
}

TEST(Prediction, OnCpuTheLimitCountsBytesAsked) {
  Script script;
  script.alloc(60 * kMebibyte + 1, "aten::mm");
  script.alloc(40 * kMebibyte, "aten::softmax");
  const auto limit = [](std::int64_t bytes) { return cpu_target("memory_limit", bytes); };
  const Prediction fits = predicted(script, limit(100 * kMebibyte + 1));
  EXPECT_EQ(fits.fit, Fit::fits);
  EXPECT_EQ(fits.needed, 100 * kMebibyte + 1);
  EXPECT_EQ(fits.headroom, 0);
  EXPECT_EQ(fits.workspaces, 0);
  const Prediction oom = predicted(script, limit(100 * kMebibyte));
  ASSERT_TRUE(oom.breaking);
  EXPECT_EQ(oom.breaking->op, "aten::softmax");
  EXPECT_EQ(oom.breaking->free, 40 * kMebibyte - 1);
  EXPECT_EQ(oom.headroom, -1);
}

TEST(Prediction, ScratchIsABandThatCountsAtItsOperator) {
  const auto scratch = CudaScratch::parse(
      R"([{"operator": "aten::sort", "fixed_low": 1, "fixed_high": 1048576,
           "per_byte_low": 0, "per_byte_high": 2, "source": "test"}])");
  ASSERT_TRUE(scratch) << scratch.error().sentence;
  Script script;
  const auto before = script.alloc(10 * kMebibyte, "aten::sort");
  script.free(before);
  const Prediction far = predicted(script, card(1024 * kMebibyte), "", &*scratch);
  EXPECT_EQ(far.scratch_low, 1);
  EXPECT_EQ(far.scratch_high, 21 * kMebibyte);
  // A higher peak elsewhere hides what the sort needs below it.
  script.alloc(25 * kMebibyte);
  const Prediction near = predicted(script, card(1024 * kMebibyte), "", &*scratch);
  EXPECT_EQ(near.scratch_low, 0);
  EXPECT_EQ(near.scratch_high, 6 * kMebibyte);
  EXPECT_EQ(near.peak_requested, 25 * kMebibyte);
}

TEST(Prediction, SaysWhereTheBlocksOfATorchWereNeverComparedWithACard) {
  Script script;
  script.alloc(kMebibyte);
  const auto unchecked = [&](const char* torch, const PredictionTarget& target) {
    script.run.torch = torch;
    return predict(script.run, script.strings, target, {}, nullptr).unchecked.sentence;
  };
  EXPECT_NE(unchecked("2.15", card(8 * kMebibyte)).find("torch 2.15"), std::string::npos);
  EXPECT_EQ(unchecked("2.11", card(8 * kMebibyte)), "");
  EXPECT_EQ(unchecked("", card(8 * kMebibyte)), "");
  EXPECT_EQ(unchecked("2.15", cpu_target("limit", 8 * kMebibyte)), "");
}

TEST(Prediction, NamesTheOperatorsWhoseBlocksAreUnknown) {
  Script script;
  script.alloc(kMebibyte);
  script.run.torch = "2.15";
  script.run.unknown_operators = {"aten::prod", "aten::median"};
  for (const PredictionTarget& target : {card(8 * kMebibyte), cpu_target("limit", 8 * kMebibyte)}) {
    const Prediction made = predict(script.run, script.strings, target, {}, nullptr);
    EXPECT_NE(made.unchecked.sentence.find("aten::prod, aten::median"), std::string::npos);
  }
}

TEST(Prediction, EmptyDryRunNeedsTheContextOnly) {
  const Script script;
  const Prediction prediction = predicted(script, card(kMebibyte));
  EXPECT_EQ(prediction.fit, Fit::fits);
  EXPECT_EQ(prediction.needed, 100 * kMebibyte);
}

TEST(Prediction, TargetOfACardHasItsCapabilityAndContext) {
  const auto gpus = spec::GpuCatalogue::parse(assets::gpus());
  ASSERT_TRUE(gpus);
  const PredictionTarget target = target_of(*gpus->find("RTX 4090"));
  EXPECT_EQ(target.compute_capability, 89);
  EXPECT_EQ(target.capacity(), target.memory - kContextBytes);
  EXPECT_EQ(dry_run_options(target).rules, spec::DeviceKind::cuda);
  EXPECT_EQ(dry_run_options(target).compute_capability, 89);
}

// The limit is the allocator's, so that no card holds more than it has.
TEST(Prediction, ALimitMakesACardSmallerAndNeverLarger) {
  const auto gpus = spec::GpuCatalogue::parse(assets::gpus());
  ASSERT_TRUE(gpus);
  const spec::Gpu& card = *gpus->find("RTX 4060");
  spec::WorkloadSpec spec;
  spec.memory_limit = std::int64_t{2} << 30;
  const PredictionTarget limited = target_of(card, spec);
  EXPECT_EQ(limited.capacity(), spec.memory_limit);
  EXPECT_NE(limited.name, target_of(card).name) << "a verdict names the limit";
  spec.memory_limit = std::int64_t{10} << 30;
  EXPECT_EQ(target_of(card, spec).capacity(), target_of(card).capacity());
  EXPECT_EQ(target_of(card, spec).name, target_of(card).name);
}

TEST(CudaScratch, FileOfTheProgramIsReadAndNamesItsSources) {
  const auto scratch = CudaScratch::parse(assets::cuda_scratch());
  ASSERT_TRUE(scratch) << scratch.error().sentence;
  EXPECT_FALSE(scratch->rows().empty());
}

TEST(CudaScratch, ErrorsNameTheRow) {
  const auto sentence = [](const char* json) {
    const auto parsed = CudaScratch::parse(json);
    return parsed ? std::string() : parsed.error().sentence;
  };
  EXPECT_EQ(sentence("{}"), "The table of scratch is not a JSON array");
  EXPECT_EQ(sentence(R"([{"operator": "a", "source": "s"}, 3])"),
            "Row 2 of the table of scratch is not an object");
  EXPECT_EQ(sentence(R"([{"operator": "a"}])"),
            "Row 1 of the table of scratch has no text \"source\"");
  EXPECT_EQ(sentence(R"([{"operator": "a", "source": "s", "fixed_high": -1}])"),
            "Row 1 of the table of scratch has no size \"fixed_high\"");
  EXPECT_EQ(sentence(R"([{"operator": "a", "source": "s", "fixed_low": 2, "fixed_high": 1}])"),
            "Row 1 of the table of scratch has a lower bound above its upper bound");
}

}  // namespace
}  // namespace ts::predict
