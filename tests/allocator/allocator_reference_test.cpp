// The allocator model and the replay against allocator_reference.py, which has the same rules by
// definition and shares nothing with them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/allocator/caching_allocator.h"
#include "core/allocator/caching_allocator_state.h"
#include "core/allocator/replay.h"
#include "core/snapshot/snapshot_read.h"
#include "tests/allocator/random_program.h"
#include "tests/io/temporary_folder.h"

namespace ts::allocator {
namespace {

using io::testing::TemporaryFolder;
using nlohmann::json;
using testing::ProgramStep;

bool python_is_there() {
  return std::system("python3 -c 'import json' 2> /dev/null") == 0;
}

json reference(const TemporaryFolder& folder, const std::string& arguments,
               const std::string& input = "") {
  io::testing::put(folder / "in", input);
  const std::string command = "python3 -B '" TENSORSCOPE_ALLOCATOR_REFERENCE "' " + arguments +
                              " < '" + (folder / "in").string() + "' > '" +
                              (folder / "out").string() + "'";
  if (std::system(command.c_str()) != 0) return {};
  return json::parse(io::testing::content_of(folder / "out"));
}

json to_json(const std::vector<ProgramStep>& program, std::optional<std::int64_t> capacity) {
  json steps = json::array();
  for (const ProgramStep& step : program) {
    if (step.kind == ProgramStep::Kind::alloc) {
      steps.push_back({"alloc", step.block, step.bytes, step.stream});
    } else if (step.kind == ProgramStep::Kind::free) {
      steps.push_back({"free", step.block});
    } else {
      steps.push_back({"empty"});
    }
  }
  return {{"capacity", capacity ? json(*capacity) : json()}, {"steps", steps}};
}

class Program : public ::testing::TestWithParam<std::optional<std::int64_t>> {};

TEST_P(Program, ReservesTheSameBytesAtEveryStep) {
  if (!python_is_there()) GTEST_SKIP() << "needs python3";
  const TemporaryFolder folder;
  const auto capacity = GetParam();
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    const auto program = testing::RandomProgram(seed).make(800);
    const json answers = reference(folder, "reserved", to_json(program, capacity).dump());
    ASSERT_EQ(answers.size(), program.size());

    CachingAllocator::Device device;
    if (capacity) device.capacity = *capacity;
    CachingAllocator allocator({}, device);
    std::vector<std::optional<std::uint64_t>> addresses;
    for (std::size_t i = 0; i < program.size(); ++i) {
      const ProgramStep& step = program[i];
      bool served = true;
      if (step.kind == ProgramStep::Kind::alloc) {
        addresses.push_back(allocator.allocate(step.bytes, step.stream));
        served = addresses.back().has_value();
      } else if (step.kind == ProgramStep::Kind::free) {
        served = addresses[step.block].has_value();
        if (served) allocator.free(*addresses[step.block]);
      } else {
        allocator.empty_cache();
      }
      ASSERT_EQ(allocator.stats().reserved, answers[i][0]) << "seed " << seed << ", step " << i;
      ASSERT_EQ(allocator.stats().allocated, answers[i][1]) << "seed " << seed << ", step " << i;
      ASSERT_EQ(served, answers[i][2]) << "seed " << seed << ", step " << i;
    }
    ASSERT_EQ(allocator.check(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(AllocatorReference, Program,
                         ::testing::Values(std::nullopt, 400 * kMiB, 1500 * kMiB));

// Snapshots as PyTorch records them, cut off by a ring buffer: the start state is found, and the
// replay agrees to the byte and to the address.
TEST(AllocatorReference, RecordingsReplayExactly) {
  if (!python_is_there()) GTEST_SKIP() << "needs python3";
  const TemporaryFolder folder;
  const std::string path = (folder / "recorded").string();
  std::size_t ooms = 0;
  for (int seed = 0; seed < 16; ++seed) {
    SCOPED_TRACE(seed);
    const int keep = 100 + seed * 130;
    const int protocol = seed % 5 == 0 ? 0 : seed % 5 + 1;
    const json truth =
        reference(folder, "snapshot '" + path + "' " + std::to_string(seed) + " 900 " +
                              std::to_string(keep) + " " + std::to_string(protocol));
    ASSERT_TRUE(truth.is_object());
    const auto file = snapshot::read_snapshot(path);
    ASSERT_TRUE(file) << file.error().sentence;
    ASSERT_EQ(file->fault.sentence, "");
    const auto result = replay(file->snapshot, 0);
    ASSERT_TRUE(result) << result.error().sentence;
    EXPECT_TRUE(result->as_recorded);
    EXPECT_FALSE(result->first_difference) << result->first_difference->what.sentence;
    EXPECT_EQ(result->other_addresses, 0);
    EXPECT_EQ(result->odd_events, 0);
    EXPECT_EQ(result->recorded, result->simulated);
    EXPECT_EQ(result->simulated.segment_allocs, truth.at("segment_allocs"));
    EXPECT_EQ(result->simulated.peak_reserved, truth.at("peak_reserved"));
    EXPECT_EQ(result->simulated.end_reserved, truth.at("end_reserved"));
    ooms += result->recorded_ooms.size();
  }
  EXPECT_GT(ooms, 0U) << "some of them run out of memory";
}

}  // namespace
}  // namespace ts::allocator
