// Flash attention on the CPU: how many threads take scratch, predicted against measured.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/spec/workload_spec.h"
#include "tests/kernels/dry_run_compare.h"

namespace ts::kernels {
namespace {

constexpr const char* kBackward = "aten::_scaled_dot_product_flash_attention_for_cpu_backward";

// The number of threads is the process's: put back behind every test.
class FlashThreads : public testing::Test {
 protected:
  void TearDown() override { at::set_num_threads(threads_); }

 private:
  int threads_ = at::get_num_threads();
};

struct Case {
  std::int64_t batch, heads, kv_heads, length, d_head;
};

spec::WorkloadSpec spec_of(const Case& sizes, spec::DataType dtype, spec::Pass pass) {
  spec::WorkloadSpec spec;
  spec.workload = spec::WorkloadKind::attention;
  spec.backend = spec::AttentionBackend::flash;
  spec.batch = sizes.batch;
  spec.heads = sizes.heads;
  spec.kv_heads = sizes.kv_heads;
  spec.seq_len = sizes.length;
  spec.d_head = sizes.d_head;
  spec.dtype = dtype;
  spec.pass = pass;
  return spec;
}

// Small shapes, tiles that are full and not, one head of keys and as many as of queries, more and
// fewer heads than threads, sizes of a head that are odd.
std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const std::int64_t batch : {1, 3}) {
    for (const auto& [heads, kv_heads] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {4, 1}, {4, 2}, {5, 5}}) {
      for (const std::int64_t length : {1, 7, 64, 210}) {
        cases.push_back({batch, heads, kv_heads, length, 8});
      }
      cases.push_back({batch, heads, kv_heads, 33, 5});
    }
  }
  cases.push_back({1, 2, 1, 801, 16});
  cases.push_back({2, 2, 2, 801, 16});
  return cases;
}

std::string name_of(const Case& sizes, spec::DataType dtype, int threads) {
  return "B " + std::to_string(sizes.batch) + ", heads " + std::to_string(sizes.heads) + " and " +
         std::to_string(sizes.kv_heads) + ", T " + std::to_string(sizes.length) + ", d_head " +
         std::to_string(sizes.d_head) + ", " + to_string(dtype) + ", " + std::to_string(threads) +
         " threads";
}

predict::DryRun predicted(const spec::WorkloadSpec& spec, int steps, base::StringTable& strings) {
  predict::DryRunOptions options;
  options.steps = steps;
  options.rules = spec::DeviceKind::cpu;
  auto dry = dry_runner().dry_run(spec, options, strings, {});
  EXPECT_TRUE(dry) << dry.error().sentence;
  return dry ? std::move(*dry) : predict::DryRun();
}

// Blocks of exactly these bytes that the backward takes.
std::int64_t blocks_of(const memory::AllocationLog& log, const base::StringTable& strings,
                       std::int64_t bytes) {
  return std::ranges::count_if(log.blocks(), [&](const memory::Block& block) {
    return block.size == bytes && strings.view(block.op) == kBackward;
  });
}

TEST_F(FlashThreads, ThePeakIsThatOfARunOrAboveItByWhatThreadsMayHoldApart) {
  constexpr int kSteps = 2;
  std::size_t exact = 0, apart = 0;
  for (const Case& sizes : every_case()) {
    for (const auto dtype : {spec::DataType::fp32, spec::DataType::bf16, spec::DataType::fp16}) {
      for (const auto pass : {spec::Pass::forward, spec::Pass::forward_backward}) {
        for (const int threads : {1, 2, 3}) {
          at::set_num_threads(threads);
          SCOPED_TRACE(name_of(sizes, dtype, threads));
          const spec::WorkloadSpec spec = spec_of(sizes, dtype, pass);
          ASSERT_TRUE(spec::validate(spec).empty()) << spec::validate(spec).front().sentence;
          RealRun real(1U << 12);
          ASSERT_EQ(try_for_real(spec, kSteps, real), "");
          base::StringTable strings;
          const predict::DryRun dry = predicted(spec, kSteps, strings);
          const std::int64_t peak = dry.log.peak_bytes();
          EXPECT_LE(real.peak, peak);
          EXPECT_GE(real.peak, peak - dry.apart_bytes);
          const std::int64_t heads = sizes.batch * sizes.kv_heads;
          const bool alone = threads == 1 || heads == 1 || pass == spec::Pass::forward;
          EXPECT_EQ(dry.apart_bytes == 0, alone) << dry.apart_bytes;
          ++(alone ? exact : apart);
        }
      }
    }
  }
  EXPECT_GT(exact, 300U);
  EXPECT_GT(apart, 100U);
}

// The sums of every thread with work, as many as a run takes: by heads of the keys, in equal
// shares.
TEST_F(FlashThreads, AsManyTakeSumsAsHaveHeadsOfKeysToWorkOn) {
  for (const int threads : {1, 2, 3, 4}) {
    at::set_num_threads(threads);
    for (const Case& sizes : every_case()) {
      if (sizes.length != 7) continue;
      SCOPED_TRACE(name_of(sizes, spec::DataType::fp32, threads));
      const spec::WorkloadSpec spec =
          spec_of(sizes, spec::DataType::fp32, spec::Pass::forward_backward);
      base::StringTable strings;
      const predict::DryRun dry = predicted(spec, 1, strings);
      RealRun real(1U << 12);
      ASSERT_EQ(try_for_real(spec, 1, real), "");
      const std::int64_t bytes = sizes.length * std::int64_t{sizeof(float)};
      // Threads of LibTorch's pool carry no operator: by size.
      const std::int64_t measured =
          std::ranges::count_if(real.recorded.memory.blocks(), [&](const memory::Block& block) {
            return block.size == bytes && block.phase == base::Phase::backward;
          });
      EXPECT_EQ(blocks_of(dry.log, strings, bytes), measured);
    }
  }
}

}  // namespace
}  // namespace ts::kernels
