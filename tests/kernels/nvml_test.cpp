#include "kernels/cuda/nvml.h"

#include <gtest/gtest.h>

namespace ts::kernels {
namespace {

TEST(Nvml, tells_the_state_of_the_gpu_at_an_address) {
  const Nvml nvml(TENSORSCOPE_FAKE_NVML);
  ASSERT_EQ(nvml.unavailable(), "");
  const auto state = nvml.state("0000:3B:00.0");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->sm_clock_mhz, 1755);
  EXPECT_EQ(state->memory_clock_mhz, 2619);
  EXPECT_EQ(state->temperature_c, 61);
  EXPECT_EQ(state->power_w, 0) << "this card does not tell";
  EXPECT_EQ(state->throttle, 0x24U);
  EXPECT_EQ(state->used_bytes, 42);
  EXPECT_EQ(state->total_bytes, 100);
  EXPECT_FALSE(nvml.state("0000:AF:00.0")) << "no such GPU";
}

TEST(Nvml, without_a_driver_there_is_a_reason) {
  const Nvml nvml("libnvidia-ml-that-is-not-there.so.1");
  EXPECT_EQ(nvml.unavailable(),
            "The driver's management library was not found (libnvidia-ml-that-is-not-there.so.1)");
  EXPECT_FALSE(nvml.state("0000:3B:00.0"));
}

TEST(Nvml, a_library_without_its_functions_is_refused) {
  const Nvml nvml("libc.so.6");
  EXPECT_NE(nvml.unavailable().find("lacks functions"), std::string::npos);
}

}  // namespace
}  // namespace ts::kernels
