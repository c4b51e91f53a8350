// Theoretical occupancy against the calculator that comes with CUDA's headers.
#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/stats/occupancy.h"

namespace ts::stats {
namespace {

struct Card {
  int major;
  int minor;
  int threads;              // per multiprocessor
  std::size_t shared;       // per multiprocessor, bytes
  std::size_t shared_most;  // per block, opted in
  std::size_t reserved;     // per block
};

// As the driver tells them of these cards; all have 65,536 registers.
constexpr Card kCards[] = {
    {7, 5, 1024, 65536, 65536, 0},       {8, 0, 2048, 167936, 166912, 1024},
    {8, 6, 1536, 102400, 101376, 1024},  {8, 9, 1536, 102400, 101376, 1024},
    {9, 0, 2048, 233472, 232448, 1024},  {10, 0, 2048, 233472, 232448, 1024},
    {12, 0, 1536, 102400, 101376, 1024},
};

class OccupancyOracle : public ::testing::TestWithParam<Card> {};

TEST_P(OccupancyOracle, agrees) {
  const Card& card = GetParam();
  cudaOccDeviceProp device;
  device.computeMajor = card.major;
  device.computeMinor = card.minor;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = card.threads;
  device.regsPerBlock = 65536;
  device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  device.sharedMemPerBlock = 49152;
  device.sharedMemPerMultiprocessor = card.shared;
  device.numSms = 100;
  device.sharedMemPerBlockOptin = card.shared_most;
  device.reservedSharedMemPerBlock = card.reserved;
  cudaOccDeviceState state;
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  const std::string capability = std::to_string(card.major) + "." + std::to_string(card.minor);

  std::mt19937 random(3);
  int compared = 0;
  for (int i = 0; i < 20'000; ++i) {
    trace::KernelLaunch launch;
    launch.block = {static_cast<std::int32_t>(1 + random() % 1024), 1, 1};
    launch.registers = static_cast<std::int32_t>(1 + random() % 255);
    if (random() % 2 == 0) launch.shared_memory = random() % (card.shared_most + 1);
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = 1024;
    kernel.numRegs = launch.registers;
    kernel.sharedSizeBytes = 0;
    kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = card.shared_most;
    kernel.numBlockBarriers = 1;
    cudaOccResult expected;
    const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
        &expected, &device, &kernel, &state, launch.block[0],
        static_cast<std::size_t>(launch.shared_memory));
    ASSERT_EQ(error, CUDA_OCC_SUCCESS);
    const auto found = occupancy(capability, launch);
    ASSERT_EQ(found ? found->blocks : 0, expected.activeBlocksPerMultiprocessor)
        << capability << ": " << launch.block[0] << " threads, " << launch.registers
        << " registers, " << launch.shared_memory << " B shared";
    if (found) ++compared;
  }
  EXPECT_GT(compared, 10'000);
}

std::string card_name(const ::testing::TestParamInfo<Card>& test) {
  return "sm_" + std::to_string(test.param.major) + std::to_string(test.param.minor);
}

INSTANTIATE_TEST_SUITE_P(Cards, OccupancyOracle, ::testing::ValuesIn(kCards), card_name);

}  // namespace
}  // namespace ts::stats
