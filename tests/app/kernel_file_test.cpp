// `tensorscope kernel`: what a file with a kernel may call, which mistakes of students have a
// sentence of their own, and that no process of it is left.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "tests/app/own_kernel.h"

namespace ts::app::testing {
namespace {

using namespace std::chrono_literals;

// Before the first launch of the forward.
const char* const kLaunch = "  const dim3 blocks((length + kTile";

// The process whose number is in the file; 0: there is no number.
pid_t process_in(const std::filesystem::path& file) {
  const std::string number = read(file);
  return number.ends_with('\n') ? static_cast<pid_t>(std::stol(number)) : 0;
}

// Ended, or ending: a process without a parent is gone soon after it is killed.
bool ends(pid_t process) {
  for (int i = 0; i < 250; ++i) {
    if (kill(process, 0) != 0 && errno == ESRCH) return true;
    std::this_thread::sleep_for(20ms);
  }
  kill(process, SIGKILL);
  return false;
}

TEST(KernelFile, LeavesNoProcess) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "process").string();
  const std::string place = "extern \"C\" void attention(";
  std::string source = read(TENSORSCOPE_OWN_ATTENTION);
  replace_first(source, kLaunch,
                "  if (fork() == 0) {\n    setsid();\n    FILE* to = fopen(\"" + file +
                    "\", \"w\");\n    fprintf(to, \"%d\\n\", getpid());\n    fclose(to);\n"
                    "    sleep(60);\n    _exit(0);\n  }\n" +
                    kLaunch);
  const Ended ended = check_source("#include <unistd.h>\n" + source);
  EXPECT_EQ(ended.code, 0) << ended.err << ended.out;
  const pid_t process = process_in(file);
  if (process != 0) {
    EXPECT_TRUE(ends(process)) << "the child outlived the command";
  }
  // Threads are no processes.
  std::string threads = read(TENSORSCOPE_OWN_ATTENTION);
  replace_first(threads, kLaunch, std::string("  std::thread([] {}).join();\n") + kLaunch);
  EXPECT_EQ(check_source("#include <thread>\n" + threads).code, 0);
}

// Interrupted, ended or killed: the program that runs the file ends, too.
class EndedCheck : public ::testing::TestWithParam<int> {};

TEST_P(EndedCheck, LeavesNoProcess) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "process").string();
  const auto kernel = folder.path() / "mine.cpp";
  std::ofstream(kernel) << "#include <cstdio>\n#include <unistd.h>\n"
                           "void attention(const float*, const float*, const float*, float*, int, "
                           "int, int, bool) {\n  FILE* to = fopen(\""
                        << file
                        << "\", \"w\");\n  fprintf(to, \"%d\\n\", getpid());\n  fclose(to);\n"
                           "  while (true) sleep(1);\n}\n";
  const pid_t child = fork();
  if (child == 0) {
    setenv("XDG_CACHE_HOME", TENSORSCOPE_KEPT_EXECUTOR, 1);
    setenv("TMPDIR", folder.path().c_str(), 1);  // one that is killed leaves its files
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execl(TENSORSCOPE_PROGRAM, TENSORSCOPE_PROGRAM, "kernel", kernel.c_str(), "--check",
          "attention", nullptr);
    _exit(127);
  }
  for (int i = 0; i < 3000 && process_in(file) == 0; ++i) std::this_thread::sleep_for(20ms);
  const pid_t process = process_in(file);
  kill(child, GetParam());
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_NE(process, 0);
  EXPECT_TRUE(ends(process));
  if (GetParam() == SIGKILL) return;
  ASSERT_TRUE(WIFEXITED(status)) << "it ends by itself";
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

INSTANTIATE_TEST_SUITE_P(By, EndedCheck, ::testing::Values(SIGINT, SIGTERM, SIGKILL));

