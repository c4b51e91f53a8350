// `tensorscope kernel`: a right kernel passes, and each mistake is named in one sentence.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/app/own_kernel.h"

namespace ts::app::testing {
namespace {

TEST(KernelCommand, ARightKernelPasses) {
  const TemporaryFolder cache;
  const auto check = [&] {
    const Ended ended = run_program("kernel " TENSORSCOPE_OWN_ATTENTION " --check attention",
                                    "XDG_CACHE_HOME=" + cache.path().string());
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(ended.out,
              "Correct: values and gradients at 11 sizes, no race and no access outside.\n");
  };
  check();
  const auto kept = std::filesystem::directory_iterator(cache.path() / "tensorscope/kernel_check");
  const auto executor = kept->path();
  const std::string object = read(executor);
  std::ofstream(executor) << object.substr(0, object.size() / 2);
  check();  // a damaged one is made again
  EXPECT_TRUE(read(executor) == object);
  const Ended narrow = check_kernel("", "", "--d-head 24 --json");
  EXPECT_EQ(narrow.code, 0) << narrow.err << narrow.out;
  EXPECT_EQ(document_of(narrow)["passed"], true);
}

TEST(KernelCommand, AMissingBarrier) {
  const Ended ended = check_kernel("    __syncthreads();\n  }", "  }");
  expect_mistake_begins(ended, "Race: threads ");
  EXPECT_NE(ended.out.find("of shared memory with no barrier between"), std::string::npos)
      << ended.out;
}

// The barrier between the writes of a tile and its reads: the first thread reads too early.
TEST(KernelCommand, AMissingBarrierBeforeReading) {
  const Ended ended = check_kernel("    __syncthreads();\n    for (int i", "    for (int i");
  expect_mistake(ended, "a barrier is missing between the two, or nothing writes it.");
}

TEST(KernelCommand, AWrongScale) {
  const Ended ended = check_kernel("scale = rsqrtf(d_head)", "scale = 1.0f / d_head");
  expect_mistake(ended, "as if scores were divided by d_head instead of sqrt(d_head).");
}

// Small scores hide it: their exponentials fit fp32.
TEST(KernelCommand, NoMaximum) {
  const std::string as_if = ": as if the largest score of a row were not subtracted before the";
  const Ended none = check_kernel("const float larger = fmaxf(m, s), shrink = expf(m - larger), p",
                                  "const float larger = 0, shrink = 1, p");
  expect_mistake_begins(none, "o[head 0][row 0][column 0] is nan, expected ");
  EXPECT_NE(none.out.find("T 80, d_head 64, scores about 120" + as_if), std::string::npos)
      << none.out;
  // Where all scores are far below, the largest number that was seen is the first one.
  const Ended zero =
      check_kernel("l = 0, m = -INFINITY;\n  for (int j", "l = 0, m = 0;\n  for (int j");
  expect_mistake(zero, "T 80, d_head 64, causal, scores about -120" + as_if);
  // In the backward, whose exponentials are made again.
  const Ended backward =
      check_kernel("const float p = expf(s - mine[0])", "const float p = expf(s) / expf(mine[0])");
  expect_mistake_begins(backward, "d_q[head 0][row 0][column 0] is ");
  EXPECT_NE(backward.out.find(as_if), std::string::npos) << backward.out;
}

TEST(KernelCommand, MistakesThatTheirValuesTell) {
  const auto looks_like = [](const std::string& text, const std::string& wrong,
                             const std::string& mistake) {
    const Ended ended = check_kernel(text, wrong);
    expect_mistake(ended, ": as if " + mistake + ".");
  };
  looks_like("j + i > query)", "j + i > query + 1)", "a query saw the key after its own, too");
  looks_like("j + i > query)", "j + i >= query)", "a query did not see its own key");
  looks_like("p * (d_p - mine[1]) * scale", "p * (d_p - mine[1])",
             "the gradient of the scores were not multiplied by 1 / sqrt(d_head)");
  looks_like("p * (d_p - mine[1]) * scale", "p * d_p * scale",
             "D, the sum of dO times O over a row, were not subtracted from dP");
  looks_like("sum[c] / l;", "sum[c];", "weights were not divided by their sum");
  looks_like("j + i >= length || (causal", "(causal",
             "the last tile were filled up with keys of zeros that count as keys");
  looks_like("for (int j = 0; j < length; j += kTile)",
             "for (int j = 0; j < length / kTile * kTile || j == 0; j += kTile)",
             "keys after the last whole tile were left out");
}

// As files of CUDA are often written.
TEST(KernelCommand, WordsOfUsualFiles) {
  const std::string tiles = "extern __shared__ float tiles[];";
  const auto passes = [](const Ended& ended) {
    EXPECT_EQ(ended.code, 0) << ended.err << ended.out;
  };
  passes(
      check_kernel(tiles,
                   "extern __shared__ __align__(16) unsigned char raw[];\n"
                   "  __shared__ alignas(16) float once[4];\n  if (threadIdx.x == 0) once[0] = 0;\n"
                   "  float* tiles = reinterpret_cast<float*>(raw);"));
  passes(check_kernel(tiles, "extern __shared__ alignas(16) float tiles[];"));
  const std::string launch = "  forward<<<blocks, kTile, 2 * kTile * d_head * sizeof(float)>>>(";
  passes(check_kernel(launch,
                      "  cudaStream_t stream;\n  cudaStreamCreate(&stream);\n"
                      "  cudaMemsetAsync(o, 0, sizeof(float), stream);\n"
                      "  forward<<<blocks, kTile, 2 * kTile * d_head * sizeof(float), stream>>>("));
  const TemporaryFolder folder;
  const auto file = folder.path() / "mine.cu";
  std::ofstream(file) << "\xEF\xBB\xBF" << read(TENSORSCOPE_OWN_ATTENTION);
  passes(run_kept("kernel " + file.string() + " --check attention"));
}

TEST(KernelCommand, WordsThatAreNotKnown) {
  const std::string place = "__global__ void forward(";
  for (const char* words :
       {"#include <cuda_fp16.h>\n__device__ __half one;\n",
        "#include <cuda_bf16.h>\n__device__ __nv_bfloat16 one;\n",
        "#include <cooperative_groups.h>\n"
        "__device__ void all() { cooperative_groups::this_grid().sync(); }\n",
        "__device__ void twice(float& x) { asm(\"add.f32 %0, %0, %0;\" : \"+f\"(x)); }\n"}) {
    const Ended ended = check_kernel(place, words + place);
    EXPECT_EQ(ended.code, 2) << ended.out;
    EXPECT_NE(ended.err.find("for half types, tensor cores, groups of the grid or of coalesced "
                             "threads and inline PTX are not known here: mine.cu:"),
              std::string::npos)
        << ended.err;
  }
}

TEST(KernelCommand, AWrongIndex) {
  const Ended value = check_kernel("p * values[i * d_head + c]", "p * values[c * kTile + i]");
  expect_mistake_begins(value, "o[head 0][row 0][column ");
  EXPECT_NE(value.out.find("; thread 0 of block (0, 0, 0) wrote it, at heads 2, T 64, d_head 64."),
            std::string::npos)
      << value.out;
  const Ended outside =
      check_kernel("const bool inside = j + threadIdx.x < length;", "const bool inside = true;");
  expect_mistake(outside, " reads element 12800 of k, which has 12800, at heads 2, T 100");
}

// Atomic operations are no accesses that race, but they have a place.
TEST(KernelCommand, AnAtomicOutside) {
  const std::string right = "atomicAdd(&d_v[head + j * d_head + c]";
  const Ended past = check_kernel(right, "atomicAdd(&d_v[head + (j + 1) * d_head + c]");
  expect_mistake_begins(past,
                        "Thread 0 of block (0, 1, 0) writes element 8192 of d_v, which has 8192");
  const Ended before = check_kernel(right, "atomicAdd(&d_v[head + j * d_head + c - 1]");
  EXPECT_NE(before.out.find(" writes element -1 of d_v, which has 8192, at heads 2"),
            std::string::npos)
      << before.out;
  const Ended input = check_kernel(right, "atomicAdd((float*)&v[head + j * d_head + c]");
  EXPECT_NE(input.out.find(" writes element 0 of v, which is an input"), std::string::npos)
      << input.out;
  // 8 GiB further, where no tensor is near.
  const Ended far = check_kernel(right, "atomicAdd(&d_v[(1l << 31) + c]");
  expect_mistake(far, " far outside of every tensor, at heads 2");
  const Ended null = check_kernel("d_p += d_o[row + c]", "d_p += ((float*)nullptr)[c]");
  EXPECT_EQ(null.out.rfind("Thread 0 of block (0, 0, 0) reads far outside of every tensor", 0), 0U)
      << null.out;
}

// Each alone would do; nvcc takes 48 KiB of both.
TEST(KernelCommand, MoreStaticSharedMemoryThanNvccTakes) {
  const std::string place = "  const float scale = rsqrtf(d_head);\n  float l = 0,";
  const auto with = [&](int floats) {
    const std::string size = std::to_string(floats);
    return check_kernel(place, "  __shared__ float a[" + size + "];\n  __shared__ float b[" + size +
                                   "];\n  a[threadIdx.x] = b[threadIdx.x] = 1;\n"
                                   "  if (length < 0) d_q[0] = a[-length] + b[-length];\n" +
                                   place);
  };
  const Ended most = with(6144);
  EXPECT_EQ(most.code, 0) << most.err << most.out;
  const Ended more = with(6145);
  expect_mistake_begins(more,
                        "backward has 49,160 bytes of __shared__ variables, and nvcc compiles at "
                        "most 49,152 (48 KiB)");
}

// 48 KiB hold both, the variables of the kernel and the bytes of the launch.
TEST(KernelCommand, SharedMemoryOfVariablesAndOfTheLaunchTogether) {
  const std::string place = "  const float scale = rsqrtf(d_head);\n  float l = 0,";
  const auto with = [&](const std::string& launch) {
    std::string source = read(TENSORSCOPE_OWN_ATTENTION);
    replace_first(source, place,
                  "  __shared__ float a[6144];\n  a[threadIdx.x] = 1;\n"
                  "  if (length < 0) d_q[0] = a[-length];\n" +
                      place);
    const std::string old = "  backward<<<blocks, 64>>>(";
    for (int i = 0; i < 2; ++i) replace_first(source, old, launch);
    return check_source(source);
  };
  const Ended most = with("  backward<<<blocks, 64, 24576>>>(");
  EXPECT_EQ(most.code, 0) << most.err << most.out;
  const Ended more = with("  backward<<<blocks, 64, 24592>>>(");
  expect_mistake_begins(more,
                        "A block asks for 49168 bytes of shared memory: above 48 KiB the kernel "
                        "needs cudaFuncSetAttribute");
  const Ended asked = with(
      "  cudaFuncSetAttribute(backward, cudaFuncAttributeMaxDynamicSharedMemorySize, 24592);\n"
      "  backward<<<blocks, 64, 24592>>>(");
  EXPECT_EQ(asked.code, 0) << asked.err << asked.out;
}

// The line of the file and both lists of arguments, whatever the compiler says of our headers.
TEST(KernelCommand, OtherArguments) {
  const std::string right = "attention(const float* q, const float* k, const float* v, float* o,";
  const auto refused = [&](const std::string& arguments) {
    const Ended ended = check_kernel(right + " int heads", "attention(" + arguments + " int heads");
    EXPECT_EQ(ended.code, 2) << ended.out;
    EXPECT_NE(ended.err.find("attention has the arguments (" + arguments +
                             " int heads, int "
                             "length, int d_head, bool causal), and (const float* q, const float* "
                             "k, const float* v, float* o, int heads, int length, int d_head, "
                             "bool causal) are expected."),
              std::string::npos)
        << ended.err;
    EXPECT_EQ(ended.err.find("on_cpu.h"), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find(": mine.cu:37: "), std::string::npos) << ended.err;
  };
  refused("const double* q, const double* k, const double* v, double* o,");
  refused("const __half* q, const __half* k, const __half* v, __half* o,");
  // A kernel's arguments: the line that launches it.
  const Ended launch = check_kernel("forward(const float* q, const float* k",
                                    "forward(const double* q, const float* k");
  EXPECT_EQ(launch.code, 2) << launch.out;
  EXPECT_EQ(launch.err.rfind("tensorscope: The file does not compile: mine.cu:40:", 0), 0U)
      << launch.err;
  EXPECT_NE(launch.err.find("cannot convert"), std::string::npos) << launch.err;
}

TEST(KernelCommand, AWrongGradient) {
  const Ended ended = check_kernel("(d_p - mine[1]) * scale", "(d_p - mine[1])");
  expect_mistake_begins(ended, "d_q[head 0][row 0]");
}

TEST(KernelCommand, AnAccessThatEndsTheProgram) {
  const Ended ended = check_kernel("  const dim3 blocks((length + kTile",
                                   "  *(float*)8 = 1;\n  const dim3 blocks((length + kTile");
  expect_mistake_begins(ended, "The program ended with code 139");
}

// An allocation that fails throws, and nothing catches it.
TEST(KernelCommand, MoreMemoryThanItMayHave) {
  const std::string place = "  const dim3 blocks((length + kTile";
  const Ended ended =
      check_kernel(place, "  delete[] (new char[size_t(length) << 28]());\n" + place);
  expect_mistake_begins(ended, "The program ended with code 134 before it had a result");
  EXPECT_NE(ended.out.find("134 for abort(), in which an exception and more than 4 GiB of memory "
                           "end, too."),
            std::string::npos)
      << ended.out;
}

TEST(KernelCommand, PlainCpp) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "mine.cpp";
  std::ofstream(file)
      << "void attention(const float*, const float*, const float*, float* o, int, int, "
         "int, bool) { o[0] = 1; }\n";
  const Ended ended = run_kept("kernel " + file.string() + " --check attention");
  expect_mistake_begins(ended, "o[head 0][row 0][column 0] is 1, expected ");
}

// Plain C++: the tensor, the element and the side are named; nothing is claimed of races.
const char* const kLoops = R"(#include <atomic>
#include <cmath>
#ifdef __AVX__
#include <immintrin.h>
__m256 eight() { return _mm256_set1_ps(1); }
#endif
#include <iostream>
#include <vector>
std::atomic<int> calls;
void attention(const float* q, const float* k, const float* v, float* o, int heads, int length,
               int d, bool causal) {
  calls.fetch_add(1);
  std::vector<double> p(length);
  for (int h = 0; h < heads; ++h) {
    const float *qh = q + h * length * d, *kh = k + h * length * d, *vh = v + h * length * d;
    for (int i = 0; i < length; ++i) {
      const int seen = causal ? i + 1 : length;
      double sum = 0;
      for (int j = 0; j < seen; ++j) {
        double s = 0;
        for (int c = 0; c < d; ++c) s += double(qh[i * d + c]) * kh[j * d + c];
        sum += p[j] = std::exp(s / std::sqrt(double(d)));
      }
      for (int c = 0; c < d; ++c) {
        double x = 0;
        for (int j = 0; j < seen; ++j) x += p[j] * vh[j * d + c];
        o[(h * length + i) * d + c] = float(x / sum);
      }
    }
  }
  // END
}
)";

