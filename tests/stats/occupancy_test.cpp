#include "core/stats/occupancy.h"

#include <gtest/gtest.h>

namespace ts::stats {
namespace {

trace::KernelLaunch launch(std::int32_t threads, std::int32_t registers, std::int64_t shared = 0) {
  trace::KernelLaunch made;
  made.grid = {1, 1, 1};
  made.block = {threads, 1, 1};
  made.registers = registers;
  made.shared_memory = shared;
  return made;
}

// By hand, from the table of the programming guide.
TEST(Occupancy, each_resource_can_bound_it) {
  const auto full = occupancy("8.0", launch(256, 32));
  ASSERT_TRUE(full);
  EXPECT_EQ(full->blocks, 8);
  EXPECT_EQ(full->share, 1);
  EXPECT_EQ(full->limit, OccupancyLimit::warps);

  // 32 blocks of one warp are half of 64 warps.
  const auto small = occupancy("8.0", launch(32, 32));
  EXPECT_EQ(small->blocks, 32);
  EXPECT_EQ(small->share, 0.5);
  EXPECT_EQ(small->limit, OccupancyLimit::blocks);

  // 128 registers: 4,096 a warp, 4 warps a quarter, 16 in all, two blocks of 8.
  const auto registers = occupancy("9.0", launch(256, 128));
  EXPECT_EQ(registers->blocks, 2);
  EXPECT_EQ(registers->share, 0.25);
  EXPECT_EQ(registers->limit, OccupancyLimit::registers);

  // 64 KiB and 1 KiB of the driver: one block in 100 KiB, four warps of 48.
  const auto shared = occupancy("8.6", launch(128, 32, 65536));
  EXPECT_EQ(shared->blocks, 1);
  EXPECT_DOUBLE_EQ(shared->share, 4.0 / 48);
  EXPECT_EQ(shared->limit, OccupancyLimit::shared_memory);
}

TEST(Occupancy, what_is_not_known_or_cannot_be_has_none) {
  EXPECT_FALSE(occupancy("", launch(256, 32)));
  EXPECT_FALSE(occupancy("gfx942", launch(256, 32)));
  EXPECT_FALSE(occupancy("8.0", launch(0, 32)));
  EXPECT_FALSE(occupancy("8.0", launch(2048, 32)));
  EXPECT_FALSE(occupancy("8.6", launch(128, 32, 120'000))) << "more than there is";
}

}  // namespace
}  // namespace ts::stats
