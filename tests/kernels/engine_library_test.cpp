#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "core/run/engine.h"

namespace ts::kernels {
namespace {

// Loads the library as the program does.
TEST(EngineLibrary, LoadsAndRunsAttention) {
  void* const library = dlopen(TENSORSCOPE_ENGINE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto version =
      reinterpret_cast<run::EngineVersionFunction>(dlsym(library, run::kEngineVersionSymbol));
  const auto create =
      reinterpret_cast<run::EngineCreateFunction>(dlsym(library, run::kEngineCreateSymbol));
  ASSERT_NE(version, nullptr);
  ASSERT_NE(create, nullptr);
  EXPECT_EQ(version(), run::kEngineInterfaceVersion);
  const std::unique_ptr<run::Engine> made(create());
  ASSERT_NE(made, nullptr);
  const char* const minor = std::getenv("TENSORSCOPE_TORCH");  // of a build with another LibTorch
  const std::string expected = std::string(minor != nullptr ? minor : "2.11") + ".";
  EXPECT_EQ(made->info().torch_version.rfind(expected, 0), 0U) << made->info().torch_version;
  ASSERT_GE(made->info().devices.size(), 2U);
  EXPECT_EQ(made->info().devices[0].kind, spec::DeviceKind::cpu);
  EXPECT_GT(made->info().devices[0].memory_bytes, 0);
  EXPECT_GE(made->info().threads, 1);

  auto execution = made->prepare({}, std::int64_t{4} << 30, nullptr, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  auto times = (*execution)->step(nullptr, 0);
  ASSERT_TRUE(times) << times.error().sentence;
  EXPECT_GT(times->forward_ns, 0);
  EXPECT_GT(times->backward_ns, 0);
  EXPECT_EQ(times->optimizer_ns, 0);
  EXPECT_GE(times->total_ns, times->forward_ns + times->backward_ns);
  EXPECT_NE(times->loss, 0);
}

TEST(EngineLibrary, HidesEverythingButItsThreeFunctions) {
  void* const library = dlopen(TENSORSCOPE_ENGINE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_EQ(dlsym(library, "_ZN2ts7kernels11TorchEngineC1Ev"), nullptr);
}

}  // namespace
}  // namespace ts::kernels
