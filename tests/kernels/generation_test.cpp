#include <gtest/gtest.h>

#include <fstream>

#include "tests/io/temporary_folder.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using spec::AttentionBackend;

spec::WorkloadSpec generating() {
  spec::WorkloadSpec spec = small_spec(spec::WorkloadKind::lm, spec::Pass::generate);
  spec.seq_len = 20;
  spec.new_tokens = 16;
  return spec;
}

std::vector<std::int64_t> generated(const spec::WorkloadSpec& spec, int steps = 1) {
  auto execution = engine().prepare_execution(spec, kPlenty, nullptr, {});
  EXPECT_TRUE(execution) << execution.error().sentence;
  for (int i = 0; i < steps; ++i) {
    const auto times = (*execution)->step(nullptr, i);
    EXPECT_TRUE(times) << times.error().sentence;
  }
  return (*execution)->facts().generated;
}

TEST(Generation, TheCacheChangesNothingButTheTime) {
  for (const auto backend :
       {AttentionBackend::naive, AttentionBackend::math, AttentionBackend::flash,
        AttentionBackend::tiled, AttentionBackend::own}) {
    for (const auto positions : {spec::Positions::rope, spec::Positions::learned}) {
      spec::WorkloadSpec spec = generating();
      spec.backend = backend;
      spec.positions = positions;
      spec.tile_q = spec.tile_k = 8;
      const auto cached = generated(spec);
      EXPECT_EQ(cached.size(), 16U);
      spec.kv_cache = false;
      EXPECT_EQ(cached, generated(spec)) << to_string(backend);
    }
  }
}

TEST(Generation, SameSeedSameTextOtherSeedOther) {
  spec::WorkloadSpec spec = generating();
  const auto first = generated(spec);
  EXPECT_EQ(first, generated(spec, 3)) << "every step starts from the prompt";
  spec.seed += 1;
  EXPECT_NE(first, generated(spec));
}

TEST(Generation, OneCandidateIsTheLikeliest) {
  spec::WorkloadSpec spec = generating();
  spec.top_k = 1;
  const auto of_one = generated(spec);
  spec.top_k = 0;
  const auto of_all = generated(spec);
  spec.temperature = 0;
  EXPECT_EQ(of_one, generated(spec));
  EXPECT_NE(of_all, of_one);
}

TEST(Generation, TimesThePromptAndTheRestApart) {
  auto execution = engine().prepare_execution(generating(), kPlenty, nullptr, {});
  ASSERT_TRUE(execution);
  const auto times = (*execution)->step(nullptr, 0);
  ASSERT_TRUE(times);
  EXPECT_GT(times->prefill_ns, 0);
  EXPECT_GT(times->decode_ns, 0);
  EXPECT_EQ(times->forward_ns, times->prefill_ns + times->decode_ns);
  EXPECT_LE(times->forward_ns, times->total_ns);
  EXPECT_EQ(times->backward_ns, 0);
}

TEST(Generation, KeepsNoGraphAndTakesTheSameMemoryInEveryStep) {
  auto execution = engine().prepare_execution(generating(), kPlenty, nullptr, {});
  ASSERT_TRUE(execution);
  const std::int64_t before = (*execution)->memory().allocated;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE((*execution)->step(nullptr, i));
    EXPECT_EQ((*execution)->memory().allocated, before);
  }
}

class Text : public testing::Test {
 protected:
  Text() {
    std::ofstream out(folder_ / "text.txt");
    for (int i = 0; i < 400; ++i) out << "the cat sat on the mat. ";
  }

  spec::WorkloadSpec spec() const {
    spec::WorkloadSpec spec = small_spec(spec::WorkloadKind::lm, spec::Pass::full_step);
    spec.corpus = (folder_ / "text.txt").string();
    spec.vocab = 256;
    return spec;
  }
  // Tests run side by side: each has a text of its own.
  io::testing::TemporaryFolder folder_;
};

TEST_F(Text, TargetsAreTheNextTokensAndBatchesChange) {
  auto execution = engine().prepare_execution(spec(), kPlenty, nullptr, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  const auto& inputs = (*execution)->inputs();
  const at::Tensor x = inputs[inputs.size() - 2];
  const at::Tensor y = inputs[inputs.size() - 1];
  std::string before;
  for (int step = 0; step < 4; ++step) {
    ASSERT_TRUE((*execution)->step(nullptr, step));
    EXPECT_TRUE(x.slice(1, 1).equal(y.slice(1, 0, y.size(1) - 1)));
    const auto* data = x.const_data_ptr<std::int64_t>();
    const std::string text(data, data + x.numel());
    EXPECT_NE(text.find("cat"), std::string::npos) << text;
    EXPECT_NE(text, before);
    before = text;
  }
}

TEST_F(Text, IsLearnt) {
  spec::WorkloadSpec learning = spec();
  learning.learning_rate = 0.01;
  auto execution = engine().prepare_execution(learning, kPlenty, nullptr, {});
  ASSERT_TRUE(execution);
  const double first = (*execution)->step(nullptr, 0)->loss;
  double last = first;
  for (int step = 1; step < 40; ++step) last = (*execution)->step(nullptr, step)->loss;
  EXPECT_NEAR(first, std::log(256.0), 2);
  EXPECT_LT(last, 0.6 * first);
}

TEST_F(Text, NewBatchesTakeNoMemory) {
  auto execution = engine().prepare_execution(spec(), kPlenty, nullptr, {});
  ASSERT_TRUE(execution);
  for (int step = 0; step < 2; ++step) ASSERT_TRUE((*execution)->step(nullptr, step));
  const run::MemoryCounters settled = (*execution)->memory();
  ASSERT_TRUE((*execution)->step(nullptr, 2));
  EXPECT_EQ((*execution)->memory().allocated, settled.allocated);
  EXPECT_EQ((*execution)->memory().peak, settled.peak);
}

TEST_F(Text, PromptsComeFromIt) {
  spec::WorkloadSpec generate = spec();
  generate.pass = spec::Pass::generate;
  generate.tokenizer = spec::Tokenizer::character;
  auto execution = engine().prepare_execution(generate, kPlenty, nullptr, {});
  ASSERT_TRUE(execution);
  ASSERT_TRUE((*execution)->step(nullptr, 0));
  const run::ExecutionFacts facts = (*execution)->facts();
  EXPECT_EQ(facts.generated.size(), static_cast<std::size_t>(generate.new_tokens));
  EXPECT_FALSE(facts.generated_text.empty());
}

TEST_F(Text, AFileThatIsGoneFailsWithItsSentence) {
  spec::WorkloadSpec gone = spec();
  gone.corpus = "/nowhere/text";
  const auto execution = engine().prepare_execution(gone, kPlenty, nullptr, {});
  ASSERT_FALSE(execution);
  EXPECT_EQ(execution.error().sentence, "There is no corpus /nowhere/text");
}

}  // namespace
}  // namespace ts::kernels