TEST(KernelCommand, WhatPlainCppTouches) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "mine.cpp";
  const auto checked = [&](const std::string& end) {
    std::string source = kLoops;
    source.replace(source.find("// END"), 6, end);
    std::ofstream(file) << source;
    return run_kept("kernel " + file.string() + " --check attention").out;
  };
  EXPECT_EQ(
      checked("").rfind("Correct: values at 11 sizes, no access outside of the tensors. Races of "
                        "threads are not looked for",
                        0),
      0U);
  EXPECT_EQ(checked("o[heads * length * d] = 1;")
                .rfind("Element 8192 of o, which has 8192, is written, at heads 2", 0),
            0U);
  EXPECT_EQ(checked("o[0] += v[heads * length * d];")
                .rfind("Element 8192 of v, which has 8192, is read, at heads 2", 0),
            0U);
  EXPECT_EQ(checked("const_cast<float*>(k)[3] = 1;")
                .rfind("Element 3 of k, which is an input, is written, at heads 2", 0),
            0U);
}

// Past the smallest lengths; what a card would refuse; memory that nobody has set.
TEST(KernelCommand, MistakesThatShowLater) {
  const Ended cut = check_kernel("j < length;", "j < (length < 128 ? length : 128);");
  expect_mistake(cut, "T 272");
  const Ended other =
      check_kernel("extern \"C\" void attention_backward(", "void attention_backward(int more, ");
  expect_mistake_begins(other,
                        "Values are correct, but gradients cannot be checked: mine.cu:81: "
                        "attention_backward has the arguments (int more, const float* q");
  const Ended none = check_kernel("void attention(", "void attend(");
  EXPECT_EQ(none.code, 2) << none.out;
  EXPECT_NE(none.err.find("does not define attention("), std::string::npos) << none.err;
}