// A launcher that asks for the card.
TEST(KernelFile, AsksForTheCard) {
  const std::string asks = R"(
  int device = -1, multiprocessors = 0, blocks_at_once = 0, least = 0, threads = 0, opt_in = 0;
  cudaDeviceProp card;
  size_t free = 0, all = 0;
  cudaEvent_t begin, end;
  cudaStream_t stream = nullptr;
  float milliseconds = -1;
  if (cudaSetDevice(0) != cudaSuccess || cudaGetDevice(&device) != cudaSuccess || device != 0 ||
      cudaGetDeviceProperties(&card, device) != cudaSuccess || card.warpSize != 32 ||
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) ||
      multiprocessors != card.multiProcessorCount ||
      cudaDeviceGetAttribute(&opt_in, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ||
      cudaMemGetInfo(&free, &all) != cudaSuccess || free > all || all != card.totalGlobalMem)
    return;
  if (cudaFuncSetAttribute(forward, cudaFuncAttributeMaxDynamicSharedMemorySize, opt_in) ||
      cudaFuncSetAttribute(forward, cudaFuncAttributeMaxDynamicSharedMemorySize, opt_in + 1) ==
          cudaSuccess ||
      cudaFuncSetCacheConfig(forward, cudaFuncCachePreferShared) ||
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_at_once, forward, 256, 56 << 10) ||
      blocks_at_once != 4 ||  // 57 KiB each, of 228 KiB
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_at_once, forward, 256, 0) ||
      blocks_at_once != 8 ||  // of 2,048 threads
      cudaOccupancyMaxPotentialBlockSize(&least, &threads, forward) || threads < 32)
    return;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin, stream);
  cudaEventRecord(end, stream);
  cudaEventSynchronize(end);
  cudaEventElapsedTime(&milliseconds, begin, end);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaMemsetAsync(o, 0, sizeof(float), stream);
  cudaMemcpyAsync(o, q, sizeof(float), cudaMemcpyDefault, stream);
  if (milliseconds < 0) return;
)";
  const Ended ended = check_kernel(kLaunch, asks + kLaunch);
  EXPECT_EQ(ended.code, 0) << ended.err << ended.out;
}

// Words that students use beyond those of our kernels: groups, copies that go on, more atomics.
TEST(KernelFile, GroupsAndCopies) {
  std::string source = read(TENSORSCOPE_OWN_ATTENTION);
  replace_first(source, "    __syncthreads();\n    for (int i",
                "    cooperative_groups::this_thread_block().sync();\n    for (int i");
  replace_first(source,
                "keys[threadIdx.x * d_head + c] = inside ? k[head + (j + threadIdx.x) * "
                "d_head + c] : 0;",
                "__pipeline_memcpy_async(&keys[threadIdx.x * d_head + c], inside ? &k[head + (j + "
                "threadIdx.x) * d_head + c] : k, 4, inside ? 0 : 4);");
  const std::string wait = "    __pipeline_commit();\n    __pipeline_wait_prior(0);\n";
  const std::string barrier = "    cooperative_groups::this_thread_block().sync();\n";
  replace_first(source, barrier, wait + barrier);
  replace_first(source, "  if (query >= length) return;\n  for (int c",
                "  const auto warp = cooperative_groups::tiled_partition<32>(\n"
                "      cooperative_groups::this_thread_block());\n"
                "  const float all = cooperative_groups::reduce(\n"
                "      warp, 1.0f, cooperative_groups::plus<float>());\n"
                "  __shared__ int most;\n"
                "  if (warp.thread_rank() == 0) atomicExch(&most, 0);\n"
                "  warp.sync();\n"
                "  atomicMax(&most, int(threadIdx.x));\n"
                "  __syncthreads();\n"
                "  if (all != 32 || most != 31 || min(32u, 5) != 5) return;\n"
                "  if (query >= length) return;\n  for (int c");
  const std::string headers =
      "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
      "#include <cuda_pipeline.h>\n";
  const Ended right = check_source(headers + source);
  EXPECT_EQ(right.code, 0) << right.err << right.out;
  replace_first(source, wait, "");
  const Ended early = check_source(headers + source);
  expect_mistake(early, "a barrier is missing between the two, or nothing writes it.");
}

// A sum in shared memory by atomicAdd, with a barrier after it, and with one before.
TEST(KernelFile, ResultsOfAtomicOperationsNeedABarrier) {
  const auto with = [](const char* before, const char* after) {
    const std::string place = "  if (query >= length) return;\n  for (int c";
    return check_kernel(place, "  __shared__ float count;\n  if (threadIdx.x == 0) count = 0;\n" +
                                   std::string(before) + "  atomicAdd(&count, 1.0f);\n" + after +
                                   "  if (count > 100) return;\n" + place);
  };
  const char* const barrier = "  __syncthreads();\n";
  const Ended right = with(barrier, barrier);
  EXPECT_EQ(right.code, 0) << right.err << right.out;
  const std::string race = "Race: threads 0 and 1 of block (0, 0, 0) touch byte ";
  EXPECT_EQ(with(barrier, "").out.rfind("Race: threads ", 0), 0U);
  EXPECT_EQ(with("", barrier).out.rfind(race, 0), 0U);
  const Ended unset = check_kernel("  if (query >= length) return;\n  for (int c",
                                   "  __shared__ float count;\n  atomicAdd(&count, 1.0f);\n"
                                   "  if (query >= length) return;\n  for (int c");
  EXPECT_NE(unset.out.find(" of shared memory, which no thread of the block has written"),
            std::string::npos)
      << unset.out;
}

