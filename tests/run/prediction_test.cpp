#include "core/run/prediction.h"

#include <gtest/gtest.h>

#include <numeric>

#include "assets/assets.h"

namespace ts::run {
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
    record.step = 0;
    return record;
  }
  void phase(memory::Action action) { run.log.append(blank(action)); }

  base::Phase phase_ = base::Phase::forward;
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
  const auto settings = memory::AllocatorSettings::parse(alloc_conf);
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
  // What it would take: both blocks and, since bmm multiplies, a cuBLAS workspace.
  EXPECT_EQ(prediction.workspaces, 8'519'680);
  EXPECT_EQ(prediction.peak_reserved, 110 * kMebibyte + 20 * kMebibyte);
  EXPECT_EQ(prediction.headroom, -30 * kMebibyte);
  EXPECT_EQ(prediction.sentence.key, "prediction.oom_module");
  EXPECT_NE(prediction.sentence.sentence.find("aten::bmm in blocks.3.attn asks for 50.00 MiB"),
            std::string::npos)
      << prediction.sentence.sentence;
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

TEST(Prediction, EmptyDryRunNeedsTheContextOnly) {
  const Script script;
  const Prediction prediction = predicted(script, card(kMebibyte));
  EXPECT_EQ(prediction.fit, Fit::fits);
  EXPECT_EQ(prediction.needed, 100 * kMebibyte);
}

TEST(Prediction, TargetOfACardHasItsCapabilityAndContext) {
  const auto gpus = GpuCatalogue::parse(assets::gpus());
  ASSERT_TRUE(gpus);
  const PredictionTarget target = target_of(*gpus->find("RTX 4090"));
  EXPECT_EQ(target.compute_capability, 89);
  EXPECT_EQ(target.capacity(), target.memory - kContextBytes);
  EXPECT_EQ(dry_run_options(target).rules, DeviceKind::cuda);
  EXPECT_EQ(dry_run_options(target).compute_capability, 89);
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
}  // namespace ts::run