// Plain loops: right, timed beside ours and PyTorch's; a mistake in them is named and not timed.
TEST(KernelCommand, ARightKernelInCppIsTimed) {
  const std::string source = kLoops;
  const TemporaryFolder folder;
  const auto file = folder.path() / "mine.cpp";
  std::ofstream(file) << source;
  const std::string command = "kernel " + file.string() + " --check attention --d-head 16 --time";
  const Ended ended = run_kept(command + " --json");
  ASSERT_EQ(ended.code, 0) << ended.err << ended.out;
  const auto document = document_of(ended);
  EXPECT_EQ(document["passed"], true);
  if (document.contains("seconds")) {  // else LibTorch is not here, and it says so
    for (const auto& one : document["seconds"]["this_kernel"]) EXPECT_GT(one.get<double>(), 0);
    EXPECT_GT(document["seconds"]["ours"].get<double>(), 0);
    EXPECT_GT(document["seconds"]["flash"].get<double>(), 0);
    EXPECT_TRUE(document["seconds"]["backward"].is_null()) << "the file has none";
  } else {
    EXPECT_FALSE(document["not_timed"].get<std::string>().empty());
  }
  std::string wrong = source;
  const std::string index = "kh[j * d + c]";
  wrong.replace(wrong.find(index), index.size(), "kh[(j + 1) % length * d + c]");
  std::ofstream(file) << wrong;
  const Ended named = run_kept(command);
  expect_mistake_begins(named, "o[head 0][row 0][column ");
  EXPECT_EQ(named.out.find("on one thread"), std::string::npos) << named.out;
}