TEST(KernelFile, AccumulatorsThatNobodySets) {
  const Ended ended = check_kernel("  cudaMemset(d_k, 0, bytes);\n", "");
  expect_mistake_begins(ended,
                        "Thread 0 of block (0, 0, 0) adds to element 0 of d_k, or compares "
                        "with it, by an atomic operation, and nothing is in it yet");
  // NaN that is added to what was set is no such mistake.
  const Ended added = check_kernel("= p * (d_p - mine[1]) * scale", "= NAN");
  EXPECT_EQ(added.out.rfind("d_q[head 0][row 0][column 0] is nan, expected ", 0), 0U) << added.out;
  const auto document = document_of(check_kernel("sum[c] / l", "(0 * INFINITY)", "--json"));
  EXPECT_EQ(document["got"], "nan") << "without a sign";
}

TEST(KernelFile, MemoryOfTheHost) {
  const std::string right = "cudaMalloc(&sums, size_t(heads) * length * 2 * sizeof(float));";
  const Ended host = check_kernel(right, "sums = new float[size_t(heads) * length * 2];");
  expect_mistake_begins(host,
                        "Thread 0 of block (0, 0, 0) writes memory that is neither a tensor nor "
                        "its own, at heads 2");
  // Variables of the program are no such memory, and arguments neither.
  std::string source = read(TENSORSCOPE_OWN_ATTENTION);
  replace_first(source, "  const float scale = rsqrtf(d_head);\n  float sum",
                "  if (int(weights[threadIdx.x % 2 + 1]) < 3) return;\n"
                "  const float scale = rsqrtf(d_head);\n  float sum");
  replace_first(source, kLaunch,
                std::string("  const float host[3] = {2, 3, 4};\n"
                            "  cudaMemcpyToSymbol(weights, host, sizeof host);\n") +
                    kLaunch);
  const Ended constant = check_source("__constant__ float weights[3];\n" + source);
  EXPECT_EQ(constant.code, 0) << constant.err << constant.out;
}

TEST(KernelFile, SharedMemoryThatIsTooSmallIsCountedInBytes) {
  const Ended ended = check_kernel("2 * kTile * d_head * sizeof(float)", "8192");
  expect_mistake(ended, " writes byte 8192 of shared memory, of which the launch has 8192, at");
}

// As many as the formula knows.
TEST(KernelFile, MistakesOfSumsAndOfL) {
  const auto named = [](const char* text, const char* wrong, const char* mistake) {
    const Ended ended = check_kernel(text, wrong);
    expect_mistake(ended, mistake);
  };
  named("sum[c] = sum[c] * shrink + p", "sum[c] = sum[c] + p",
        ": as if the sums of O, unlike that of the weights, were not scaled down");
  named("l = l * shrink + p;", "l = l + p;",
        ": as if the sum of the weights, unlike those of O, were not scaled down");
  named("const float larger = fmaxf(m, s), shrink = expf(m - larger), p",
        "const float larger = fmaxf(m, s), shrink = 1, p",
        ": as if neither the sums of O nor that of the weights were scaled down");
  const std::string l = ": as if L, which the backward subtracts from scores, ";
  named("m + logf(l)", "logf(l)", (l + "were the logarithm of the sum without").c_str());
  named("m + logf(l)", "m", (l + "were the largest score without").c_str());
  named("m + logf(l)", "m + l", (l + "had the sum in place of its logarithm").c_str());
  named("m + logf(l)", "m + log2f(l)", (l + "had the logarithm to base 2").c_str());
}

TEST(KernelFile, AnAssertionIsQuoted) {
  const Ended ended = check_kernel("  if (query >= length) return;\n  for (int c",
                                   "  assert(query < length);\n  for (int c");
  expect_mistake(ended, "Assertion `query < length' failed.");
}

}  // namespace
}  // namespace ts::app::testing
