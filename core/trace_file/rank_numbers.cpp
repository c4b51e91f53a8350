#include "core/trace_file/rank_numbers.h"

#include <algorithm>
#include <optional>

#include "core/trace_file/event_fields.h"

namespace ts::trace_file {

std::int64_t rank_number(const Track& track) {
  constexpr std::string_view kRank = "rank ";
  const std::string_view name = track.process_name;
  constexpr std::int64_t kMost = 1'000'000;
  if (!name.starts_with(kRank)) return kNoNumber;
  const std::int64_t number = integer(name.substr(kRank.size()));
  return number >= 0 && number < kMost ? number : kNoNumber;
}

RankNumbers::RankNumbers(const std::vector<TraceFile>& ranks) : ranks_(ranks.size()) {
  std::optional<std::int64_t> base;
  for (const TraceFile& rank : ranks) {
    if (rank.events.empty()) continue;
    const std::int64_t begin = rank.base_time_ns + rank.events.front().begin_ns;
    base = std::min(base.value_or(begin), begin);
  }
  base_ns_ = base.value_or(0);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t told = ranks[i].rank;
    ranks_[i].name = "rank " + std::to_string(told >= 0 ? told : static_cast<std::int64_t>(i));
    ranks_[i].shift_ns = ranks[i].base_time_ns - base_ns_;
    for (Track track : ranks[i].tracks) {
      track.device = device(i, track.device);
      track.process = std::to_string(process(i, track.process).first);
      track.process_name = name(i);
      track.thread_name = thread_name(i, track.thread_name, track.thread);
      ranks_[i].tracks.push_back(std::move(track));
    }
    for (const MemoryEvent& event : ranks[i].memory) device(i, event.device);
  }
}

std::string RankNumbers::thread_name(std::size_t rank, std::string_view name,
                                     std::string_view thread) const {
  return ranks_[rank].name + ": " + std::string(name.empty() ? thread : name);
}

std::pair<std::int64_t, bool> RankNumbers::process(std::size_t rank, std::string_view written) {
  // Readers want numbers for processes. The first ones of a rank stand together.
  constexpr std::size_t kProcessesOfRank = 100;
  auto& known = ranks_[rank].processes;
  const auto found = known.find(written);
  if (found != known.end()) return {found->second, false};
  const std::size_t number = known.size() < kProcessesOfRank
                                 ? rank * kProcessesOfRank + known.size()
                                 : ranks_.size() * kProcessesOfRank + further_processes_++;
  known.emplace(written, number);
  return {static_cast<std::int64_t>(number), true};
}

std::int32_t RankNumbers::device(std::size_t rank, std::int32_t number) {
  if (number < 0) return number;
  const auto [device, fresh] = ranks_[rank].devices.try_emplace(number, devices_);
  if (fresh) ++devices_;
  return device->second;
}

std::int64_t RankNumbers::id(std::size_t rank, std::int64_t number) {
  constexpr std::int64_t kNumbersOfRank = std::int64_t{1} << 40;
  if (number == kNoNumber) return number;
  return number % kNumbersOfRank + static_cast<std::int64_t>(rank) * kNumbersOfRank;
}

}  // namespace ts::trace_file