// The gradients in loops, from the formula.
const char* const kBackwardLoops = R"(
void attention_backward(const float* q, const float* k, const float* v, const float* d_o,
                        float* d_q, float* d_k, float* d_v, int heads, int length, int d,
                        bool causal) {
  const int count = heads * length * d;
  for (int i = 0; i < count; ++i) d_q[i] = d_k[i] = d_v[i] = 0;
  std::vector<double> p(length), d_p(length);
  const double scale = 1 / std::sqrt(double(d));
  for (int h = 0; h < heads; ++h) {
    const int head = h * length * d;
    for (int i = 0; i < length; ++i) {
      const int row = head + i * d, seen = causal ? i + 1 : length;
      double sum = 0, mean = 0;
      for (int j = 0; j < seen; ++j) {
        double s = 0;
        d_p[j] = 0;
        for (int c = 0; c < d; ++c) {
          s += double(q[row + c]) * k[head + j * d + c];
          d_p[j] += double(d_o[row + c]) * v[head + j * d + c];
        }
        sum += p[j] = std::exp(scale * s);
      }
      for (int j = 0; j < seen; ++j) mean += (p[j] /= sum) * d_p[j];
      for (int j = 0; j < seen; ++j) {
        const double d_s = scale * p[j] * (d_p[j] - mean);
        for (int c = 0; c < d; ++c) {
          d_q[row + c] += float(d_s * k[head + j * d + c]);
          d_k[head + j * d + c] += float(d_s * q[row + c]);
          d_v[head + j * d + c] += float(p[j] * d_o[row + c]);
        }
      }
    }
  }
}
)";

