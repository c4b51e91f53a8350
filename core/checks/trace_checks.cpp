#include "core/checks/trace_checks.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/checks/thresholds.h"
#include "core/io/input.h"
#include "core/report/check_finding.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::checks {
namespace {

using report::CheckState;
using report::Finding;
using trace_file::TraceSummary;

Finding unknown(const char* key) {
  return {{CheckState::unknown, text::message(key)}};
}
double percent_of(std::int64_t part, std::int64_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

// The mean of several devices counts, and the one that is busy least is named.
Finding busy(const TraceSummary& trace) {
  if (trace.gpu_busy_ns <= 0 || trace.span_ns <= 0) return unknown("check.trace.no_kernels");
  if (trace.by_number) return unknown("check.trace.by_number");
  const double percent = percent_of(trace.gpu_busy_ns, trace.span_ns);
  const CheckState state = report::passed_if(
      percent >= kGoodBusy, percent >= kPoorBusy ? CheckState::noted : CheckState::failed);
  const std::string share = text::decimal(percent, 1);
  const std::string least = text::decimal(kGoodBusy, 0);
  if (trace.devices.size() == 1)
    return {{state, text::message("check.trace.busy", {{"percent", share}, {"least", least}})}};
  const trace_file::DeviceBusy& idlest =
      *std::ranges::min_element(trace.devices, {}, &trace_file::DeviceBusy::busy_ns);
  return {{state,
           text::message("check.busy_mean",
                         {{"count", std::to_string(trace.devices.size())},
                          {"percent", share},
                          {"lowest", text::decimal(percent_of(idlest.busy_ns(), trace.span_ns), 1)},
                          {"device", std::to_string(idlest.device)},
                          {"least", least}})}};
}

Finding complete(const TraceSummary& trace, const base::Message& fault) {
  if (io::is_beginning(fault)) return {{CheckState::unknown, fault}};
  const std::optional<base::Message> asked = io::asked_range(fault);
  if (!fault.empty() && !asked) return {{CheckState::failed, fault}};
  if (trace.nameless > 0) {
    const auto count = static_cast<std::int64_t>(trace.nameless);
    return {
        {CheckState::failed, text::message("check.recording", {{"count", text::grouped(count)}})}};
  }
  if (asked)
    return {{CheckState::passed,
             text::message("check.trace.part", {text::argument("reason", *asked)})}};
  return {{CheckState::passed, text::message("check.trace.complete")}};
}

Finding communication(const TraceSummary& trace) {
  if (trace.collective_ns <= 0 || trace.span_ns <= 0) return unknown("check.trace.no_collectives");
  if (trace.by_number) return unknown("check.trace.by_number");
  return communication_share(percent_of(trace.collective_ns, trace.span_ns));
}

Finding overlap(const TraceSummary& trace) {
  if (trace.collective_ns <= 0) return unknown("check.trace.no_collectives");
  if (trace.by_number) return unknown("check.trace.by_number");
  return overlap_share(percent_of(trace.hidden_collective_ns, trace.collective_ns));
}

// Outside of steps the profiler itself waits.
Finding waits(const TraceSummary& trace) {
  if (trace.gpu_busy_ns <= 0 || trace.steps.empty()) return unknown("check.trace.no_gpu_steps");
  if (trace.by_number) return unknown("check.trace.by_number");
  if (trace.whole_steps == 0) return unknown("check.trace.no_whole_step");
  const double calls =
      static_cast<double>(trace.waits_in_steps) / static_cast<double>(trace.whole_steps);
  return {{report::passed_if(trace.waits_in_steps == 0),
           text::message("check.trace.waits", {{"count", text::decimal(calls, 1)}})}};
}

Finding steps(const TraceSummary& trace) {
  if (trace.steps.empty()) return unknown("check.trace.no_steps");
  if (trace.whole_steps == 0) return unknown("check.trace.no_whole_step");
  return {{CheckState::passed,
           text::message("check.window", {{"steps", std::to_string(trace.steps_of_one)}})}};
}

Finding loader(const TraceSummary& trace) {
  if (trace.loader_calls == 0 || trace.steps_ns <= 0) return unknown("check.trace.no_loader");
  if (trace.by_number) return unknown("check.trace.by_number");
  return loader_share(percent_of(trace.loader_in_steps_ns, trace.steps_ns));
}

}  // namespace

std::vector<report::CheckResult> of_trace(const TraceSummary& summary, const base::Message& fault) {
  std::vector<report::CheckResult> all;
  const auto add = [&](const char* id, const char* why, Finding found,
                       const char* title = nullptr) {
    all.push_back({.id = id,
                   .state = found->first,
                   .found = std::move(found->second),
                   .why = text::message(why),
                   .title = title == nullptr ? report::title_of_check(id) : text::message(title)});
  };
  add("C-7", "check.why.busy", busy(summary));
  add("C-8", "check.why.recording", complete(summary, fault));
  add("C-10", "check.why.communication", communication(summary));
  add("C-16", "check.why.overlap", overlap(summary), "check.trace.title.overlap");
  add("C-16", "check.why.host_reads", waits(summary), "check.trace.title.waits");
  add("C-18", "check.why.window", steps(summary));
  add("C-21", "check.why.loader", loader(summary));
  return all;
}

}  // namespace ts::checks
