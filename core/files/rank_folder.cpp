#include "core/files/rank_folder.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/clock.h"
#include "core/files/merged_ranks.h"
#include "core/io/file_kind.h"
#include "core/io/input.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "core/trace_file/rank_numbers.h"
#include "core/trace_file/trace_copy.h"
#include "core/trace_file/trace_read.h"

namespace ts::files {
namespace {

using trace_file::TraceFile;

// Hosts' clocks differ by less, and the ranks of a run are recorded at about the same time.
constexpr std::int64_t kLongestGap = std::int64_t{600} * 1'000'000'000;

struct RankFile {
  std::filesystem::path path;
  TraceFile trace;
};
struct RankFiles {
  std::vector<RankFile> files;  // by rank
  base::Message fault;          // of a rank that ended early
};

// Says that the traces are of different times, if they are.
base::Message apart(const std::vector<TraceFile>& ranks) {
  std::vector<base::TimeRange> ranges;
  for (const TraceFile& rank : ranks) {
    if (rank.events.empty()) continue;
    base::TimeRange range{std::numeric_limits<std::int64_t>::max(),
                          std::numeric_limits<std::int64_t>::min()};
    for (const trace_file::Event& event : rank.events) {
      const std::int64_t begin = rank.base_time_ns + event.begin_ns;
      range = {std::min(range.begin, begin), std::max(range.end, begin + event.duration_ns)};
    }
    ranges.push_back(range);
  }
  std::ranges::sort(ranges, {}, &base::TimeRange::begin);
  std::int64_t longest = 0;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    ranges[i].end = std::max(ranges[i].end, ranges[i - 1].end);
    longest = std::max(longest, ranges[i].begin - ranges[i - 1].end);
  }
  if (longest <= kLongestGap) return {};
  constexpr std::int64_t kMinute = std::int64_t{60} * 1'000'000'000;
  return text::message("trace_error.apart", {{"minutes", text::grouped(longest / kMinute)}});
}

// All that the numbers of ranks depend on: one event as long as all, and one of each memory.
TraceFile outline_of(TraceFile&& rank) {
  TraceFile outline;
  outline.rank = rank.rank;
  outline.base_time_ns = rank.base_time_ns;
  outline.tracks = std::move(rank.tracks);
  for (const trace_file::Event& event : rank.events) {
    if (outline.events.empty()) outline.events.emplace_back().begin_ns = event.begin_ns;
    trace_file::Event& all = outline.events.front();
    all.duration_ns = std::max(all.duration_ns, event.end_ns() - all.begin_ns);
  }
  std::set<std::int32_t> devices;
  for (const trace_file::MemoryEvent& event : rank.memory) {
    if (devices.insert(event.device).second) outline.memory.push_back(event);
  }
  return outline;
}

// `keep` returns what is kept of a trace.
template <class Keep>
base::Result<RankFiles> read_files(const std::filesystem::path& folder, base::Progress* progress,
                                   const Keep& keep) {
  RankFiles ranks;
  for (const std::filesystem::path& path : files_of_ranks(folder)) {
    auto input = io::Input::open(path, {.progress = progress});
    std::error_code no_size;
    if (!input && std::filesystem::file_size(path, no_size) == 0) {
      if (ranks.fault.empty()) ranks.fault = input.error();
      continue;
    }
    if (!input) return tl::unexpected(input.error());
    if (io::kind_of(*input) != io::FileKind::trace) continue;
    TS_TRY(auto rank, trace_file::read_trace(path, *input));
    ranks.files.push_back({path, keep(std::move(rank))});
  }
  if (ranks.files.empty())
    return text::fail("file_error.empty_folder", {{"path", folder.string()}});
  std::ranges::stable_sort(ranks.files, {}, [](const RankFile& file) { return file.trace.rank; });
  return ranks;
}

}  // namespace

std::vector<std::filesystem::path> files_of_ranks(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code problem;
  for (std::filesystem::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if ((name.ends_with(".json") || name.ends_with(".json.gz")) && at->is_regular_file(ignored))
      found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

base::Result<TraceFile> read_ranks(const std::filesystem::path& folder, base::Progress* progress) {
  auto read = read_files(folder, progress, [](TraceFile&& rank) { return std::move(rank); });
  if (!read) return tl::unexpected(read.error());
  base::Message fault = std::move(read->fault);
  std::size_t bytes = 0;
  std::vector<TraceFile> ranks;
  for (RankFile& file : read->files) {
    if (fault.empty()) fault = file.trace.fault;
    bytes += file.trace.bytes;
    ranks.push_back(std::move(file.trace));
  }
  if (fault.empty()) fault = apart(ranks);
  TraceFile merged = merge_ranks(ranks);
  merged.bytes = bytes;
  merged.fault = std::move(fault);
  return merged;
}

base::Result<base::Message> copy_ranks(const std::filesystem::path& folder,
                                       const std::filesystem::path& to) {
  TS_TRY(auto read, read_files(folder, nullptr, outline_of));
  std::vector<std::filesystem::path> paths;
  std::vector<TraceFile> ranks;
  for (RankFile& file : read.files) {
    paths.push_back(std::move(file.path));
    ranks.push_back(std::move(file.trace));
  }
  auto fault = trace_file::copy_ranks(paths, trace_file::RankNumbers(ranks), to);
  if (!fault) return fault;
  if (!read.fault.empty()) return std::move(read.fault);
  return fault->empty() ? apart(ranks) : *fault;
}

}  // namespace ts::files
