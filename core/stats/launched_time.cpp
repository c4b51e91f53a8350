#include "core/stats/launched_time.h"

#include <algorithm>

#include "core/trace/each_slice.h"

namespace ts::stats {
namespace {

constexpr std::uint32_t kNone = OperatorCall::kNoParent;

// The calls of one track are neighbours, by begin.
class OpenCalls {
 public:
  explicit OpenCalls(std::span<const OperatorCall> calls) : calls_(calls) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (i == 0 || calls[i].track != calls[i - 1].track) first_.push_back(i);
    }
    first_.push_back(calls.size());
  }

  // The innermost call that is open at a time; of several tracks the one that began last.
  [[nodiscard]] std::uint32_t at(std::int64_t time_ns) const {
    std::uint32_t last = kNone;
    for (std::size_t track = 0; track + 1 < first_.size(); ++track) {
      const std::uint32_t open = open_on(track, time_ns);
      if (open == kNone) continue;
      if (last == kNone || begin_of(open) > begin_of(last)) last = open;
    }
    return last;
  }

 private:
  [[nodiscard]] std::int64_t begin_of(std::uint32_t call) const {
    return calls_[call].slice.begin_ns;
  }
  [[nodiscard]] std::uint32_t open_on(std::size_t track, std::int64_t time_ns) const {
    const auto of_track = calls_.subspan(first_[track], first_[track + 1] - first_[track]);
    const auto after = std::ranges::upper_bound(
        of_track, time_ns, {}, [](const OperatorCall& call) { return call.slice.begin_ns; });
    if (after == of_track.begin()) return kNone;
    auto call = static_cast<std::uint32_t>(first_[track] + (after - of_track.begin()) - 1);
    while (call != kNone && calls_[call].slice.end_ns() < time_ns) call = calls_[call].parent;
    return call;
  }

  std::span<const OperatorCall> calls_;
  std::vector<std::size_t> first_;  // call of each track, and the end
};

}  // namespace

LaunchedTime launched_time(const trace::TraceStore& trace, std::span<const OperatorCall> calls) {
  LaunchedTime time;
  time.direct_ns.assign(calls.size(), 0);
  const OpenCalls open(calls);
  const auto add = [&](trace::SliceRef ref, const trace::Slice& kernel) {
    time.any_kernel = true;
    const auto launch = trace.flow_partner(ref);
    if (!launch) return;
    const std::uint32_t call = open.at(trace.slice(*launch).begin_ns);
    if (call != kNone) time.direct_ns[call] += kernel.duration_ns;
  };
  for_each_slice(trace, trace::TrackKind::gpu_stream, add);
  time.all_ns = time.direct_ns;
  for (std::size_t i = calls.size(); i-- > 0;) {  // parents come first
    if (calls[i].parent != kNone) time.all_ns[calls[i].parent] += time.all_ns[i];
  }
  return time;
}

}  // namespace ts::stats