TEST(KernelCommand, ABackwardInCppIsTimed) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "mine.cpp";
  std::ofstream(file) << kLoops << kBackwardLoops;
  const std::string command = "kernel " + file.string() + " --check attention --d-head 16 --time";
  const Ended ended = run_kept(command + " --json");
  ASSERT_EQ(ended.code, 0) << ended.err << ended.out;
  const auto document = document_of(ended);
  if (!document.contains("seconds")) GTEST_SKIP() << document["not_timed"];
  const auto& backward = document["seconds"]["backward"];
  ASSERT_TRUE(backward.is_object()) << ended.out;
  for (const auto& one : backward["this_kernel"]) EXPECT_GT(one.get<double>(), 0);
  EXPECT_GT(backward["ours"].get<double>(), 0);
  EXPECT_GT(backward["flash"].get<double>(), 0);
  const std::string said = run_kept(command).out;
  EXPECT_NE(said.find("\nForward of 4 heads, T 512, d_head 16"), std::string::npos) << said;
  EXPECT_NE(said.find("\nBackward of 4 heads, T 512, d_head 16"), std::string::npos) << said;
}

TEST(KernelCommand, CudaIsNotTimedOnTheProcessor) {
  const Ended ended = check_kernel("", "", "--time");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("Not timed: a kernel in CUDA C++ needs a GPU"), std::string::npos)
      << ended.out;
}

