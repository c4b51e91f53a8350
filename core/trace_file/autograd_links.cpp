#include "core/trace_file/autograd_links.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>

namespace ts::trace_file {
namespace {

using Indices = std::vector<std::uint32_t>;

std::vector<Indices> operators_by_track(const TraceFile& file) {
  std::vector<Indices> ops(file.tracks.size());
  for (std::uint32_t i = 0; i < file.events.size(); ++i) {
    if (file.events[i].kind == EventKind::op) ops[file.events[i].track].push_back(i);
  }
  return ops;
}

std::optional<std::uint32_t> operator_at(const TraceFile& file, const Indices& ops,
                                         std::int64_t time_ns) {
  const auto after = std::ranges::upper_bound(
      ops, time_ns, {}, [&](std::uint32_t i) { return file.events[i].begin_ns; });
  if (after == ops.begin()) return std::nullopt;
  const std::uint32_t index = *std::prev(after);
  if (file.events[index].end_ns() < time_ns) return std::nullopt;
  return index;
}

}  // namespace

std::vector<AutogradEnd> autograd_ends(const TraceFile& file) {
  std::vector<AutogradEnd> ends;
  if (file.flows.empty()) return ends;
  const std::vector<Indices> ops = operators_by_track(file);
  std::unordered_map<std::int64_t, std::uint32_t> numbers;
  for (const FlowEnd& end : file.flows) {
    if (end.kind != FlowEnd::Kind::autograd) continue;
    const auto index = operator_at(file, ops[end.track], end.time_ns);
    if (!index) continue;
    const auto number = static_cast<std::uint32_t>(numbers.size() + 1);
    ends.push_back({*index, numbers.try_emplace(end.id, number).first->second, end.begins});
  }
  return ends;
}

}  // namespace ts::trace_file
