#include "core/checks/trace_checks.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/base/file_range.h"
#include "core/io/file.h"
#include "core/io/input.h"
#include "core/text/message.h"
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

trace_file::TraceFile trace_of(const std::string& events, const base::FileRange& range = {}) {
  std::string text = "{\"traceEvents\": [" + event("user_annotation", "ProfilerStep#1", 0, 100) +
                     event("user_annotation", "ProfilerStep#2", 100, 100) + events;
  text.back() = ']';
  io::Input input = io::Input::of(text + "}");
  auto file = trace_file::parse_trace(input, range);
  EXPECT_TRUE(file) << file.error().sentence;
  return file ? std::move(*file) : trace_file::TraceFile{};
}

std::vector<report::CheckResult> checks_of(const std::string& events,
                                           const base::FileRange& range = {}) {
  const trace_file::TraceFile file = trace_of(events, range);
  return of_trace(trace_file::summary_of(file), file.fault);
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

// The advice belongs to what was found.
TEST(TraceChecks, LittleCommunicationNeedsNoAdvice) {
  const auto all =
      checks_of(event("kernel", "gemm", 0, 180, kStream) +
                event("kernel", "ncclDevKernel_AllReduce_Sum_f16_RING_LL", 180, 20, kOther));
  const report::CheckResult& share = found(all, "C-10", "communication");
  EXPECT_EQ(share.state, CheckState::passed);
  EXPECT_EQ(share.found.sentence, "Communication takes 10.0 % of the time, at most 30 % is good");
  EXPECT_EQ(share.why.sentence.find("accumulate"), std::string::npos) << share.why.sentence;
}

// A fault of the file says so in a sentence with its path.
TEST(TraceChecks, APartThatWasAskedForIsComplete) {
  const trace_file::TraceSummary summary =
      trace_file::summary_of(trace_of(event("cpu_op", "aten::mm", 10, 5)));
  const auto checked = [&](const base::Message& why) {
    return found(of_trace(summary, io::read_in_part("trace.json", why)), "C-8", "recording");
  };
  using Unit = base::FileRange::Unit;
  const double end = std::numeric_limits<double>::infinity();
  for (const base::FileRange& range :
       {base::FileRange{Unit::seconds, 0.5, 2}, base::FileRange{Unit::seconds, 0.5, end},
        base::FileRange{Unit::events, 3, 7}, base::FileRange{Unit::events, 3, end}}) {
    const report::CheckResult part = checked(io::only_range(range));
    EXPECT_EQ(part.state, CheckState::passed) << part.found.sentence;
    EXPECT_TRUE(part.found.sentence.starts_with("Complete: only its ")) << part.found.sentence;
  }
  EXPECT_EQ(checked(text::message("file_error.stopped")).state, CheckState::failed);
  EXPECT_EQ(found(of_trace(summary, io::beginning_of("trace.json")), "C-8", "recording").state,
            CheckState::unknown);
}

// Kernels run for 180 of 200 us; the profiler was there 800 us longer.
TEST(TraceChecks, TheProfilersOwnWindowIsNoTime) {
  const std::string events = event("Trace", "PyTorch Profiler (0)", -500, 1000,
                                   R"("pid": "Spans", "tid": "PyTorch Profiler")") +
                             event("kernel", "gemm", 0, 180, kStream);
  EXPECT_EQ(trace_file::summary_of(trace_of(events)).span_ns, 200'000);
  const auto all = checks_of(events);
  EXPECT_NE(found(all, "C-7", "busy").found.sentence.find("90.0 %"), std::string::npos)
      << found(all, "C-7", "busy").found.sentence;
  const base::FileRange range{base::FileRange::Unit::seconds, 400e-6, 460e-6};
  EXPECT_EQ(
      trace_file::summary_of(trace_of(event("Trace", "PyTorch Profiler (0)", -500, 1000), range))
          .span_ns,
      60'000)
      << "where there is nothing else";
}

// The host of another rank is another process; its steps are the same steps.
TEST(TraceChecks, StepsOfRanksAreOneStep) {
  const std::string events =
      event("user_annotation", "ProfilerStep#1", 3, 97, R"("pid": 2, "tid": 2)") +
      event("user_annotation", "ProfilerStep#2", 103, 97, R"("pid": 2, "tid": 2)") +
      event("kernel", "gemm", 0, 180, kStream);
  const auto all = checks_of(events);
  const auto& window = found(all, "C-18", "window");
  EXPECT_NE(window.found.sentence.find("2 steps"), std::string::npos) << window.found.sentence;
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

// Two devices by turns: 100 and 60 of 200 us. A union would say 160.
TEST(TraceChecks, EachDeviceIsBusyForItself) {
  constexpr const char* kSecond = R"("pid": 1, "tid": 7, "args": {"device": 1, "stream": 7})";
  const std::string events =
      event("kernel", "a", 0, 100, kStream) + event("kernel", "b", 100, 30, kSecond) +
      event("kernel", "b", 120, 20, kSecond) + event("kernel", "b", 180, 20, kSecond);
  const auto summary = trace_file::summary_of(trace_of(events));
  ASSERT_EQ(summary.devices.size(), 2U);
  EXPECT_EQ(summary.devices[0].busy_ns(), 100'000);
  EXPECT_EQ(summary.devices[0].time.idle_ns, 0);
  EXPECT_EQ(summary.devices[1].device, 1);
  EXPECT_EQ(summary.devices[1].kernels, 3);
  EXPECT_EQ(summary.devices[1].busy_ns(), 60'000);
  EXPECT_EQ(summary.devices[1].time.idle_ns, 40'000) << "from its first kernel to its last";
  EXPECT_EQ(summary.gpu_busy_ns, 80'000);
  const auto all = checks_of(events);
  const report::CheckResult& busy = found(all, "C-7", "busy");
  EXPECT_EQ(busy.state, CheckState::failed);
  EXPECT_EQ(
      busy.found.sentence,
      "The 2 GPUs work 40.0 % of the time on average, GPU 1 the least, 30.0 %; good from 85 %");
}

// Seconds 50 to 150 us of two steps of 100 us: half of each.
TEST(TraceChecks, APartInSecondsCountsWhatLiesInIt) {
  constexpr const char* kNext = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
  const base::FileRange range{base::FileRange::Unit::seconds, 50e-6, 150e-6};
  const std::string events = event("kernel", "gemm", 0, 60, kStream) +
                             event("kernel", "gemm", 140, 60, kStream) +
                             event("user_annotation", kNext, 40, 30) +
                             event("cuda_runtime", "cudaStreamSynchronize", 60, 10);
  const auto summary = trace_file::summary_of(trace_of(events, range));
  EXPECT_EQ(summary.span_ns, 100'000);
  EXPECT_EQ(summary.gpu_busy_ns, 20'000);
  EXPECT_EQ(summary.steps_ns, 100'000);
  EXPECT_EQ(summary.loader_in_steps_ns, 20'000);
  EXPECT_EQ(summary.whole_steps, 0);
  const auto all = checks_of(events, range);
  EXPECT_NE(found(all, "C-7", "busy").found.sentence.find("20.0 %"), std::string::npos)
      << found(all, "C-7", "busy").found.sentence;
  EXPECT_EQ(found(all, "C-16", "host_reads").state, CheckState::unknown);
  EXPECT_EQ(found(all, "C-18", "window").state, CheckState::unknown);
  const auto second = checks_of(events, {base::FileRange::Unit::seconds, 100e-6});
  EXPECT_EQ(found(second, "C-16", "host_reads").state, CheckState::passed);
  EXPECT_NE(found(second, "C-18", "window").found.sentence.find("1 step is"), std::string::npos);
}

// The second kernel is not read, the step is.
TEST(TraceChecks, APartByNumbersTellsNoShareOfTime) {
  const std::string events =
      event("kernel", "gemm", 0, 60, kStream) + event("kernel", "gemm", 60, 140, kStream);
  const auto all = checks_of(events, {.to = 3});
  EXPECT_EQ(found(all, "C-7", "busy").state, CheckState::unknown);
  EXPECT_NE(found(all, "C-7", "busy").found.sentence.find("in seconds"), std::string::npos);
}

// Both ranks wait for their loader in the first half of one step, at the same time.
TEST(TraceChecks, EachProcessWaitsForItsOwnLoader) {
  constexpr const char* kNext = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
  constexpr const char* kOtherRank = R"("pid": 2, "tid": 2)";
  const auto all = checks_of(event("user_annotation", "ProfilerStep#1", 0, 200, kOtherRank) +
                             event("user_annotation", kNext, 0, 100) +
                             event("user_annotation", kNext, 0, 100, kOtherRank));
  EXPECT_NE(found(all, "C-21", "loader").found.sentence.find("50.0 %"), std::string::npos)
      << found(all, "C-21", "loader").found.sentence;
}

}  // namespace
}  // namespace ts::checks
