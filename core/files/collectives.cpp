#include "core/files/collectives.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

#include "core/files/kineto_types.h"
#include "core/trace/slice.h"

namespace ts::files {
namespace {

using trace::is_collective;
using trace_file::Event;
using trace_file::EventKind;
using trace_file::TraceFile;

std::int64_t bytes_of_type(std::string_view type) {
  const auto found = std::ranges::find(kKinetoTypes, type, &KinetoType::kineto);
  return found != kKinetoTypes.end() ? found->bytes : 0;
}

struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// Disjoint and in order, from intervals by begin.
std::vector<Interval> united(const std::vector<Interval>& all) {
  std::vector<Interval> united;
  for (const Interval& one : all) {
    if (!united.empty() && one.begin <= united.back().end) {
      united.back().end = std::max(united.back().end, one.end);
    } else {
      united.push_back(one);
    }
  }
  return united;
}

std::int64_t covered(const std::vector<Interval>& disjoint, std::int64_t begin, std::int64_t end) {
  std::int64_t sum = 0;
  auto at = std::ranges::lower_bound(disjoint, begin, {}, &Interval::end);
  for (; at != disjoint.end() && at->begin < end; ++at)
    sum += std::max<std::int64_t>(0, std::min(at->end, end) - std::max(at->begin, begin));
  return sum;
}

// The events of one rank.
struct RankEvents {
  std::vector<const Event*> collectives;
  std::vector<Interval> operators;  // on threads that do no collectives; disjoint
  std::vector<std::pair<std::string_view, std::string_view>> issued;  // name and shapes
};

std::vector<RankEvents> by_rank(const TraceFile& file) {
  std::map<std::string_view, std::size_t> ranks;
  std::vector<std::size_t> rank_of_track;
  for (const trace_file::Track& track : file.tracks)
    rank_of_track.push_back(ranks.try_emplace(track.process_name, ranks.size()).first->second);
  std::vector<bool> exchanges(file.tracks.size());
  for (const Event& event : file.events) {
    if (is_collective(file.strings->view(event.name))) exchanges[event.track] = true;
  }
  std::vector<RankEvents> all(ranks.size());
  for (const Event& event : file.events) {
    if (event.kind != EventKind::op) continue;
    RankEvents& of = all[rank_of_track[event.track]];
    const std::string_view name = file.strings->view(event.name);
    if (is_collective(name)) {
      of.collectives.push_back(&event);
    } else if (!exchanges[event.track]) {
      of.operators.push_back({event.begin_ns, event.end_ns()});
      if (name.starts_with("c10d::")) of.issued.emplace_back(name, file.strings->view(event.dims));
    }
  }
  for (RankEvents& of : all) of.operators = united(of.operators);
  return all;
}

}  // namespace

std::int64_t Collective::transfer_ns() const {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  for (const CollectivePart& part : parts) {
    begin = std::max(begin, part.begin_ns);
    end = std::max(end, part.begin_ns + part.duration_ns);
  }
  return std::max<std::int64_t>(0, end - begin);
}

std::optional<std::int64_t> collective_bytes(std::string_view name, std::string_view dims,
                                             std::string_view types) {
  if (!is_collective(name)) return std::nullopt;
  // "[[262144]]" and ["float"]: of a list of tensors the first.
  const std::size_t first = dims.find_first_of("0123456789");
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t quote = types.find('"');
  if (quote == std::string_view::npos) return std::nullopt;
  std::int64_t bytes =
      bytes_of_type(types.substr(quote + 1, types.find('"', quote + 1) - quote - 1));
  const char* at = dims.data() + first;
  const char* const end = dims.data() + std::min(dims.find(']', first), dims.size());
  while (at < end) {
    std::int64_t size = 0;
    const auto read = std::from_chars(at, end, size);
    if (read.ec != std::errc()) break;
    bytes *= size;
    at = read.ptr;
    while (at < end && (*at == ',' || *at == ' ')) ++at;
  }
  if (bytes <= 0) return std::nullopt;
  return bytes;
}

double bus_factor(std::string_view name, std::size_t ranks) {
  if (ranks < 2 || name.find("reduce") == std::string_view::npos) return 1;
  const auto n = static_cast<double>(ranks);
  return 2 * (n - 1) / n;
}

Collectives find_collectives(const TraceFile& merged) {
  const std::vector<RankEvents> ranks = by_rank(merged);
  Collectives found;
  using Kind = std::tuple<base::StringId, base::StringId, base::StringId>;
  std::vector<std::map<Kind, std::vector<const Event*>>> kinds(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const Event* event : ranks[rank].collectives)
      kinds[rank][{event->name, event->dims, event->types}].push_back(event);
  }
  if (ranks.empty()) return found;
  for (const auto& [kind, of_first] : kinds.front()) {
    const std::string_view name = merged.strings->view(std::get<0>(kind));
    const auto bytes = collective_bytes(name, merged.strings->view(std::get<1>(kind)),
                                        merged.strings->view(std::get<2>(kind)));
    for (std::size_t k = 0; k < of_first.size(); ++k) {
      Collective one{std::string(name), bytes.value_or(0), {}};
      std::int64_t last_begin = 0;
      for (const auto& of_rank : kinds) {
        const auto same = of_rank.find(kind);
        if (same == of_rank.end() || same->second.size() <= k) break;
        const Event& event = *same->second[k];
        one.parts.push_back({event.begin_ns, event.duration_ns, 0, 0});
        last_begin = std::max(last_begin, event.begin_ns);
      }
      if (one.parts.size() < ranks.size()) continue;
      for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        CollectivePart& part = one.parts[rank];
        part.waited_ns = std::clamp<std::int64_t>(last_begin - part.begin_ns, 0, part.duration_ns);
        part.overlapped_ns =
            covered(ranks[rank].operators, part.begin_ns, part.begin_ns + part.duration_ns);
      }
      found.all.push_back(std::move(one));
    }
  }
  std::ranges::stable_sort(found.all, {},
                           [](const Collective& one) { return one.parts.front().begin_ns; });
  found.issued = ranks.front().issued.size();
  for (const RankEvents& rank : ranks) {
    const auto [a, b] = std::ranges::mismatch(ranks.front().issued, rank.issued);
    if (a == ranks.front().issued.end() && b == rank.issued.end()) continue;
    const auto at = static_cast<std::size_t>(a - ranks.front().issued.begin());
    found.first_difference = std::min(found.first_difference.value_or(at), at);
  }
  return found;
}

