#include "core/capture/gpu_idle.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_map>
#include <utility>

namespace ts::capture {
namespace {

// Finds whether a call was active in a time interval.
class Calls {
 public:
  void add(const HostCall& call) { by_end_.push_back({call.end_ns, call.begin_ns}); }
  // After the last one.
  void sort() {
    std::sort(by_end_.begin(), by_end_.end());
    // The earliest begin of this call and of all calls that end later.
    std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
    for (auto call = by_end_.rbegin(); call != by_end_.rend(); ++call) {
      earliest = std::min(earliest, call->second);
      call->second = earliest;
    }
  }
  [[nodiscard]] bool in(std::int64_t begin_ns, std::int64_t end_ns) const {
    const auto first = std::ranges::upper_bound(
        by_end_, std::pair{begin_ns, std::numeric_limits<std::int64_t>::max()});
    return first != by_end_.end() && first->second < end_ns;
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> by_end_;
};

struct Process {
  Calls waits;
  Calls copies;
};

class Finder {
 public:
  Finder(std::vector<DeviceInterval> work, const std::vector<HostCall>& calls,
         const std::vector<std::int64_t>& began)
      : work_(std::move(work)), began_(began) {
    std::sort(began_.begin(), began_.end());
    for (const HostCall& call : calls) {
      Process& process = processes_[call.process];
      if (call.kind == HostCall::Kind::wait) {
        process.waits.add(call);
        continue;
      }
      if (call.kind == HostCall::Kind::copy) process.copies.add(call);
      const auto [known, fresh] = launches_.try_emplace(call.correlation, call);
      if (!fresh && call.begin_ns < known->second.begin_ns) known->second = call;
    }
    for (auto& [number, process] : processes_) {
      process.waits.sort();
      process.copies.sort();
    }
    std::sort(work_.begin(), work_.end(), [](const DeviceInterval& a, const DeviceInterval& b) {
      return a.device != b.device ? a.device < b.device : a.begin_ns < b.begin_ns;
    });
  }

  std::vector<IdleSpan> find() {
    for (auto first = work_.begin(); first != work_.end();) {
      const auto last = std::find_if(first, work_.end(), [&](const DeviceInterval& one) {
        return one.device != first->device;
      });
      find_of_device(first, last);
      first = last;
    }
    return std::move(spans_);
  }

 private:
  using Place = std::vector<DeviceInterval>::const_iterator;

  void find_of_device(Place first, Place last) {
    std::int64_t busy_until = first->end_ns;
    for (auto one = std::next(first); one != last; ++one) {
      if (one->begin_ns > busy_until) add_gap(busy_until, *one);
      busy_until = std::max(busy_until, one->end_ns);
    }
  }

  void add_gap(std::int64_t begin, const DeviceInterval& next) {
    const auto boundary = std::upper_bound(began_.begin(), began_.end(), begin);
    if (boundary != began_.end() && *boundary <= next.begin_ns) return;
    spans_.push_back({next.device, cause_of(begin, next), begin, next.begin_ns});
  }

  IdleCause cause_of(std::int64_t begin, const DeviceInterval& next) const {
    const auto launch = launches_.find(next.correlation);
    if (launch == launches_.end()) return IdleCause::unknown;
    const std::int64_t launched = launch->second.begin_ns;
    if (launched <= begin) return IdleCause::device;
    const Process& process = processes_.at(launch->second.process);
    if (process.copies.in(begin, launched)) return IdleCause::copy;
    if (process.waits.in(begin, launched)) return IdleCause::synchronisation;
    return IdleCause::launch;
  }

  std::vector<DeviceInterval> work_;
  std::unordered_map<std::uint32_t, HostCall> launches_;
  std::unordered_map<std::uint32_t, Process> processes_;
  std::vector<std::int64_t> began_;
  std::vector<IdleSpan> spans_;
};

}  // namespace

std::vector<IdleSpan> idle_spans(std::vector<DeviceInterval> work,
                                 const std::vector<HostCall>& calls,
                                 const std::vector<std::int64_t>& recordings_began) {
  return Finder(std::move(work), calls, recordings_began).find();
}

}  // namespace ts::capture
