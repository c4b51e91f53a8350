#include "core/checks/trace_checks.h"

#include <gtest/gtest.h>

#include <string>

#include "core/trace_file/trace_read.h"

namespace ts::checks {
namespace {

using report::CheckState;

// Two steps of 100 us each; times in microseconds.
std::string event(const char* category, const char* name, int begin, int duration,
                  const char* more = "\"pid\": 1, \"tid\": 1") {
  return std::string("{\"ph\": \"X\", \"cat\": \"") + category + "\", \"name\": \"" + name +
         "\", \"ts\": " + std::to_string(begin) + ", \"dur\": " + std::to_string(duration) + ", " +
         more + "},";
}
constexpr const char* kStream = R"("pid": 0, "tid": 7, "args": {"device": 0, "stream": 7})";
constexpr const char* kOther = R"("pid": 0, "tid": 9, "args": {"device": 0, "stream": 9})";

std::vector<report::CheckResult> checks_of(const std::string& events) {
  std::string text = "{\"traceEvents\": [" + event("user_annotation", "ProfilerStep#1", 0, 100) +
                     event("user_annotation", "ProfilerStep#2", 100, 100) + events;
  text.back() = ']';
  const auto file = trace_file::parse_trace(text + "}");
  EXPECT_TRUE(file) << file.error().sentence;
  return of_trace(trace_file::summary_of(*file), file->fault);
}

// The result with that id and this reason.
const report::CheckResult& found(const std::vector<report::CheckResult>& all, std::string_view id,
                                 std::string_view why) {
  for (const report::CheckResult& one : all) {
    if (one.id == id && one.why.key == "check.why." + std::string(why)) return one;
  }
  ADD_FAILURE() << id << " is missing";
  return all.front();
}

TEST(TraceChecks, ATraceOfACpuTellsOnlyThatItIsComplete) {
  const auto all = checks_of(event("cpu_op", "aten::mm", 10, 5));
  EXPECT_EQ(found(all, "C-7", "busy").state, CheckState::unknown);
  EXPECT_EQ(found(all, "C-8", "recording").state, CheckState::passed);
  EXPECT_EQ(found(all, "C-10", "communication").state, CheckState::unknown);
  EXPECT_EQ(found(all, "C-16", "overlap").state, CheckState::unknown);
  EXPECT_EQ(found(all, "C-16", "host_reads").state, CheckState::unknown);
  EXPECT_EQ(found(all, "C-18", "window").state, CheckState::passed);
  EXPECT_EQ(found(all, "C-21", "loader").state, CheckState::unknown);
}

// Kernels run for 180 of 200 us: 130 of products, 100 of a collective, of which 50 are beside them.
TEST(TraceChecks, CollectivesAreTakenFromTheirKernels) {
  const auto all =
      checks_of(event("kernel", "gemm", 0, 130, kStream) +
                event("kernel", "ncclDevKernel_AllReduce_Sum_f16_RING_LL", 80, 100, kOther));
  EXPECT_EQ(found(all, "C-7", "busy").state, CheckState::passed);
  EXPECT_NE(found(all, "C-7", "busy").found.sentence.find("90.0 %"), std::string::npos);
  EXPECT_EQ(found(all, "C-10", "communication").state, CheckState::failed);
  EXPECT_NE(found(all, "C-10", "communication").found.sentence.find("50.0 %"), std::string::npos);
  EXPECT_NE(found(all, "C-10", "communication").found.sentence.find("accumulate 8"),
            std::string::npos);
  EXPECT_EQ(found(all, "C-16", "overlap").state, CheckState::passed);
  EXPECT_NE(found(all, "C-16", "overlap").found.sentence.find("50.0 %"), std::string::npos);
  EXPECT_EQ(found(all, "C-16", "host_reads").state, CheckState::passed);
}

// The profiler's own wait after the last step does not count.
TEST(TraceChecks, WaitsOfTheHostAreCountedInSteps) {
  const auto all = checks_of(event("kernel", "gemm", 0, 130, kStream) +
                             event("cuda_runtime", "cudaStreamSynchronize", 50, 10) +
                             event("cuda_runtime", "cudaStreamSynchronize", 150, 10) +
                             event("cuda_runtime", "cudaDeviceSynchronize", 160, 10) +
                             event("cuda_runtime", "cudaDeviceSynchronize", 205, 10));
  const auto& waits = found(all, "C-16", "host_reads");
  EXPECT_EQ(waits.state, CheckState::failed);
  EXPECT_NE(waits.found.sentence.find("1.5 times"), std::string::npos) << waits.found.sentence;
}

TEST(TraceChecks, TheLoaderIsTakenFromItsAnnotations) {
  constexpr const char* kNext = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
  const auto slow =
      checks_of(event("user_annotation", kNext, 0, 12) + event("cpu_op", kNext, 100, 12) +
                event("user_annotation", kNext, 300, 50));
  EXPECT_EQ(found(slow, "C-21", "loader").state, CheckState::failed);
  EXPECT_NE(found(slow, "C-21", "loader").found.sentence.find("12.0 %"), std::string::npos)
      << found(slow, "C-21", "loader").found.sentence;
  const auto quick = checks_of(event("user_annotation", kNext, 0, 4));
  EXPECT_EQ(found(quick, "C-21", "loader").state, CheckState::passed);
}

}  // namespace
}  // namespace ts::checks
