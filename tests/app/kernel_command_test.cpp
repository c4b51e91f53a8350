// `tensorscope kernel`: a right kernel passes, and each mistake is named in one sentence.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/app/program.h"

namespace ts::app::testing {
namespace {

// The right kernel with one text in place of another.
Ended check_kernel(const std::string& text, const std::string& wrong,
                   const std::string& options = "") {
  const TemporaryFolder folder;
  std::string source = read(TENSORSCOPE_OWN_ATTENTION);
  const auto place = source.find(text);
  EXPECT_NE(place, std::string::npos) << text;
  source.replace(place, text.size(), wrong);
  const auto file = folder.path() / "mine.cu";
  std::ofstream(file) << "#include <cuda_runtime.h>\n" << source;
  return run_program("kernel " + file.string() + " --check attention " + options);
}

TEST(KernelCommand, ARightKernelPasses) {
  const Ended ended = check_kernel("", "");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out,
            "Correct: values and gradients at 8 sizes, no race and no access outside.\n");
  const Ended narrow = check_kernel("", "", "--d-head 24 --json");
  EXPECT_EQ(narrow.code, 0) << narrow.err << narrow.out;
  EXPECT_EQ(document_of(narrow)["passed"], true);
}

TEST(KernelCommand, AMissingBarrier) {
  const Ended ended = check_kernel("    __syncthreads();\n  }", "  }");
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_EQ(ended.out.rfind("Race: threads ", 0), 0U) << ended.out;
  EXPECT_NE(ended.out.find("of shared memory with no barrier between"), std::string::npos)
      << ended.out;
}

TEST(KernelCommand, AWrongScale) {
  const Ended ended = check_kernel("scale = rsqrtf(d_head)", "scale = 1.0f / d_head");
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_NE(ended.out.find("as if scores were divided by d_head instead of sqrt(d_head)."),
            std::string::npos)
      << ended.out;
}

TEST(KernelCommand, AWrongIndex) {
  const Ended value = check_kernel("p * values[i * d_head + c]", "p * values[c * kTile + i]");
  EXPECT_EQ(value.code, 1) << value.err;
  EXPECT_EQ(value.out.rfind("o[head 0][row 0][column ", 0), 0U) << value.out;
  EXPECT_NE(value.out.find("; thread 0 of block (0, 0, 0) wrote it, at heads 2, T 64, d_head 64."),
            std::string::npos)
      << value.out;
  const Ended outside =
      check_kernel("const bool inside = j + threadIdx.x < length;", "const bool inside = true;");
  EXPECT_EQ(outside.code, 1) << outside.err;
  EXPECT_NE(outside.out.find(" reads element 12800 of k, which has 12800, at heads 2, T 100"),
            std::string::npos)
      << outside.out;
}

TEST(KernelCommand, AWrongGradient) {
  const Ended ended = check_kernel("(d_p - mine[1]) * scale", "(d_p - mine[1])");
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_EQ(ended.out.rfind("d_q[head 0][row 0]", 0), 0U) << ended.out;
}

TEST(KernelCommand, AnAccessThatEndsTheProgram) {
  const Ended ended = check_kernel("  const dim3 blocks((length + kTile",
                                   "  *(float*)8 = 1;\n  const dim3 blocks((length + kTile");
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_EQ(ended.out.rfind("The program ended with code 139", 0), 0U) << ended.out;
}

TEST(KernelCommand, PlainCpp) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "mine.cpp";
  std::ofstream(file)
      << "void attention(const float*, const float*, const float*, float* o, int, int, "
         "int, bool) { o[0] = 1; }\n";
  const Ended ended = run_program("kernel " + file.string() + " --check attention");
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_EQ(ended.out.rfind("o[head 0][row 0][column 0] is 1, expected ", 0), 0U) << ended.out;
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
  EXPECT_EQ(document["rows"].size(), 10U);
  for (const auto& row : document["rows"]) {
    EXPECT_NE(row[3], "0") << row;
    EXPECT_NE(row[7], "does not fit") << row;
  }
}

}  // namespace
}  // namespace ts::app::testing