namespace {

// Calls `piece` with the pieces of an interval that the edges of `cuts` make.
template <class Piece>
void for_pieces(const Interval& whole, const std::vector<const std::vector<Interval>*>& cuts,
                Piece piece) {
  std::vector<std::int64_t> edges = {whole.end};
  for (const std::vector<Interval>* const cut : cuts) {
    for (const Interval& one : *cut) {
      for (const std::int64_t edge : {one.begin, one.end})
        if (edge > whole.begin && edge < whole.end) edges.push_back(edge);
    }
  }
  std::ranges::sort(edges);
  std::int64_t at = whole.begin;
  for (const std::int64_t edge : edges) {
    if (edge > at) piece(Interval{at, edge});
    at = edge;
  }
}

trace_file::Track track_of_waits(const TraceFile& merged, std::size_t rank) {
  trace_file::Track track;
  track.process_name = "rank " + std::to_string(rank);
  for (const trace_file::Track& one : merged.tracks) {
    if (one.process_name == track.process_name) track.process = one.process;
  }
  track.thread = "waits";
  track.thread_name = track.process_name + ": waits";
  return track;
}

}  // namespace

std::vector<Waits> add_waits(TraceFile& merged, const Collectives& collectives) {
  constexpr std::int64_t kShortest = 20'000;  // shorter ones are gaps between operators
  const std::vector<RankEvents> ranks = by_rank(merged);
  const base::StringId slowest = merged.strings->intern("waits for the slowest rank");
  const base::StringId exchange = merged.strings->intern("waits for communication");
  std::vector<Event> added;
  std::vector<Waits> sums(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::vector<Interval> late;  // this rank was here, another one was not
    std::vector<Interval> all;
    for (const Collective& one : collectives.all) {
      const CollectivePart& part = one.parts[rank];
      all.push_back({part.begin_ns, part.begin_ns + part.duration_ns});
      late.push_back({part.begin_ns, part.begin_ns + part.waited_ns});
    }
    std::ranges::sort(late, {}, &Interval::begin);
    std::ranges::sort(all, {}, &Interval::begin);
    late = united(late);
    const auto track = static_cast<std::uint32_t>(merged.tracks.size());
    merged.tracks.push_back(track_of_waits(merged, rank));
    for (const Interval& busy : united(all)) {
      for_pieces(busy, {&ranks[rank].operators, &late}, [&](const Interval& piece) {
        const std::int64_t length = piece.end - piece.begin;
        if (length < kShortest || covered(ranks[rank].operators, piece.begin, piece.end) > 0)
          return;
        Event event;
        event.begin_ns = piece.begin;
        event.duration_ns = length;
        const bool is_late = covered(late, piece.begin, piece.end) > 0;
        event.name = is_late ? slowest : exchange;
        (is_late ? sums[rank].for_slowest_ns : sums[rank].for_communication_ns) += length;
        event.track = track;
        event.kind = EventKind::synchronisation;
        added.push_back(event);
      });
    }
  }
  merged.events.insert(merged.events.end(), added.begin(), added.end());
  std::ranges::stable_sort(merged.events, {}, [](const Event& event) {
    return std::pair(event.begin_ns, -event.duration_ns);
  });
  return sums;
}

}  // namespace ts::files
