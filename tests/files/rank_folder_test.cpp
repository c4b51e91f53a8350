#include "core/files/rank_folder.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "core/files/opened_file.h"
#include "core/files/opened_trace.h"
#include "core/io/file.h"
#include "core/stats/kernel_table.h"
#include "tests/io/gzip_bytes.h"
#include "tests/io/temporary_folder.h"

namespace ts::files {
namespace {

// An operator and its kernel, both on device 0 of their machine; the file's clock begins at
// `base_us`.
std::string rank_bytes(int rank, int base_us) {
  const auto event = [](const std::string& words) { return "{\"ph\": \"X\", " + words + "}"; };
  return R"({"distributedInfo": {"rank": )" + std::to_string(rank) +
         R"(}, "baseTimeNanoseconds": )" + std::to_string(base_us) + R"(000, "traceEvents": [)" +
         event(R"("cat": "cpu_op", "name": "aten::mm", "pid": 5, "tid": 5, "ts": 10, "dur": 50)") +
         "," + event(R"("cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 30,
                  "args": {"device": 0, "stream": 7})") +
         R"(,{"ph": "i", "name": "[memory]", "pid": 5, "tid": 5, "ts": 15, "args": {"Bytes": )" +
         std::to_string(1024 * (rank + 1)) +
         R"(, "Addr": 512, "Device Type": 1, "Device Id": 0, "Total Allocated": 4096}}]})";
}

class RankFolder : public testing::Test {
 protected:
  void add(const std::string& name, const std::string& bytes) {
    ASSERT_TRUE(io::write_file(folder_.path() / name, bytes));
  }
  io::testing::TemporaryFolder folder_;
};

TEST_F(RankFolder, BecomesOneTraceOnOneClock) {
  add("b.pt.trace.json", rank_bytes(0, 1000));
  add("a.pt.trace.json.gz", io::testing::gzipped(rank_bytes(1, 1400)));
  add("notes.json", R"({"lr": 0.1})");
  add("readme.txt", "no trace");
  EXPECT_EQ(files_of_ranks(folder_.path()).size(), 3U);
  const auto merged = read_ranks(folder_.path());
  ASSERT_TRUE(merged) << merged.error().sentence;
  ASSERT_EQ(merged->events.size(), 4U);
  EXPECT_EQ(merged->event_count, 6U);
  EXPECT_EQ(merged->tracks[merged->events[0].track].process_name, "rank 0");
  EXPECT_EQ(merged->events[2].begin_ns - merged->events[0].begin_ns, 400'000);
  EXPECT_NE(merged->tracks[merged->events[1].track].device,
            merged->tracks[merged->events[3].track].device)
      << "each machine has a device 0";

  const auto opened = open_file(folder_.path());
  ASSERT_TRUE(opened) << opened.error().sentence;
  const run::Run& run = (*opened)->trace->run;
  std::string names;
  for (const trace::Track& track : run.trace.tracks()) names += track.name + "\n";
  EXPECT_NE(names.find("rank 1: GPU 1 stream 7"), std::string::npos) << names;
  const auto kernels =
      stats::kernel_table(run.trace, run.launches, *(*opened)->trace->about.strings);
  ASSERT_EQ(kernels.devices.size(), 2U);
  EXPECT_EQ(kernels.devices[1].busy_ns, 30'000);
}

// Both ranks have the address 512.
TEST_F(RankFolder, MemoryStaysApartByItsRank) {
  add("a.json", rank_bytes(0, 1000));
  add("b.json", rank_bytes(1, 1400));
  const auto merged = read_ranks(folder_.path());
  ASSERT_TRUE(merged) << merged.error().sentence;
  ASSERT_EQ(merged->memory.size(), 2U);
  EXPECT_EQ(merged->memory[0].device, 0);
  EXPECT_EQ(merged->memory[1].device, 1);
  EXPECT_EQ(merged->memory[1].time_ns - merged->memory[0].time_ns, 400'000);
  EXPECT_EQ(merged->tracks[merged->memory[1].track].process_name, "rank 1");
  const auto opened = open_file(folder_.path());
  ASSERT_TRUE(opened) << opened.error().sentence;
  EXPECT_EQ((*opened)->trace->run.memory.peak_bytes(), 1024) << "of one rank";
  EXPECT_EQ((*opened)->trace->memory.rank, "rank 0");
  EXPECT_EQ((*opened)->trace->memory.device, 0);
  EXPECT_EQ((*opened)->trace->memory.places, 2);
}

TEST_F(RankFolder, TracesOfDifferentTimesAreSaidToBeSo) {
  add("rank0.json", rank_bytes(0, 1000));
  add("rank1.json", rank_bytes(1, 2000));
  EXPECT_TRUE(read_ranks(folder_.path())->fault.empty());
  constexpr int kTwentyMinutes = 20 * 60 * 1'000'000;
  add("another.json", rank_bytes(2, kTwentyMinutes));
  const auto merged = read_ranks(folder_.path());
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->events.size(), 6U);
  EXPECT_NE(merged->fault.sentence.find("19 minutes"), std::string::npos) << merged->fault.sentence;
}

TEST_F(RankFolder, WithoutATraceIsRefused) {
  add("notes.json", R"({"lr": 0.1})");
  const auto merged = read_ranks(folder_.path());
  ASSERT_FALSE(merged);
  EXPECT_NE(merged.error().sentence.find("nor traces of ranks"), std::string::npos);
}

TEST_F(RankFolder, ADamagedRankIsNamed) {
  add("rank0.json", rank_bytes(0, 1000));
  add("rank1.json", rank_bytes(1, 1000).substr(0, 260));
  const auto merged = read_ranks(folder_.path());
  ASSERT_TRUE(merged) << merged.error().sentence;
  EXPECT_EQ(merged->events.size(), 3U);
  EXPECT_NE(merged->fault.sentence.find("rank1.json"), std::string::npos);
}

}  // namespace
}  // namespace ts::files