TEST(KernelCommand, WhatDoesNotCompile) {
  const Ended syntax = check_kernel("const float scale", "const flot scale");
  EXPECT_EQ(syntax.code, 2);
  EXPECT_EQ(syntax.err.rfind("tensorscope: The file does not compile: mine.cu:12:", 0), 0U)
      << syntax.err;
  EXPECT_EQ(run_program("kernel /no/such.cu --check attention").code, 2);
  EXPECT_EQ(run_program("kernel mine.cu --check convolution").code, 2);
}

TEST(KernelCommand, StagesOnACard) {
  const Ended ended = run_program("kernel --stages --gpu a100 --json");
  EXPECT_EQ(ended.code, 2);  // three cards begin so
  EXPECT_EQ(run_program("kernel").code, 2);
  const Ended table = run_program("kernel --stages --gpu h200 --causal --json");
  if (table.code == 1) {  // built without nvcc: it says so
    EXPECT_NE(table.err.find("built without nvcc"), std::string::npos) << table.err;
    return;
  }
  EXPECT_EQ(table.code, 0) << table.err;
  const auto document = document_of(table);
  EXPECT_EQ(document["rows"].size(), 13U);
  EXPECT_EQ(document["operators"].size(), 13U);
  ASSERT_EQ(document["remarks"].size(), 1U);
  EXPECT_NE(document["remarks"][0].get<std::string>().find("the engine does not choose it"),
            std::string::npos);
  for (const auto& row : document["rows"]) {
    EXPECT_NE(row[3], "0") << row;
    EXPECT_NE(row[7], "does not fit") << row;
  }
}

}  // namespace
}  // namespace ts::app::testing
