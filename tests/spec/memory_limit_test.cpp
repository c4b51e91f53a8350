#include "core/spec/memory_limit.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/io/temporary_folder.h"

namespace ts::spec {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kGi = std::int64_t{1} << 30;
constexpr std::int64_t kMi = std::int64_t{1} << 20;

WorkloadSpec with_limit(std::int64_t bytes) {
  WorkloadSpec spec;
  spec.memory_limit = bytes;
  return spec;
}

Capacities machine(std::int64_t total, std::int64_t available, std::int64_t target = 0) {
  return {target, 0, {total, available, false}};
}

TEST(MemoryLimit, the_smallest_bound_wins_and_is_named) {
  const auto card = memory_limit(WorkloadSpec{}, machine(64 * kGi, 60 * kGi, 24 * kGi));
  EXPECT_EQ(card.bytes, 24 * kGi);
  EXPECT_EQ(card.source, "RTX 4090");
  const auto ram = memory_limit(WorkloadSpec{}, machine(20 * kGi, 19 * kGi, 24 * kGi));
  EXPECT_EQ(ram.bytes, 16 * kGi);
  EXPECT_EQ(ram.source, kLimitFromRam);
  const auto asked = memory_limit(with_limit(2 * kGi), machine(20 * kGi, 19 * kGi, 24 * kGi));
  EXPECT_EQ(asked.bytes, 2 * kGi);
  EXPECT_EQ(asked.source, kLimitFromSpec);
  const auto no_card = memory_limit(WorkloadSpec{}, machine(20 * kGi, 19 * kGi));
  EXPECT_EQ(no_card.bytes, 16 * kGi);
}

TEST(MemoryLimit, never_reaches_into_swap) {
  const auto busy = memory_limit(WorkloadSpec{}, machine(64 * kGi, 4 * kGi, 24 * kGi));
  EXPECT_EQ(busy.bytes, 4 * kGi - 256 * kMi);
  EXPECT_EQ(busy.source, kLimitFromAvailable);
  // An explicit limit does not lift the rule.
  EXPECT_EQ(memory_limit(with_limit(32 * kGi), machine(64 * kGi, 4 * kGi)).bytes,
            4 * kGi - 256 * kMi);
  const auto full = memory_limit(WorkloadSpec{}, machine(64 * kGi, 8 * kMi));
  EXPECT_EQ(full.bytes, 7 * kMi);
}

TEST(MemoryLimit, a_device_has_its_own_memory) {
  WorkloadSpec spec;
  spec.device = DeviceKind::cuda;
  Capacities capacities = machine(4 * kGi, kGi, 24 * kGi);
  capacities.device = 141 * kGi;
  EXPECT_EQ(memory_limit(spec, capacities).bytes, 24 * kGi);
  capacities.device = 8 * kGi;
  EXPECT_EQ(memory_limit(spec, capacities).bytes, 8 * kGi);
  EXPECT_EQ(memory_limit(spec, capacities).source, kLimitFromDevice);
}

TEST(MemoryLimit, container_limit_is_said_as_such) {
  Capacities capacities = machine(10 * kGi, 10 * kGi, 24 * kGi);
  capacities.host.container = true;
  EXPECT_EQ(memory_limit(WorkloadSpec{}, capacities).source, kLimitFromContainer);
}

TEST(MemoryLimit, this_machine_has_some) {
  const HostMemory host = read_host_memory();
  EXPECT_GT(host.total, 64 * kMi);
  EXPECT_GT(host.available, 0);
  EXPECT_LE(host.available, host.total);
  const auto limit = memory_limit(WorkloadSpec{}, 24 * kGi);
  EXPECT_GT(limit.bytes, 0);
  EXPECT_LT(limit.bytes, host.total);
}

// A root folder with the files of a machine.
class HostMemoryTest : public testing::Test {
 protected:
  HostMemoryTest() {
    write(
        "proc/meminfo",
        "MemTotal:       16777216 kB\nMemFree:  1 kB\nMemAvailable:    8388608 kB\nSwapFree: 5\n");
  }
  void write(const fs::path& path, const std::string& text) {
    fs::create_directories((folder_.path() / path).parent_path());
    std::ofstream(folder_.path() / path) << text;
  }
  HostMemory read() { return read_host_memory(folder_.path()); }

  io::testing::TemporaryFolder folder_;  // one for each test: they run at the same time
};

TEST_F(HostMemoryTest, without_control_groups_the_machine_counts) {
  EXPECT_EQ(read().total, 16 * kGi);
  EXPECT_EQ(read().available, 8 * kGi);
  EXPECT_FALSE(read().container);
}

TEST_F(HostMemoryTest, version_2_limits_and_gives_page_cache_back) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "4294967296\n");
  write("sys/fs/cgroup/memory.current", "3221225472\n");
  write("sys/fs/cgroup/memory.stat", "anon 5\ninactive_file 1073741824\nactive_file 7\n");
  EXPECT_EQ(read().total, 4 * kGi);
  EXPECT_EQ(read().available, 2 * kGi);
  EXPECT_TRUE(read().container);
}

TEST_F(HostMemoryTest, version_2_without_a_limit_says_max) {
  write("proc/self/cgroup", "0::/user.slice\n");
  write("sys/fs/cgroup/user.slice/memory.max", "max\n");
  EXPECT_EQ(read().total, 16 * kGi);
  EXPECT_FALSE(read().container);
}

TEST_F(HostMemoryTest, a_limit_of_an_ancestor_holds) {
  write("proc/self/cgroup", "0::/a/b/c\n");
  write("sys/fs/cgroup/a/b/c/memory.max", "max\n");
  write("sys/fs/cgroup/a/b/memory.max", "6442450944\n");
  write("sys/fs/cgroup/a/b/memory.current", "1073741824\n");
  write("sys/fs/cgroup/a/memory.max", "12884901888\n");
  write("sys/fs/cgroup/a/memory.current", "10737418240\n");
  EXPECT_EQ(read().total, 6 * kGi);
  EXPECT_EQ(read().available, 2 * kGi);  // what the grandparent has left
}

TEST_F(HostMemoryTest, version_1_limits) {
  write("proc/self/cgroup", "12:cpuset:/x\n4:memory:/docker/abc\n0::/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n");
  write("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 536870912\n");
  EXPECT_EQ(read().total, 2 * kGi);
  EXPECT_EQ(read().available, kGi + 512 * kMi);
}

TEST_F(HostMemoryTest, version_1_without_a_limit_says_a_huge_number) {
  write("proc/self/cgroup", "4:memory:/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(read().total, 16 * kGi);
  EXPECT_EQ(read().available, 8 * kGi);
}

TEST_F(HostMemoryTest, a_full_group_has_nothing_left) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "1073741824\n");
  write("sys/fs/cgroup/memory.current", "2073741824\n");
  EXPECT_EQ(read().available, 0);
  EXPECT_EQ(memory_limit(WorkloadSpec{}, {0, 0, read()}).bytes, 0);
}

TEST_F(HostMemoryTest, damaged_files_are_left_out) {
  write("proc/self/cgroup", "nonsense\n\n0:\n::\n");
  write("sys/fs/cgroup/memory.max", "-5\n");
  EXPECT_EQ(read().total, 16 * kGi);
  write("proc/meminfo", "MemTotal: many\n");
  EXPECT_GT(read().total, 0);  // the pages of this machine
}

}  // namespace
}  // namespace ts::spec
