#include "core/files/rank_folder.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/files/merged_ranks.h"
#include "core/io/file_kind.h"
#include "core/io/input.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "core/trace_file/trace_read.h"

namespace ts::files {
namespace {

// Hosts' clocks differ by less, and the ranks of a run are recorded at about the same time.
constexpr std::int64_t kLongestGap = std::int64_t{600} * 1'000'000'000;

// The longest time in which none of them has an event, between two that have; ns.
std::int64_t longest_gap(const std::vector<trace_file::TraceFile>& ranks) {
  std::vector<base::TimeRange> ranges;
  for (const trace_file::TraceFile& rank : ranks) {
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
  return longest;
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

base::Result<trace_file::TraceFile> read_ranks(const std::filesystem::path& folder,
                                               base::Progress* progress) {
  std::vector<trace_file::TraceFile> ranks;
  base::Message fault;
  std::size_t bytes = 0;
  for (const std::filesystem::path& path : files_of_ranks(folder)) {
    auto input = io::Input::open(path, {.progress = progress});
    std::error_code no_size;
    if (!input && std::filesystem::file_size(path, no_size) == 0) {
      if (fault.empty()) fault = input.error();  // of a rank that ended early
      continue;
    }
    if (!input) return tl::unexpected(input.error());
    if (io::kind_of(*input) != io::FileKind::trace) continue;
    auto rank = trace_file::read_trace(path, *input);
    if (!rank) return tl::unexpected(rank.error());
    if (fault.empty()) fault = rank->fault;
    bytes += rank->bytes;
    ranks.push_back(std::move(*rank));
  }
  if (ranks.empty()) return text::fail("file_error.empty_folder", {{"path", folder.string()}});
  if (const std::int64_t gap = longest_gap(ranks); fault.empty() && gap > kLongestGap) {
    constexpr std::int64_t kMinute = std::int64_t{60} * 1'000'000'000;
    fault = text::message("trace_error.apart", {{"minutes", text::grouped(gap / kMinute)}});
  }
  std::ranges::stable_sort(ranks, {}, &trace_file::TraceFile::rank);
  trace_file::TraceFile merged = merge_ranks(ranks);
  merged.bytes = bytes;
  merged.fault = std::move(fault);
  return merged;
}

}  // namespace ts::files
